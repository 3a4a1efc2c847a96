package dev.weir.server.rules;

import dev.weir.internal.ruleset.RuleSet;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.rules.internal.load.RuleWatcher;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.settings.Settings;
import dev.weir.text.diagnostics.Diagnostic;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rules of the files: loads them once, and then whenever their files change. What cannot be loaded at the start stops
 * the server; later it changes nothing but the log and a count.
 */
public final class WatchedRuleFiles implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(WatchedRuleFiles.class.getName());
    private static final int SHOWN = 20;

    private final String source;
    private final @Nullable RuleWatcher watcher;
    private final RuleSet first;
    private final AtomicLong reloads = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private volatile boolean lastFailed;
    private volatile int count;
    private volatile long loadedAtNanos = System.nanoTime();
    private volatile Instant changed = Instant.now();
    private volatile Consumer<RuleSet> listener = rules -> {};

    /** Loads the rules that {@code settings} names. */
    public WatchedRuleFiles(Settings settings) throws StartException {
        LoadResult loaded;
        if (settings.isExample()) {
            source = "the example rules";
            watcher = null;
            loaded = RuleLoader.example();
        } else if (settings.rules().isEmpty()) {
            source = "";
            watcher = null;
            first = RuleSet.empty();
            return;
        } else {
            source = settings.rules().stream().map(Path::toString).collect(Collectors.joining(", "));
            watcher = new RuleWatcher(settings.rules(), options(settings), this::changed);
            loaded = watcher.load();
        }
        RuleSet rules = loaded.rules();
        if (rules == null) {
            throw new StartException("the rules do not load:\n" + lines(loaded.errors()));
        }
        first = rules;
        warn(loaded);
        describe("", rules);
    }

    /** How rules are read, wherever they come from. */
    public static LoadOptions options(Settings settings) {
        return new LoadOptions(settings.mergeDomains(), settings.stores().keySet());
    }

    public RuleSet first() {
        return first;
    }

    /** Which files, for people; empty if there are none. */
    String source() {
        return source;
    }

    /** Tells {@code next} of every rule set from now on. */
    public void follow(Consumer<RuleSet> next) {
        listener = next;
        if (watcher != null) {
            watcher.start();
        }
    }

    /** How many rules are in the files that are in force. */
    int count() {
        return count;
    }

    /** When these came into force. */
    Instant changed() {
        return changed;
    }

    public long reloads() {
        return reloads.get();
    }

    public long failures() {
        return failures.get();
    }

    /** Whether what stands in the files now is what is in force. */
    public boolean isCurrent() {
        return !lastFailed;
    }

    /** Seconds since the rules in force were loaded. */
    public double age() {
        return (System.nanoTime() - loadedAtNanos) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    private void changed(LoadResult loaded) {
        RuleSet rules = loaded.rules();
        if (rules == null) {
            failed();
            LOG.log(
                    Level.ERROR,
                    "rules changed and do not load; those of before stay in force:\n" + lines(loaded.errors()));
            return;
        }
        try {
            listener.accept(rules);
        } catch (RuntimeException e) {
            failed();
            LOG.log(Level.ERROR, "rules changed and load, but could not be put in force", e);
            return;
        }
        lastFailed = false;
        loadedAtNanos = System.nanoTime();
        changed = Instant.now();
        reloads.incrementAndGet();
        warn(loaded);
        describe("changed and in force, ", rules);
    }

    private void failed() {
        lastFailed = true;
        failures.incrementAndGet();
    }

    private void describe(String prefix, RuleSet rules) {
        count = rules.rules().size();
        if (count == 0) {
            LOG.log(Level.WARNING, "rules: none in " + source + ": NOTHING IS LIMITED");
            return;
        }
        String domains = rules.domains().stream().limit(SHOWN).collect(Collectors.joining(", "));
        LOG.log(
                Level.INFO,
                "rules: " + prefix + count + " in " + (rules.domains().size() == 1 ? "domain " : "domains ") + domains
                        + ", from " + source);
    }

    private static void warn(LoadResult loaded) {
        List<Diagnostic> warnings = loaded.warnings();
        if (!warnings.isEmpty()) {
            LOG.log(Level.WARNING, "about the rules:\n" + lines(warnings));
        }
    }

    private static String lines(List<Diagnostic> diagnostics) {
        String lines =
                diagnostics.stream().limit(SHOWN).map(Diagnostic::toString).collect(Collectors.joining("\n"));
        int more = diagnostics.size() - SHOWN;
        return more > 0 ? lines + "\n… and " + more + " more (weir validate shows all)" : lines;
    }

    @Override
    public void close() {
        if (watcher != null) {
            watcher.close();
        }
    }
}
