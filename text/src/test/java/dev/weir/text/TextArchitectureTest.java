package dev.weir.text;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The text library knows no rule, no setting and no other module. */
class TextArchitectureTest {
    private static final JavaClasses TEXT = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.weir.text");

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.weir.text.(**)").should().beFreeOfCycles().check(TEXT);
    }

    @Test
    void dependsOnTheYamlParserOnly() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.weir.text..", "java..", "org.jspecify..", "org.snakeyaml..")
                .check(TEXT);
    }
}
