package dev.weir.server.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The pages of the documentation, and what stands in them. */
public final class DocumentationPages {
    public static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final String FENCE = "```";
    private static final Pattern SPAN = Pattern.compile("`([^`]+)`");

    private DocumentationPages() {}

    /** Something that stands on a page, and where. */
    public record Found(String place, String text) {
        @Override
        public String toString() {
            return place + ": " + text;
        }
    }

    /** The blocks with {@code ```language} above them. */
    public static List<Found> blocks(String language) {
        List<Found> blocks = new ArrayList<>();
        for (Path page : all()) {
            List<String> lines = lines(page);
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).equals(FENCE + language)) {
                    int end = i + 1;
                    while (!lines.get(end).equals(FENCE)) {
                        end++;
                    }
                    blocks.add(new Found(place(page, i), String.join("\n", lines.subList(i + 1, end)) + "\n"));
                    i = end;
                }
            }
        }
        assertThat(blocks).as("blocks of " + language).isNotEmpty();
        return blocks;
    }

    /** Lines of code, fenced or indented, that begin with {@code start}; a prompt does not count. */
    public static List<Found> codeLines(String start) {
        List<Found> found = new ArrayList<>();
        for (Path page : all()) {
            boolean fenced = false;
            List<String> lines = lines(page);
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i);
                fenced ^= line.startsWith(FENCE);
                String code = line.strip().replaceFirst("^\\$ ", "");
                if ((fenced || line.startsWith("    ")) && code.startsWith(start)) {
                    found.add(new Found(place(page, i), code));
                }
            }
        }
        assertThat(found).as("lines of code that begin with " + start).isNotEmpty();
        return found;
    }

    /** The texts between backticks in a text. */
    public static List<String> spans(String text) {
        return SPAN.matcher(text).results().map(span -> span.group(1)).toList();
    }

    /** The texts between backticks on all pages that begin with {@code start}. */
    public static List<Found> spansThatBegin(String start) {
        return matching(SPAN).stream()
                .filter(span -> span.text().startsWith("`" + start))
                .map(span -> new Found(span.place(), spans(span.text()).get(0)))
                .toList();
    }

    /** The matches of {@code what} on all pages, line by line. */
    static List<Found> matching(Pattern what) {
        List<Found> found = new ArrayList<>();
        for (Path page : all()) {
            List<String> lines = lines(page);
            for (int i = 0; i < lines.size(); i++) {
                String place = place(page, i);
                what.matcher(lines.get(i)).results().forEach(match -> found.add(new Found(place, match.group())));
            }
        }
        assertThat(found).as(what.pattern()).isNotEmpty();
        return found;
    }

    /** First cells of the tables whose heading begins with {@code heading}. */
    public static List<Found> firstCells(String heading) {
        List<Found> cells = new ArrayList<>();
        for (Path page : all()) {
            boolean inside = false;
            List<String> lines = lines(page);
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i);
                if (inside && line.startsWith("| ")) {
                    cells.add(new Found(place(page, i), line.split(" \\| ", 2)[0]));
                }
                inside = line.startsWith("| " + heading + " |") || (inside && line.startsWith("|"));
            }
        }
        assertThat(cells).as("cells below " + heading).isNotEmpty();
        return cells;
    }

    public static String read(String page) {
        return String.join("\n", lines(ROOT.resolve(page)));
    }

    private static String place(Path page, int index) {
        return ROOT.relativize(page) + ":" + (index + 1);
    }

    private static List<String> lines(Path page) {
        try {
            return Files.readAllLines(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static List<Path> all() {
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.list(ROOT.resolve("docs"));
                Stream<Path> monitoring = Files.list(ROOT.resolve("monitoring"))) {
            return Stream.of(top, docs, monitoring)
                    .flatMap(Stream::sorted)
                    .filter(page -> page.toString().endsWith(".md"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
