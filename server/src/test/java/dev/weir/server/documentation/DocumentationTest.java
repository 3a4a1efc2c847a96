package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What stands in the documentation is true: its rule files load, and its Java stands in a test that runs. */
final class DocumentationTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path EXAMPLES = Path.of("src/test/java/dev/weir/rules/DocumentationExamplesTest.java");

    @TestFactory
    Stream<DynamicTest> every_rule_file_in_the_documentation_loads() throws IOException {
        return blocks("yaml")
                .map(block -> DynamicTest.dynamicTest(
                        block.place(),
                        () -> assertThat(RuleLoader.parse(block.place(), block.text())
                                        .diagnostics())
                                .isEmpty()));
    }

    @TestFactory
    Stream<DynamicTest> every_java_example_in_the_documentation_is_run_by_a_test() throws IOException {
        String examples = squeezed(Files.readString(EXAMPLES));
        return blocks("java")
                .map(block -> DynamicTest.dynamicTest(
                        block.place(), () -> assertThat(examples).contains(squeezed(block.text()))));
    }

    private record Block(String place, String text) {}

    private static Stream<Block> blocks(String language) throws IOException {
        List<Block> blocks = new ArrayList<>();
        for (Path page : pages()) {
            StringBuilder open = null;
            int line = 0;
            int began = 0;
            for (String each : Files.readAllLines(page)) {
                line++;
                if (open == null && each.equals("```" + language)) {
                    open = new StringBuilder();
                    began = line;
                } else if (open != null && each.equals("```")) {
                    blocks.add(new Block(ROOT.relativize(page) + ":" + began, open.toString()));
                    open = null;
                } else if (open != null) {
                    open.append(each).append('\n');
                }
            }
        }
        assertThat(blocks).as("blocks of " + language + " in " + pages()).isNotEmpty();
        return blocks.stream();
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(ROOT.resolve("README.md")), docs.sorted())
                    .filter(page -> page.toString().endsWith(".md"))
                    .toList();
        }
    }

    /** Without white space and comments, which a formatter or a reader's convenience may lay out otherwise. */
    private static String squeezed(String java) {
        return java.replaceAll("//[^\n]*", "").replaceAll("\\s+", "");
    }
}
