package dev.weir.server.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The layout that a newcomer finds their way by: one name for one class, small packages, pages that match the sources. */
class SourceLayoutTest {
    private static final int MOST_FILES = 30;
    private static final int MOST_WORDS = 119;
    private static final Path ARCHITECTURE = DocumentationPages.ROOT.resolve("docs/architecture.md");
    private static final Pattern CLASS_NAME = Pattern.compile("[A-Z][A-Za-z0-9]+");
    /** A class of tests, or one test of it. */
    private static final Pattern TEST = Pattern.compile("`[A-Z][A-Za-z]*(?:Test|Contract)(?:\\.[a-z][A-Za-z0-9]*)?`");

    private static final Pattern WHITE_SPACE = Pattern.compile("\\s+");

    @Test
    void noTwoClassesOfTheProductShareAName() throws IOException {
        Map<String, List<Path>> byName = new TreeMap<>();
        for (Path file : sources()) {
            if (!file.startsWith(DocumentationPages.ROOT.resolve("benchmarks")) && isClass(file)) {
                byName.computeIfAbsent(name(file), unused -> new ArrayList<>()).add(file);
            }
        }
        assertThat(byName).hasSizeGreaterThan(400);
        byName.values().removeIf(files -> files.size() == 1);
        assertThat(byName).isEmpty();
    }

    @Test
    void noPackageHasMoreThanThirtyFiles() throws IOException {
        Map<Path, Integer> files = new TreeMap<>();
        for (Path file : sources()) {
            files.merge(folder(file), 1, Integer::sum);
        }
        files.values().removeIf(count -> count <= MOST_FILES);
        assertThat(files).isEmpty();
    }

    @Test
    void everyPackageStandsInTheArchitecture() throws IOException {
        List<String> named = DocumentationPages.spans(Files.readString(ARCHITECTURE));
        TreeSet<String> packages = new TreeSet<>();
        for (Path file : sources()) {
            if (file.endsWith("package-info.java")) {
                String path = folder(file).toString().replace('\\', '/');
                packages.add(path.substring(path.indexOf("src/main/java/") + "src/main/java/".length())
                        .replace('/', '.'));
            }
        }
        assertThat(named).containsAll(packages);
        assertThat(named.stream().filter(each -> each.startsWith("dev.weir"))).isSubsetOf(packages);
    }

    @Test
    void everyClassThatTheArchitectureNamesExists() throws IOException {
        TreeSet<String> names = new TreeSet<>();
        for (Path file : sources()) {
            names.add(name(file));
        }
        TreeSet<String> rows = new TreeSet<>();
        for (String line : Files.readAllLines(ARCHITECTURE)) {
            if (line.startsWith("|")) {
                DocumentationPages.spans(line).stream()
                        .filter(span -> CLASS_NAME.matcher(span).matches())
                        .forEach(rows::add);
            }
        }
        assertThat(rows).hasSizeGreaterThan(20);
        assertThat(names).containsAll(rows);
    }

    @Test
    void everyTestThatAPageNamesExists() throws IOException {
        Map<String, String> tests = new TreeMap<>();
        for (Path file : sources("src/test/java")) {
            tests.put(name(file), Files.readString(file));
        }
        assertThat(DocumentationPages.matching(TEST)).allSatisfy(found -> {
            String[] name = found.text().replace("`", "").split("\\.", 2);
            assertThat(tests).as(found.place()).containsKey(name[0]);
            assertThat(tests.get(name[0]))
                    .as(found.toString())
                    .contains(name.length == 1 ? "" : "void " + name[1] + "(");
        });
    }

    /** A paragraph, an item of a list or a row of a table. */
    @Test
    void noParagraphOfThePagesIsLong() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path page : DocumentationPages.all()) {
            boolean fenced = false;
            int words = 0;
            int number = 0;
            for (String line : Files.readAllLines(page)) {
                number++;
                fenced ^= line.startsWith("```");
                boolean starts = fenced
                        || line.isBlank()
                        || line.startsWith("#")
                        || line.startsWith("|")
                        || line.strip().startsWith("- ")
                        || line.strip().matches("\\d+\\. .*");
                words = starts ? 0 : words;
                words += fenced || line.isBlank() ? 0 : WHITE_SPACE.split(line.strip()).length;
                if (words > MOST_WORDS) {
                    tooLong.add(DocumentationPages.ROOT.relativize(page) + ":" + number + ": " + words + " words");
                }
            }
        }
        assertThat(tooLong).isEmpty();
    }

    private static List<Path> sources() throws IOException {
        return sources("src/main/java");
    }

    private static List<Path> sources(String folder) throws IOException {
        try (Stream<Path> modules = Files.walk(DocumentationPages.ROOT, 2)) { // integrations have folders of their own
            List<Path> found = new ArrayList<>();
            for (Path module : modules.toList()) {
                Path main = module.resolve(folder);
                boolean example = module.startsWith(DocumentationPages.ROOT.resolve("examples"));
                if (!example && Files.isDirectory(main)) {
                    try (Stream<Path> files = Files.walk(main)) {
                        files.filter(file -> file.toString().endsWith(".java")).forEach(found::add);
                    }
                }
            }
            return found;
        }
    }

    private static boolean isClass(Path file) {
        return !file.endsWith("package-info.java") && !file.endsWith("module-info.java");
    }

    private static Path folder(Path file) {
        return Objects.requireNonNull(file.getParent());
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName()).replace(".java", "");
    }
}
