package dev.weir.redis;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.Clock;
import org.junit.jupiter.api.Test;

/** The arrows of this module, as its package-info files tell them. */
class RedisArchitectureTest {
    private static final JavaClasses REDIS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.weir.redis");

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.weir.redis.internal.(**)")
                .should()
                .beFreeOfCycles()
                .check(REDIS);
    }

    @Test
    void theScriptKnowsNothingOfConnections() {
        noClasses()
                .that()
                .resideInAPackage("dev.weir.redis.internal.script")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.weir.redis.internal.connection",
                        "dev.weir.redis.internal.node",
                        "io.lettuce..",
                        "io.netty..",
                        "io.github.resilience4j..")
                .check(REDIS);
    }

    @Test
    void rulesAndRequestsDoNotComeIn() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.weir.internal.match..",
                        "dev.weir.internal.ruleset",
                        "dev.weir.internal.limiter..",
                        "dev.weir.internal.library",
                        "dev.weir.internal.store.memory")
                .check(REDIS);
    }

    @Test
    void leansOnLettuceNettyAndTheBreakerAlone() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.weir..",
                        "java..",
                        "org.jspecify..",
                        "io.lettuce..",
                        "io.netty..",
                        "reactor..",
                        "io.github.resilience4j..")
                .check(REDIS);
    }

    /** So a clock of ours that is set by an hour while we run cannot matter. */
    @Test
    void nobodyReadsTheWallClock() {
        noClasses()
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethodWhere(target(name("now")).and(target(owner(resideInAPackage("java.time..")))))
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Clock.class)
                .check(REDIS);
    }
}
