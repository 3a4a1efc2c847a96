package dev.weir.control;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The arrows of this module. */
class ControlArchitectureTest {
    private static final JavaClasses CONTROL = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.weir.control");

    @Test
    void dependsOnCoreRulesAndItsLibrariesOnly() {
        classes()
                .that()
                .resideInAPackage("dev.weir.control..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.weir.control..",
                        "dev.weir",
                        "dev.weir.internal.ban",
                        "dev.weir.internal.limiter..",
                        "dev.weir.internal.match..",
                        "dev.weir.internal.ruleset",
                        "dev.weir.internal.model",
                        "dev.weir.internal.runtime",
                        "dev.weir.internal.tls",
                        "dev.weir.rules..",
                        "dev.weir.text..",
                        "java..",
                        "javax.crypto..",
                        "com.fasterxml.jackson.core..",
                        "com.google.protobuf..",
                        "com.zaxxer.hikari..",
                        "io.grpc..",
                        "org.apache.kafka..",
                        "org.flywaydb.core..",
                        "org.postgresql",
                        "org.jspecify..")
                .check(CONTROL);
    }

    @Test
    void noRoomDependsOnTheRoot() {
        noClasses()
                .that()
                .resideInAPackage("dev.weir.control.*..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.weir.control")
                .check(CONTROL);
    }

    @Test
    void roomsHaveNoCycles() {
        slices().matching("dev.weir.control.(*)..").should().beFreeOfCycles().check(CONTROL);
    }
}
