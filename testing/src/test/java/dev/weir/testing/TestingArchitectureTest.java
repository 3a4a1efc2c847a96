package dev.weir.testing;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The arrows of this module. */
class TestingArchitectureTest {
    private static final JavaClasses TESTING = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.weir.testing");

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.weir.testing.(**)").should().beFreeOfCycles().check(TESTING);
    }

    @Test
    void knowsNoServerAndNoRealStore() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.weir.redis..", "dev.weir.server..", "dev.weir.control..")
                .check(TESTING);
    }

    /** The command has no JUnit. */
    @Test
    void onlyThePublicPackageKnowsJUnit() {
        classes()
                .that()
                .resideInAPackage("dev.weir.testing.internal..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.weir..", "java..", "org.jspecify..")
                .check(TESTING);
    }
}
