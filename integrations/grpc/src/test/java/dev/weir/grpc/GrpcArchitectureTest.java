package dev.weir.grpc;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The arrows of this module. */
class GrpcArchitectureTest {
    private static final JavaClasses GRPC = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.weir.grpc");

    @Test
    void leansOnTheApiOfGrpcAlone() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.weir",
                        "dev.weir.grpc..",
                        "dev.weir.client",
                        "dev.weir.http.internal",
                        "dev.weir.internal.model",
                        "dev.weir.internal.ruleset",
                        "io.grpc",
                        "java..",
                        "javax.net.ssl",
                        "org.jspecify..")
                .check(GRPC);
    }

    /** weir-client is optional: a server does not need it. */
    @Test
    void onlyTheClientsInterceptorPaces() {
        noClasses()
                .that()
                .haveNameNotMatching(".*PacingClientInterceptor(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.weir.client..")
                .check(GRPC);
    }
}
