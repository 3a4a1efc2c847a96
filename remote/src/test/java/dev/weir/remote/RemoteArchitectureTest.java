package dev.weir.remote;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The arrows of this module, as its package-info files tell them. */
class RemoteArchitectureTest {
    private static final JavaClasses REMOTE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.weir.remote");

    @Test
    void leansOnCoreAndGrpcAlone() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.weir",
                        "dev.weir.remote..",
                        "dev.weir.internal.lease",
                        "dev.weir.internal.library",
                        "dev.weir.internal.match.pattern",
                        "dev.weir.internal.model",
                        "dev.weir.internal.ruleset",
                        "dev.weir.internal.runtime",
                        "dev.weir.internal.tls",
                        "io.grpc..",
                        "java..",
                        "org.jspecify..")
                .check(REMOTE);
    }

    @Test
    void onlyTheChannelSeesGrpc() {
        noClasses()
                .that()
                .haveNameNotMatching(".*\\.GrpcChannel(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.grpc..")
                .check(REMOTE);
    }

    /** An application may bring any Netty. */
    @Test
    void usesNoNettyButTheShadedOne() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.netty..")
                .check(REMOTE);
    }
}
