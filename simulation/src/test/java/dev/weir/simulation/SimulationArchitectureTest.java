package dev.weir.simulation;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.Clock;
import org.junit.jupiter.api.Test;

/** The arrows of this module, and what keeps a run the same each time. */
class SimulationArchitectureTest {
    private static final JavaClasses SIMULATION = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.weir.simulation");

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.weir.simulation.(**)").should().beFreeOfCycles().check(SIMULATION);
    }

    @Test
    void leansOnCoreAndTheRuleReaderAlone() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.weir..", "java..", "org.jspecify..")
                .andShould()
                .onlyDependOnClassesThat()
                .resideOutsideOfPackages("dev.weir.redis..", "dev.weir.server..", "dev.weir.control..")
                .check(SIMULATION);
    }

    /** A run must be the same each time: no clock, no thread, no randomness but its seed's. */
    @Test
    void nothingOfTheRealWorldComesIn() {
        noClasses()
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(Math.class, "random")
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Clock.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Thread.class)
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.util\\.(Random|concurrent\\.ThreadLocalRandom)")
                .check(SIMULATION);
    }
}
