package dev.weir.server.rules;

import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.rules.internal.load.RuleWatcher;
import dev.weir.server.demo.DemoRules;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.metrics.ServerMetrics;
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
 * Loads the rule files at the start, and again whenever they change. An invalid file stops the start; later it is only
 * logged and counted.
 */
public final class WatchedRuleFiles implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(WatchedRuleFiles.class.getName());
    private static final int MAX_LOGGED = 20;

    private final String source;
    private final @Nullable RuleWatcher watcher;
    private final WrittenRules first;
    private final AtomicLong reloads = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private volatile boolean lastFailed;
    private volatile int count;
    private volatile long loadedAtNanos = System.nanoTime();
    private volatile Instant changed = Instant.now();
    private volatile Consumer<WrittenRules> listener = rules -> {};

    /** Loads the rules that {@code settings} names. */
    public WatchedRuleFiles(Settings settings) throws StartException {
        LoadResult loaded;
        if (settings.isExample()) {
            source = "the example rules";
            watcher = null;
            loaded = RuleLoader.example();
        } else if (settings.demo()) {
            source = "the demo";
            watcher = null;
            loaded = RuleLoader.parse(DemoRules.FILE, DemoRules.text());
        } else if (settings.rules().isEmpty()) {
            source = "";
            watcher = null;
            first = WrittenRules.empty();
            return;
        } else {
            source = settings.rules().stream().map(Path::toString).collect(Collectors.joining(", "));
            watcher = new RuleWatcher(settings.rules(), options(settings), this::changed);
            loaded = watcher.load();
        }
        WrittenRules rules = loaded.rules();
        if (rules == null) {
            throw new StartException("the rules do not load:\n" + joined(loaded.errors()));
        }
        first = rules;
        warn(loaded);
        describe("", rules);
    }

    /** The load options for rules of every source. */
    public static LoadOptions options(Settings settings) {
        return new LoadOptions(
                settings.mergeDomains(),
                settings.namedStores(),
                settings.calendarMonths(),
                settings.limiter().endpointForm(),
                settings.regions().forRules());
    }

    WrittenRules first() {
        return first;
    }

    /** The names of the files, for people; empty if there are none. */
    String source() {
        return source;
    }

    /** Calls {@code next} with every rule set that is loaded from now on. */
    void follow(Consumer<WrittenRules> next) {
        listener = next;
        if (watcher != null) {
            watcher.start();
        }
    }

    /** The number of rules of the files that are in force. */
    int count() {
        return count;
    }

    /** When the rules of the files came into force. */
    Instant changed() {
        return changed;
    }

    long reloads() {
        return reloads.get();
    }

    long failures() {
        return failures.get();
    }

    /** Whether the present contents of the files are in force. */
    boolean isCurrent() {
        return !lastFailed;
    }

    /** Seconds since the rules in force were loaded. */
    double age() {
        return (System.nanoTime() - loadedAtNanos) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    void addTo(ServerMetrics metrics) {
        metrics.gauge("ratelimit.rules.age.seconds", "Seconds since the rules in force were loaded.", this::age)
                .gauge(
                        "ratelimit.rules.current",
                        "1 if the present contents of the rule files are in force, 0 if they do not load.",
                        () -> isCurrent() ? 1 : 0)
                .counter("ratelimit.rules.reloads", "Changes of the rule files that came into force.", this::reloads)
                .counter(
                        "ratelimit.rules.reload.failures",
                        "Changes of the rule files that did not load; the previous rules stayed in force.",
                        this::failures);
    }

    private void changed(LoadResult loaded) {
        WrittenRules rules = loaded.rules();
        if (rules == null) {
            failed();
            LOG.log(
                    Level.ERROR,
                    "rules changed but do not load; the previous rules stay in force:\n" + joined(loaded.errors()));
            return;
        }
        try {
            listener.accept(rules);
        } catch (RuntimeException e) {
            failed();
            LOG.log(Level.ERROR, "rules changed and loaded, but could not be put in force; the previous rules stay", e);
            return;
        }
        lastFailed = false;
        loadedAtNanos = System.nanoTime();
        changed = Instant.now();
        reloads.incrementAndGet();
        warn(loaded);
        describe("changed and now in force, ", rules);
    }

    private void failed() {
        lastFailed = true;
        failures.incrementAndGet();
    }

    private void describe(String prefix, WrittenRules rules) {
        count = rules.rules().size();
        if (count == 0) {
            LOG.log(Level.WARNING, "rules: none in " + source + ": NOTHING IS LIMITED");
            return;
        }
        String domains = rules.domains().stream().limit(MAX_LOGGED).collect(Collectors.joining(", "));
        LOG.log(
                Level.INFO,
                "rules: " + prefix + count + " in " + (rules.domains().size() == 1 ? "domain " : "domains ") + domains
                        + ", from " + source);
    }

    private static void warn(LoadResult loaded) {
        List<Diagnostic> warnings = loaded.warnings();
        if (!warnings.isEmpty()) {
            LOG.log(Level.WARNING, "rules: warnings:\n" + joined(warnings));
        }
    }

    private static String joined(List<Diagnostic> diagnostics) {
        String text =
                diagnostics.stream().limit(MAX_LOGGED).map(Diagnostic::toString).collect(Collectors.joining("\n"));
        int more = diagnostics.size() - MAX_LOGGED;
        return more > 0 ? text + "\n… and " + more + " more (weir validate shows all)" : text;
    }

    @Override
    public void close() {
        if (watcher != null) {
            watcher.close();
        }
    }
}
