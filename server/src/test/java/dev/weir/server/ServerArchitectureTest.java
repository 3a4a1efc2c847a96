package dev.weir.server;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.ruleset.WrittenRulesBuilder;
import dev.weir.server.rules.RuleCompiler;
import dev.weir.server.warmup.ServerWarmUp;
import org.junit.jupiter.api.Test;

/** The arrows between modules, and between the rooms of the server. */
class ServerArchitectureTest {
    private static final JavaClasses WEIR = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("-tests.jar")) // the test kits of other modules
            .importPackages("dev.weir");

    private static final String[] CORE = {"dev.weir", "dev.weir.internal.."};

    @Test
    void coreSeesNoOtherModule() {
        noClasses()
                .that()
                .resideInAnyPackage(CORE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.weir.redis..",
                        "dev.weir.rules..",
                        "dev.weir.text..",
                        "dev.weir.simulation..",
                        "dev.weir.testing..",
                        "dev.weir.control..",
                        "dev.weir.server..")
                .check(WEIR);
    }

    /** Rules are compiled where they come into force, and nowhere on the way there. */
    @Test
    void onlyWhoPutsRulesInForceCompilesThem() {
        noClasses()
                .that()
                .doNotBelongToAnyOf(RuleCompiler.class, ServerWarmUp.class, Limiter.class, RuleIndex.class)
                .and()
                .resideOutsideOfPackages("dev.weir.simulation..", "dev.weir.testing..") // with limiters of their own
                .should()
                .callMethodWhere(target(name("of")).and(target(owner(type(RuleIndex.class)))))
                .check(WEIR);
        noClasses()
                .that()
                .belongToAnyOf(WrittenRules.class, WrittenRulesBuilder.class)
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(RuleIndex.class)
                .check(WEIR);
    }

    /** Surfaces read everything from the decision: no request is matched a second time. */
    @Test
    void theDataPlaneOverHttpMatchesNothing() {
        noClasses()
                .that()
                .resideInAPackage("dev.weir.server.rest..")
                .should()
                .callMethodWhere(target(name("counter")).and(target(owner(type(RuleIndex.class)))))
                .orShould()
                .callMethodWhere(target(name("match")).and(target(owner(type(RuleIndex.class)))))
                .orShould()
                .callMethodWhere(target(name("explain")).and(target(owner(type(Limiter.class)))))
                .check(WEIR);
    }

    @Test
    void controlSeesNeitherServerNorRedis() {
        noClasses()
                .that()
                .resideInAPackage("dev.weir.control..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.weir.server..", "dev.weir.redis..")
                .check(WEIR);
    }

    @Test
    void onlyTheServerAndTheRedisStoreSeeTheNetwork() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.weir.server..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.vertx..", "io.micrometer..", "picocli..")
                .check(WEIR);
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.weir.server..", "dev.weir.redis..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.netty..")
                .check(WEIR);
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.weir.redis..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.lettuce..", "io.github.resilience4j..")
                .check(WEIR);
    }

    @Test
    void nothingBelowSeesTheServerAsAWhole() {
        noClasses()
                .that()
                .resideInAPackage("dev.weir.server.*..")
                .and()
                .resideOutsideOfPackage("dev.weir.server.command")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.weir.server")
                .check(WEIR);
    }

    @Test
    void roomsHaveNoCycles() {
        slices().matching("dev.weir.server.(**)").should().beFreeOfCycles().check(WEIR);
    }

    /** The packages that each package may use; one that is not named may use none. */
    @Test
    void rooms() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("command")
                .definedBy("dev.weir.server.command")
                .layer("admin")
                .definedBy("dev.weir.server.admin")
                .layer("metrics")
                .definedBy("dev.weir.server.metrics")
                .layer("rest")
                .definedBy("dev.weir.server.rest")
                .layer("http")
                .definedBy("dev.weir.server.http")
                .layer("memory")
                .definedBy("dev.weir.server.memory")
                .layer("grpc")
                .definedBy("dev.weir.server.grpc..")
                .layer("access")
                .definedBy("dev.weir.server.access")
                .layer("counters")
                .definedBy("dev.weir.server.counters")
                .layer("health")
                .definedBy("dev.weir.server.health")
                .layer("lifecycle")
                .definedBy("dev.weir.server.lifecycle")
                .layer("rules")
                .definedBy("dev.weir.server.rules")
                .layer("stores")
                .definedBy("dev.weir.server.stores")
                .layer("tls")
                .definedBy("dev.weir.server.tls")
                .layer("log")
                .definedBy("dev.weir.server.log")
                .layer("settings")
                .definedBy("dev.weir.server.settings")
                .layer("rls")
                .definedBy("dev.weir.server.rls")
                .whereLayer("command")
                .mayOnlyAccessLayers("lifecycle", "log", "memory", "settings", "tls")
                .whereLayer("admin")
                .mayOnlyAccessLayers("access", "counters", "health", "http", "rls", "rules", "settings")
                .whereLayer("access")
                .mayOnlyAccessLayers("http", "lifecycle", "settings")
                .whereLayer("counters")
                .mayOnlyAccessLayers("http")
                .whereLayer("rules")
                .mayOnlyAccessLayers("lifecycle", "metrics", "settings")
                .whereLayer("stores")
                .mayOnlyAccessLayers("lifecycle", "metrics", "settings")
                .whereLayer("tls")
                .mayOnlyAccessLayers("settings")
                .whereLayer("metrics")
                .mayOnlyAccessLayers("grpc", "settings")
                .whereLayer("rest")
                .mayOnlyAccessLayers("health", "http", "rls")
                .whereLayer("http")
                .mayOnlyAccessLayers("memory")
                .whereLayer("memory")
                .mayNotAccessAnyLayer()
                .whereLayer("health")
                .mayNotAccessAnyLayer()
                .whereLayer("lifecycle")
                .mayNotAccessAnyLayer()
                .whereLayer("grpc")
                .mayOnlyAccessLayers("health", "memory", "rls")
                .whereLayer("log")
                .mayOnlyAccessLayers("settings")
                .whereLayer("settings")
                .mayOnlyAccessLayers("rls")
                .whereLayer("rls")
                .mayNotAccessAnyLayer()
                .check(WEIR);
    }
}
