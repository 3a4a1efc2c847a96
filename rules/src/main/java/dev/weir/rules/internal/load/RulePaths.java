package dev.weir.rules.internal.load;

import dev.weir.text.diagnostics.Diagnostic;
import dev.weir.text.diagnostics.Severity;
import dev.weir.text.message.FileErrors;
import dev.weir.text.message.PrintableText;
import dev.weir.text.yaml.YamlReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Rule files, and folders with their sub-folders. Names that begin with a dot are hidden and skipped. This includes the
 * {@code ..data} of a Kubernetes ConfigMap, whose files are read once, through the links beside it. Tests of rules beside
 * them are skipped too.
 */
public final class RulePaths {
    private static final int MAX_DEPTH = 8;
    private static final int MAX_FILES = 10_000;
    private static final int MOST_NAMED = 5;
    private static final long MAX_BYTES = 4L * YamlReader.MAX_BYTES;

    private static final Pattern TEST_FILE = Pattern.compile("(?i)\\.test\\.ya?ml$");
    private static final Pattern TESTS = Pattern.compile("(?m)^tests:");

    private final List<Path> roots;

    private RulePaths(List<Path> roots) {
        this.roots = List.copyOf(roots);
    }

    public static RulePaths at(Path path) {
        return new RulePaths(List.of(path));
    }

    public static RulePaths at(List<Path> paths) {
        return new RulePaths(paths);
    }

    /** Reads all files, within bounds; files that cannot be read are among the problems. */
    public RuleFilesSnapshot read() {
        List<Diagnostic> problems = new ArrayList<>();
        List<RuleDocument> files = new ArrayList<>();
        long left = MAX_BYTES;
        Path tests = null;
        for (Path each : paths(problems)) {
            try {
                byte[] bytes = bytes(each);
                left -= bytes.length;
                if (left < 0) {
                    problems.add(error(each, "more than " + (MAX_BYTES >> 20) + " MiB in all", ""));
                    break;
                }
                if (isTest(each, bytes)) {
                    tests = each;
                } else {
                    files.add(new RuleDocument(each.toString(), bytes));
                }
            } catch (TooLarge e) {
                String limit = "more than " + (YamlReader.MAX_BYTES >> 20) + " MiB";
                problems.add(error(each, limit, "split it into several files"));
            } catch (IOException e) {
                problems.add(error(each, "cannot be read: " + FileErrors.why(e), ""));
            }
        }
        if (tests != null && files.isEmpty() && problems.isEmpty()) {
            problems.add(error(tests, "tests, and no rules beside them", "expected: at least one rule file"));
        }
        return RuleFilesSnapshot.of(files, problems);
    }

    /** Returns the stamps of all files, which tell without reading them whether files have changed. */
    public List<FileStamp> stamps() {
        return paths(new ArrayList<>()).stream().map(FileStamp::of).toList();
    }

    private List<Path> paths(List<Diagnostic> problems) {
        Set<Path> found = new LinkedHashSet<>();
        Set<Path> seen = new HashSet<>();
        for (Path each : roots) {
            if (Files.isDirectory(each)) {
                found.addAll(in(each, seen, problems));
            } else {
                found.add(each);
            }
        }
        return List.copyOf(found);
    }

    private static Set<Path> in(Path folder, Set<Path> seen, List<Diagnostic> problems) {
        Set<Path> found = new TreeSet<>();
        List<Path> others = new ArrayList<>();
        try {
            collect(folder, found, others, seen, MAX_DEPTH);
            if (!others.isEmpty()) {
                problems.add(notRead(folder, others));
            }
            if (found.isEmpty()) {
                problems.add(error(folder, "no *.yaml in this folder", "expected: at least one rule file"));
            }
        } catch (IOException e) {
            problems.add(error(folder, "cannot be read: " + FileErrors.why(e), ""));
        }
        return found;
    }

    /** Collects the rule files of a folder. Links are followed, and a file behind two links is read once. */
    private static void collect(Path folder, Set<Path> found, List<Path> others, Set<Path> seen, int depth)
            throws IOException {
        if (!seen.add(folder.toRealPath())) {
            return;
        }
        if (depth == 0) {
            throw new IOException(
                    PrintableText.printable(folder.toString()) + " is more than " + (MAX_DEPTH - 1) + " folders deep");
        }
        Set<Path> entries = new TreeSet<>();
        try (DirectoryStream<Path> listing = Files.newDirectoryStream(folder)) {
            for (Path each : listing) {
                entries.add(each);
            }
        }
        for (Path each : entries) {
            String name = String.valueOf(each.getFileName());
            if (name.startsWith(".")) {
                continue;
            }
            if (Files.isDirectory(each)) {
                collect(each, found, others, seen, depth - 1);
            } else if (!isRuleFile(name)) {
                if (Files.isRegularFile(each)) {
                    others.add(each);
                }
            } else if (!Files.exists(each) || seen.add(each.toRealPath())) {
                if (found.size() == MAX_FILES) {
                    throw new IOException("more than " + MAX_FILES + " files");
                }
                found.add(each);
            }
        }
    }

    /**
     * Warns of files with other names. envoyproxy/ratelimit reads every file of a folder, so its users may have such
     * files.
     */
    private static Diagnostic notRead(Path folder, List<Path> files) {
        String names = files.stream()
                .limit(MOST_NAMED)
                .map(each -> folder.relativize(each).toString())
                .collect(Collectors.joining(", "));
        String more = files.size() > MOST_NAMED ? " and " + (files.size() - MOST_NAMED) + " more" : "";
        String message = PrintableText.printable("not read: " + names + more);
        return new Diagnostic(folder.toString(), 0, 0, Severity.WARNING, message, "only *.yaml and *.yml are read");
    }

    private static boolean isRuleFile(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.endsWith(".yaml") || lower.endsWith(".yml");
    }

    /** Whether a file with this name may hold tests of rules, which {@code weir test} reads. */
    public static boolean isTestFile(String name) {
        return TEST_FILE.matcher(name).find();
    }

    /** Whether a file of a folder has tests: both its name and its contents say so, lest rules with that name are lost. */
    private boolean isTest(Path file, byte[] bytes) {
        return !roots.contains(file)
                && isTestFile(String.valueOf(file.getFileName()))
                && TESTS.matcher(new String(bytes, StandardCharsets.UTF_8)).find();
    }

    /** Reads a file. A file that is too large, or grows past the bound while it is read, is refused. */
    private static byte[] bytes(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new IOException("not a file");
        }
        if (Files.size(file) > YamlReader.MAX_BYTES) {
            throw new TooLarge();
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(YamlReader.MAX_BYTES + 1);
            if (bytes.length > YamlReader.MAX_BYTES) {
                throw new TooLarge();
            }
            return bytes;
        }
    }

    private static final class TooLarge extends IOException {
        private static final long serialVersionUID = 1L;
    }

    private static Diagnostic error(Path file, String message, String hint) {
        return new Diagnostic(file.toString(), 0, 0, Severity.ERROR, message, hint);
    }
}
