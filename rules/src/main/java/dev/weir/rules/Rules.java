package dev.weir.rules;

import dev.weir.RuleSet;
import dev.weir.RuleSource;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.ruleset.FormAwareRuleSource;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.rules.internal.load.RuleWatcher;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/**
 * Reads rules in YAML for {@code Weir.open}: from a watched file or folder, or from a text.
 *
 * <pre>{@code
 * Weir weir = Weir.open(Rules.file(Path.of("rules.yaml")));
 * }</pre>
 *
 * <p>All mistakes are reported at once, each as {@code file:line:column: message}. Opening a {@code Weir} with invalid
 * rules throws {@link IllegalArgumentException}. If a later edit is invalid, the last good rules stay in force.
 * Warnings go to the log.
 */
public final class Rules {
    private static final System.Logger LOG = System.getLogger("dev.weir.rules");

    private Rules() {}

    /**
     * Returns the rules in {@code file}. They are loaded when a {@code Weir} opens, and again within a second of a
     * change.
     */
    public static RuleSource file(Path file) {
        return new WatchedFiles(file, false);
    }

    /**
     * Returns the rules in every {@code *.yaml} and {@code *.yml} of {@code folder}, one domain per file; watched like
     * {@link #file}.
     */
    public static RuleSource folder(Path folder) {
        return new WatchedFiles(folder, true);
    }

    /**
     * Parses the rules in {@code text}.
     *
     * @throws IllegalArgumentException if they are invalid; the message has every error, one per line
     */
    public static RuleSet yaml(String text) {
        return yaml("yaml", text);
    }

    /**
     * Parses the rules in {@code text}; errors begin with {@code source}, the place that the text comes from.
     *
     * @throws IllegalArgumentException if they are invalid; the message has every error, one per line
     */
    public static RuleSet yaml(String source, String text) {
        LoadResult read = RuleLoader.parse(source, text);
        warn(read);
        return read.orThrow();
    }

    private static void warn(LoadResult read) {
        read.warnings().forEach(each -> LOG.log(Level.WARNING, each.toString()));
    }

    /** A file or folder as a {@link RuleSource}. */
    private record WatchedFiles(Path path, boolean isFolder) implements FormAwareRuleSource {

        @Override
        public Subscription follow(Listener listener, EndpointForm form) {
            if (Files.exists(path) && Files.isDirectory(path) != isFolder) {
                String expected =
                        isFolder ? "a folder; Rules.file reads a file" : "a file; Rules.folder reads a folder";
                throw new IllegalArgumentException("rules: " + path + " (expected: " + expected + ")");
            }
            RuleWatcher watcher =
                    new RuleWatcher(path, LoadOptions.DEFAULT.in(form), changed -> tell(changed, listener));
            LoadResult first = watcher.load();
            warn(first);
            listener.changed(first.orThrow());
            watcher.start();
            return watcher::close;
        }

        private static void tell(LoadResult changed, Listener listener) {
            warn(changed);
            if (changed.isLoaded()) {
                listener.changed(changed.orThrow());
            } else {
                listener.rejected(
                        changed.errors().stream().map(Object::toString).collect(Collectors.joining("\n")));
            }
        }

        @Override
        public String toString() {
            return path.toString();
        }
    }
}
