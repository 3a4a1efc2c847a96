package dev.weir.control.source;

import dev.weir.rules.internal.load.LoadOptions;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** All sources of rules that are followed over a network, the lower layer first. */
public final class NetworkSources implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(NetworkSources.class.getName());
    private static final long PATIENCE_MILLIS = 2_000;
    private static final long SAVE_MILLIS = 1_000;

    private final SourceSettings settings;
    private final List<SourceRules> all = new ArrayList<>();
    private final List<SourceFollower> loops = new ArrayList<>();
    private final List<SourceCopyWriter> keepers = new ArrayList<>();
    private final @Nullable ScheduledExecutorService keeping;

    private NetworkSources(
            SourceSettings settings,
            Function<SourceAddress, SourceProtocol> protocols,
            LoadOptions options,
            @Nullable Path data) {
        this.settings = settings;
        for (SourceAddress each : settings.addresses()) {
            SourceCopyWriter keeper =
                    new SourceCopyWriter(each.label(), data == null ? null : new SourceCopy(data, each.label()));
            keepers.add(keeper);
            SourceProtocol protocol = protocols.apply(each);
            SourceRules rules = new SourceRules(each.label(), protocol, options, keeper);
            all.add(rules);
            loops.add(new SourceFollower(
                    rules, protocol, settings.retry(), each.hosts().size()));
        }
        keeping = data == null || all.isEmpty()
                ? null
                : Executors.newSingleThreadScheduledExecutor(work -> {
                    Thread thread = new Thread(work, "weir-rules-keeper");
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /**
     * Connects to all sources, and returns when each has rules in force: its own, or, while it is away, the copy of them.
     *
     * @param data where copies are kept; null: nowhere
     * @throws IOException if what a source holds does not load, or it is away and there is no copy; for people
     */
    public static NetworkSources open(
            SourceSettings settings,
            Function<SourceAddress, SourceProtocol> protocols,
            LoadOptions options,
            @Nullable Path data)
            throws IOException {
        NetworkSources sources = new NetworkSources(settings, protocols, options, data);
        try {
            sources.begin();
            return sources;
        } catch (IOException | RuntimeException e) {
            sources.close();
            throw e;
        }
    }

    /** Every source, the lower layer first. */
    public List<SourceRules> all() {
        return List.copyOf(all);
    }

    private void begin() throws IOException {
        loops.forEach(SourceFollower::start);
        long deadline = System.nanoTime() + settings.patience().toNanos();
        try {
            for (SourceRules each : all) {
                await(each, deadline);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for rules", e);
        }
        if (keeping != null) {
            var unused = keeping.scheduleWithFixedDelay(
                    () -> keepers.forEach(SourceCopyWriter::save), SAVE_MILLIS, SAVE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void await(SourceRules rules, long deadline) throws IOException, InterruptedException {
        boolean heard = rules.awaitFirst(Math.min(PATIENCE_MILLIS, millisUntil(deadline)));
        if (!heard && (rules.restore() || !settings.required())) {
            if (rules.status().changed() == null) {
                LOG.log(Level.ERROR, "starting without the rules of " + rules.label() + ": " + why(rules));
            }
            return;
        }
        if (!heard && millisUntil(deadline) > 0) {
            LOG.log(Level.WARNING, "waiting for the rules of " + rules.label() + ": " + why(rules));
            heard = rules.awaitFirst(millisUntil(deadline));
        }
        if (!heard) {
            throw new IOException("no rules from " + rules.label() + " in "
                    + settings.patience().toSeconds() + " s (rules_wait): " + why(rules)
                    + ".\nThere is no copy of them to start with: with --data, one is kept");
        }
        if (!rules.errors().isEmpty()) {
            throw new IOException(
                    "the rules of " + rules.label() + " do not load:\n" + SourceRules.lines(rules.errors()));
        }
    }

    private static String why(SourceRules rules) {
        String problem = rules.status().problem();
        return problem.isEmpty() ? "it has sent none so far" : problem;
    }

    private static long millisUntil(long deadline) {
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
    }

    @Override
    public void close() {
        loops.forEach(SourceFollower::close);
        if (keeping != null) {
            keeping.shutdown();
            awaitWritten(keeping);
            keepers.forEach(SourceCopyWriter::save);
        }
    }

    private static void awaitWritten(ScheduledExecutorService keeping) {
        try {
            if (!keeping.awaitTermination(SAVE_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.log(Level.WARNING, "the copy of the rules is still being written");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
