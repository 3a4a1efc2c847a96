package dev.weir.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The arrows of this module, as its package-info files tell them. */
class ClientArchitectureTest {
    private static final JavaClasses CLIENT = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.weir.client");

    @Test
    void leansOnNothingOfALimiter() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.weir.client..", "java..", "javax.net.ssl", "okhttp3..", "kotlin..", "org.jspecify..")
                .check(CLIENT);
    }

    /** OkHttp is optional: only its interceptor may need it. */
    @Test
    void onlyTheInterceptorSeesOkHttp() {
        noClasses()
                .that()
                .doNotHaveSimpleName("PacingInterceptor")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("okhttp3..")
                .check(CLIENT);
    }

    /** The law runs on the time that it is given. */
    @Test
    void theLawReadsNoClock() {
        noClasses()
                .that()
                .resideInAPackage("dev.weir.client.internal")
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .check(CLIENT);
    }
}
