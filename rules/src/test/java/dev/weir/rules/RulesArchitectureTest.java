package dev.weir.rules;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The arrows of this module, as its package-info files tell them. */
class RulesArchitectureTest {
    private static final JavaClasses RULES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.weir.rules");

    @Test
    void leansOnCoreAndItsParsersAlone() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.weir.rules..",
                        "dev.weir",
                        "dev.weir.text..",
                        "dev.weir.internal.model",
                        "dev.weir.internal.runtime",
                        "dev.weir.internal.match..",
                        "dev.weir.internal.ruleset",
                        "dev.weir.internal.algorithm",
                        "java..",
                        "org.jspecify..",
                        "com.google.re2j..")
                .check(RULES);
    }

    @Test
    void arrowsGoOneWay() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("grammar")
                .definedBy("dev.weir.rules.internal.grammar")
                .layer("load")
                .definedBy("dev.weir.rules.internal.load")
                .whereLayer("grammar")
                .mayNotAccessAnyLayer()
                .whereLayer("load")
                .mayOnlyAccessLayers("grammar")
                .check(RULES);
    }
}
