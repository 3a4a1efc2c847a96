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
                        "dev.weir.model",
                        "dev.weir.match",
                        "dev.weir.runtime",
                        "dev.weir.algorithm",
                        "java..",
                        "org.jspecify..",
                        "org.snakeyaml..",
                        "com.google.re2j..")
                .check(RULES);
    }

    @Test
    void arrowsGoOneWay() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("diagnostics")
                .definedBy("dev.weir.rules.diagnostics")
                .layer("yaml")
                .definedBy("dev.weir.rules.yaml")
                .layer("grammar")
                .definedBy("dev.weir.rules.grammar")
                .layer("files")
                .definedBy("dev.weir.rules")
                .whereLayer("diagnostics")
                .mayNotAccessAnyLayer()
                .whereLayer("yaml")
                .mayOnlyAccessLayers("diagnostics")
                .whereLayer("grammar")
                .mayOnlyAccessLayers("yaml", "diagnostics")
                .whereLayer("files")
                .mayNotBeAccessedByAnyLayer()
                .check(RULES);
    }
}
