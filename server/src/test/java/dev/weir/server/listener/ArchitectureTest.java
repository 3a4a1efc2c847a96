package dev.weir.server.listener;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSet;
import dev.weir.internal.ruleset.RuleSetBuilder;
import dev.weir.server.health.Health;
import dev.weir.server.rules.LayeredRules;
import dev.weir.server.warmup.ServerWarmUp;
import org.junit.jupiter.api.Test;

/** The arrows between modules, and between the rooms of the server. */
class ArchitectureTest {
    private static final JavaClasses WEIR = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.weir");

    private static final String[] CORE = {
        "dev.weir",
        "dev.weir.model..",
        "dev.weir.runtime..",
        "dev.weir.algorithm..",
        "dev.weir.store..",
        "dev.weir.coalesce..",
        "dev.weir.match..",
        "dev.weir.lease..",
        "dev.weir.report..",
        "dev.weir.tier..",
        "dev.weir.limiter.."
    };

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
                        "dev.weir.simulation..",
                        "dev.weir.control..",
                        "dev.weir.server..")
                .check(WEIR);
    }

    /** Rules are compiled where they come into force, and nowhere on the way there. */
    @Test
    void onlyWhoPutsRulesInForceCompilesThem() {
        noClasses()
                .that()
                .doNotBelongToAnyOf(LayeredRules.class, ServerWarmUp.class, Limiter.class, RuleIndex.class)
                .and()
                .resideOutsideOfPackage("dev.weir.simulation..")
                .should()
                .callMethodWhere(target(name("of")).and(target(owner(type(RuleIndex.class)))))
                .check(WEIR);
        noClasses()
                .that()
                .belongToAnyOf(RuleSet.class, RuleSetBuilder.class)
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(RuleIndex.class)
                .check(WEIR);
    }

    /** What a surface tells of a decision, the decision says: nothing is matched a second time. */
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
    void whatASurfaceSeesOfTheServerIsItsHealth() {
        noClasses()
                .that()
                .resideInAPackage("dev.weir.server.*..")
                .and()
                .resideOutsideOfPackage("dev.weir.server.command")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.weir.server").and(not(belongToAnyOf(Health.class))))
                .check(WEIR);
    }

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
                .layer("grpc")
                .definedBy("dev.weir.server.grpc")
                .layer("access")
                .definedBy("dev.weir.server.access")
                .layer("tls")
                .definedBy("dev.weir.server.tls")
                .layer("log")
                .definedBy("dev.weir.server.log")
                .layer("settings")
                .definedBy("dev.weir.server.settings")
                .layer("rls")
                .definedBy("dev.weir.server.rls")
                .whereLayer("command")
                .mayOnlyAccessLayers("log", "settings", "tls")
                .whereLayer("admin")
                .mayOnlyAccessLayers("access", "http", "rls", "settings")
                .whereLayer("access")
                .mayOnlyAccessLayers("http", "settings")
                .whereLayer("tls")
                .mayOnlyAccessLayers("settings")
                .whereLayer("metrics")
                .mayOnlyAccessLayers("grpc", "settings")
                .whereLayer("rest")
                .mayOnlyAccessLayers("http", "rls")
                .whereLayer("http")
                .mayNotAccessAnyLayer()
                .whereLayer("grpc")
                .mayOnlyAccessLayers("rls", "tls")
                .whereLayer("log")
                .mayOnlyAccessLayers("settings")
                .whereLayer("settings")
                .mayOnlyAccessLayers("rls")
                .whereLayer("rls")
                .mayNotAccessAnyLayer()
                .check(WEIR);
    }
}
