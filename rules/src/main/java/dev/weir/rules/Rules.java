package dev.weir.rules;

import dev.weir.RuleSet;
import dev.weir.RuleSource;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.rules.internal.load.RuleWatcher;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/**
 * Rules in YAML, for {@code Weir.open}: a file or a folder that is watched, or a text.
 *
 * <pre>{@code
 * Weir weir = Weir.open(Rules.file(Path.of("rules.yaml")));
 * }</pre>
 *
 * <p>All mistakes are reported at once, each as {@code file:line:column: message}. Mistakes in the rules that a {@code Weir} is opened
 * with are an {@link IllegalArgumentException}; mistakes in a later edit leave the last good rules in force. Warnings go to the log.
 */
public final class Rules {
    private static final System.Logger LOG = System.getLogger("dev.weir.rules");

    private Rules() {}

    /** The rules in {@code file}, which is loaded when a {@code Weir} is opened, and again within a second when it changes. */
    public static RuleSource file(Path file) {
        return new WatchedFiles(file, false);
    }

    /** The rules in every {@code *.yaml} and {@code *.yml} of {@code folder}, one domain a file; watched as {@link #file} is. */
    public static RuleSource folder(Path folder) {
        return new WatchedFiles(folder, true);
    }

    /**
     * The rules that {@code text} holds.
     *
     * @throws IllegalArgumentException if they are wrong; the message holds every error, one a line
     */
    public static RuleSet yaml(String text) {
        LoadResult read = RuleLoader.parse("yaml", text);
        warn(read);
        return read.orThrow();
    }

    private static void warn(LoadResult read) {
        read.warnings().forEach(each -> LOG.log(Level.WARNING, each.toString()));
    }

    /** A file or folder as a {@link RuleSource}. */
    private record WatchedFiles(Path path, boolean isFolder) implements RuleSource {

        @Override
        public Subscription follow(Listener listener) {
            if (Files.exists(path) && Files.isDirectory(path) != isFolder) {
                String expected =
                        isFolder ? "a folder; Rules.file reads a file" : "a file; Rules.folder reads a folder";
                throw new IllegalArgumentException("rules: " + path + " (expected: " + expected + ")");
            }
            RuleWatcher watcher = new RuleWatcher(path, LoadOptions.DEFAULT, changed -> tell(changed, listener));
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
