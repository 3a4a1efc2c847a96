package dev.weir;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.Clock;
import org.junit.jupiter.api.Test;

/** The arrows between the packages of core, as their package-info files tell them. */
class CoreArchitectureTest {
    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.weir");

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.weir.internal.(**)").should().beFreeOfCycles().check(CORE);
    }

    /** The other public types are made of internals, and nothing inside may know them. */
    @Test
    void internalsUseThePublicTypesThatAreMadeOfNothingInternal() {
        DescribedPredicate<JavaClass> madeOfInternals = DescribedPredicate.describe(
                "public types made of internals",
                each -> each.getPackageName().equals("dev.weir")
                        && each.getDirectDependenciesFromSelf().stream()
                                .anyMatch(to ->
                                        to.getTargetClass().getPackageName().startsWith("dev.weir.internal")));
        noClasses()
                .that()
                .resideInAPackage("dev.weir.internal..")
                .should()
                .dependOnClassesThat(madeOfInternals)
                .check(CORE);
    }

    @Test
    void pathOfARequestGoesOneWay() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("model")
                .definedBy("dev.weir.internal.model")
                .layer("algorithm")
                .definedBy("dev.weir.internal.algorithm")
                .layer("counter")
                .definedBy("dev.weir.internal.counter")
                .layer("match")
                .definedBy("dev.weir.internal.match..", "dev.weir.internal.ruleset")
                .layer("explain")
                .definedBy("dev.weir.internal.explain")
                .layer("store")
                .definedBy("dev.weir.internal.store")
                .layer("memory")
                .definedBy("dev.weir.internal.store.memory")
                .layer("place")
                .definedBy("dev.weir.internal.place")
                .layer("batching")
                .definedBy("dev.weir.internal.batching")
                .layer("lease")
                .definedBy("dev.weir.internal.lease")
                .layer("report")
                .definedBy("dev.weir.internal.report")
                .layer("region")
                .definedBy("dev.weir.internal.region")
                .layer("tier")
                .definedBy("dev.weir.internal.tier")
                .layer("limiter")
                .definedBy("dev.weir.internal.limiter..")
                .whereLayer("model")
                .mayNotAccessAnyLayer()
                .whereLayer("algorithm")
                .mayNotAccessAnyLayer()
                .whereLayer("counter")
                .mayNotAccessAnyLayer()
                .whereLayer("match")
                .mayOnlyAccessLayers("counter", "model", "explain")
                .whereLayer("store")
                .mayOnlyAccessLayers("algorithm", "counter")
                .whereLayer("memory")
                .mayOnlyAccessLayers("store", "algorithm", "counter")
                .whereLayer("place")
                .mayOnlyAccessLayers("store", "algorithm", "counter")
                .whereLayer("batching")
                .mayOnlyAccessLayers("place", "store", "algorithm", "counter")
                .whereLayer("lease")
                .mayOnlyAccessLayers("store", "algorithm", "counter", "model")
                .whereLayer("report")
                .mayOnlyAccessLayers("store", "algorithm", "counter", "model")
                .whereLayer("region")
                .mayOnlyAccessLayers("store", "algorithm", "counter")
                .whereLayer("tier")
                .mayOnlyAccessLayers("lease", "report", "region", "store", "algorithm", "counter", "model")
                .whereLayer("limiter")
                .mayNotBeAccessedByAnyLayer()
                .check(CORE);
    }

    /** And that once, so that a clock that is set by an hour while we run cannot matter. */
    @Test
    void onlyTheTimeSourceReadsTheWallClock() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(TimeSource.class.getName())
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethodWhere(target(name("now")).and(target(owner(resideInAPackage("java.time..")))))
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Clock.class)
                .check(CORE);
    }

    @Test
    void coreLeansOnTheJdkAlone() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.weir..", "java..", "javax.crypto..", "org.jspecify..")
                .check(CORE);
    }
}
