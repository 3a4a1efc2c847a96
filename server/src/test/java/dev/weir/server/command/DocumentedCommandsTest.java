package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.documentation.DocumentationPages;
import dev.weir.server.documentation.DocumentationPages.Found;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import picocli.CommandLine;

/** Every {@code weir} command that the documentation shows is one that the command line takes. */
class DocumentedCommandsTest {
    /** A word as a shell takes it; what follows a comment, a pipe or a redirection is not the command's. */
    private static final Pattern WORD = Pattern.compile("\\s*((?:\"[^\"]*\"|'[^']*'|[^\\s\"'])+)");

    @TestFactory
    Stream<DynamicTest> linesOfCode() {
        return Stream.of("./weir ", "weir ")
                .flatMap(start -> DocumentationPages.codeLines(start).stream())
                .map(line -> DynamicTest.dynamicTest(
                        line.toString(),
                        () -> WeirCommand.commandLine(Map.of())
                                .parseArgs(words(line.text()).toArray(String[]::new))));
    }

    /** In a sentence a command may lack its arguments, but not have a name or a flag that does not exist. */
    @TestFactory
    Stream<DynamicTest> inSentences() {
        return Stream.of("./weir ", "weir ")
                .flatMap(start -> DocumentationPages.spansThatBegin(start).stream())
                .map(span -> DynamicTest.dynamicTest(span.toString(), () -> isKnown(span)));
    }

    private static void isKnown(Found span) {
        CommandLine command = WeirCommand.commandLine(Map.of());
        for (String word : words(span.text())) {
            if (word.startsWith("--")) {
                assertThat(command.getCommandSpec().optionsMap()).containsKey(word);
            } else if (!command.getSubcommands().isEmpty() && word.matches("[a-z]+")) {
                CommandLine named = command.getSubcommands().get(word);
                assertThat(named).as(word).isNotNull();
                command = Objects.requireNonNull(named);
            }
        }
    }

    private static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        WORD.matcher(line)
                .results()
                .map(word -> word.group(1))
                .takeWhile(word -> !List.of("#", ">", "|", "&").contains(word))
                .skip(1)
                .forEach(word -> words.add(word.replaceAll("[\"']", "")));
        return words;
    }
}
