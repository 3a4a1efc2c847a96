package dev.weir.control.source;

import dev.weir.internal.runtime.DaemonThreads;
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

/** All rule sources that are followed over the network, lowest layer first. */
public final class NetworkSources implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(NetworkSources.class.getName());
    private static final long PATIENCE_MILLIS = 2_000;
    private static final long SAVE_MILLIS = 1_000;

    private final SourceSettings settings;
    private final List<SourceRules> all = new ArrayList<>();
    private final List<SourceFollower> followers = new ArrayList<>();
    private final List<SourceCopyWriter> copyWriters = new ArrayList<>();
    private final @Nullable ScheduledExecutorService timer;

    private NetworkSources(
            SourceSettings settings,
            Function<SourceAddress, SourceProtocol> protocols,
            LoadOptions options,
            @Nullable Path data) {
        this.settings = settings;
        for (SourceAddress each : settings.addresses()) {
            SourceCopyWriter copyWriter =
                    new SourceCopyWriter(each.label(), data == null ? null : new SourceCopy(data, each.label()));
            copyWriters.add(copyWriter);
            SourceProtocol protocol = protocols.apply(each);
            SourceRules rules = new SourceRules(each.label(), protocol, options, copyWriter);
            all.add(rules);
            followers.add(new SourceFollower(
                    rules, protocol, settings.retry(), each.hosts().size()));
        }
        timer = data == null || all.isEmpty()
                ? null
                : Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("weir-rules-copy"));
    }

    /**
     * Connects to all sources, and returns when each has rules in force: its own, or the copy of them if the source is
     * unreachable.
     *
     * @param data the folder for copies; null: none are written
     * @throws IOException if the rules of a source do not load, or the source is unreachable and there is no copy; the
     *     message is for people
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

    /** Returns every source, lowest layer first. */
    public List<SourceRules> all() {
        return List.copyOf(all);
    }

    private void begin() throws IOException {
        followers.forEach(SourceFollower::start);
        long deadline = System.nanoTime() + settings.patience().toNanos();
        try {
            for (SourceRules each : all) {
                await(each, deadline);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for rules", e);
        }
        if (timer != null) {
            var unused = timer.scheduleWithFixedDelay(
                    () -> copyWriters.forEach(SourceCopyWriter::save), SAVE_MILLIS, SAVE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void await(SourceRules rules, long deadline) throws IOException, InterruptedException {
        boolean received = rules.awaitFirst(Math.min(PATIENCE_MILLIS, millisUntil(deadline)));
        if (!received && (rules.restore() || !settings.required())) {
            if (rules.status().changed() == null) {
                LOG.log(Level.ERROR, "starting without the rules of " + rules.label() + ": " + why(rules));
            }
            return;
        }
        if (!received && millisUntil(deadline) > 0) {
            LOG.log(Level.WARNING, "waiting for the rules of " + rules.label() + ": " + why(rules));
            received = rules.awaitFirst(millisUntil(deadline));
        }
        if (!received) {
            throw new IOException("no rules from " + rules.label() + " in "
                    + settings.patience().toSeconds() + " s (rules_wait): " + why(rules)
                    + ".\nThere is no copy of them to start with (with --data, Weir keeps one)");
        }
        if (!rules.errors().isEmpty()) {
            throw new IOException(
                    "the rules of " + rules.label() + " do not load:\n" + SourceRules.lines(rules.errors()));
        }
    }

    private static String why(SourceRules rules) {
        String problem = rules.status().problem();
        return problem.isEmpty() ? "it has sent none yet" : problem;
    }

    private static long millisUntil(long deadline) {
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
    }

    @Override
    public void close() {
        followers.forEach(SourceFollower::close);
        if (timer != null) {
            timer.shutdown();
            awaitWritten(timer);
            copyWriters.forEach(SourceCopyWriter::save);
        }
    }

    private static void awaitWritten(ScheduledExecutorService timer) {
        try {
            if (!timer.awaitTermination(SAVE_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.log(Level.WARNING, "the copy of the rules is still being written");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
