package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.documentation.DocumentationPages;
import dev.weir.server.documentation.DocumentationPages.Found;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    /** A command on a page, up to the first value that the page fills in. */
    private static final Pattern ON_PAGE = Pattern.compile("(?:[>'`]|, )(weir [a-z][^<'`$,]*)");

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

    /** So do the pages of the dashboard. */
    @TestFactory
    Stream<DynamicTest> onPages() throws IOException {
        List<Found> found = new ArrayList<>();
        try (Stream<Path> pages = Files.list(Path.of("src/main/resources/dev/weir/server/pages"))) {
            for (Path page : pages.filter(each -> each.toString().endsWith(".js"))
                    .sorted()
                    .toList()) {
                ON_PAGE.matcher(Files.readString(page))
                        .results()
                        .forEach(command -> found.add(new Found(String.valueOf(page.getFileName()), command.group(1))));
            }
        }
        assertThat(found).isNotEmpty();
        return found.stream().map(each -> DynamicTest.dynamicTest(each.toString(), () -> isKnown(each)));
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
