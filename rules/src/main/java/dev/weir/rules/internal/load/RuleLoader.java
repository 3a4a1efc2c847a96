package dev.weir.rules.internal.load;

import dev.weir.rules.internal.grammar.RuleFile;
import dev.weir.text.diagnostics.Diagnostic;
import dev.weir.text.diagnostics.DiagnosticCollector;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Loads rules from a file or a folder.
 *
 * <pre>{@code
 * LoadResult loaded = RuleLoader.load(Path.of("rules.yaml"));
 * loaded.diagnostics().forEach(System.err::println); // rules.yaml:12:9: unknown algorithm 'token_buket' (did you …
 * }</pre>
 */
public final class RuleLoader {
    private static final String EXAMPLE = "example.yaml";

    private RuleLoader() {}

    /** Loads a file, or every {@code *.yaml} and {@code *.yml} in a folder, with one domain per file. */
    public static LoadResult load(Path source) {
        return load(source, LoadOptions.DEFAULT);
    }

    /** Loads a file, or every {@code *.yaml} and {@code *.yml} in a folder. */
    public static LoadResult load(Path source, LoadOptions options) {
        return loadAll(List.of(source), options);
    }

    /** Loads files and folders that form one source. */
    public static LoadResult loadAll(List<Path> sources, LoadOptions options) {
        return load(RulePaths.at(sources).read(), options);
    }

    /** Loads documents that form one source, in this order. */
    public static LoadResult load(List<RuleDocument> documents, LoadOptions options) {
        return load(RuleFilesSnapshot.of(documents, List.of()), options);
    }

    /** Loads the text of one file; diagnostics show {@code fileName}. */
    public static LoadResult parse(String fileName, String text) {
        return parse(fileName, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Loads the bytes of one file; diagnostics show {@code fileName}. */
    public static LoadResult parse(String fileName, byte[] bytes) {
        return load(RuleFilesSnapshot.of(fileName, bytes), LoadOptions.DEFAULT);
    }

    /** Loads the rules of a server without rules of its own: one domain that shows the main features. */
    public static LoadResult example() {
        return parse(EXAMPLE, exampleText());
    }

    /** The text of {@link #example}. */
    public static String exampleText() {
        try (InputStream in = RuleLoader.class.getResourceAsStream(EXAMPLE)) {
            if (in == null) {
                throw new IllegalStateException(EXAMPLE + " is not on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Loads files that were read already and form one source. */
    public static LoadResult load(RuleFilesSnapshot contents, LoadOptions options) {
        DomainMerger domains = new DomainMerger(options);
        List<DiagnosticCollector> files = new ArrayList<>();
        for (RuleDocument file : contents.files()) {
            DiagnosticCollector problems = new DiagnosticCollector(file.name(), file.places());
            files.add(problems);
            RuleFile read = RuleFile.read(
                    file.bytes(), problems, options.names(), options.calendarMonths(), options.endpointForm());
            if (read != null) {
                domains.add(read);
            }
        }
        domains.finish();
        List<Diagnostic> diagnostics = new ArrayList<>(contents.problems());
        files.forEach(each -> diagnostics.addAll(each.all()));
        boolean wrong = diagnostics.stream().anyMatch(Diagnostic::isError);
        return new LoadResult(
                wrong ? null : domains.ruleSet(), diagnostics, contents.files().size());
    }
}
