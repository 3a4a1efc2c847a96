package dev.weir.server.bans;

import dev.weir.internal.ban.BanSet;
import dev.weir.internal.runtime.DaemonThreads;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.metrics.ServerMetrics;
import dev.weir.server.settings.Settings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Follows the files of {@code ban_lists}, on a thread of its own: to read a million lines takes a second. */
public final class BanLists implements AutoCloseable {
    private static final int POLL_MILLIS = 500;

    private final List<BanListFile> files = new ArrayList<>();
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("weir-ban-lists"));

    /**
     * Reads the files.
     *
     * @throws StartException if one cannot be read, or a line is wrong
     */
    public BanLists(List<Settings.BanList> settings) throws StartException {
        for (Settings.BanList each : settings) {
            try {
                files.add(new BanListFile(each));
            } catch (IOException e) {
                timer.shutdownNow();
                throw new StartException("ban_lists: " + e.getMessage(), e);
            }
        }
    }

    /** Calls {@code changed} whenever a file has new addresses. */
    void follow(Runnable changed) {
        if (!files.isEmpty()) {
            var unused =
                    timer.scheduleWithFixedDelay(() -> poll(changed), POLL_MILLIS, POLL_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void poll(Runnable changed) {
        boolean any = false;
        for (BanListFile each : files) {
            any |= each.poll();
        }
        if (any) {
            changed.run();
        }
    }

    /** The addresses of each file. */
    List<BanSet> sets() {
        return files.stream().map(BanListFile::set).toList();
    }

    void addTo(ServerMetrics metrics) {
        metrics.gauge(
                        "ratelimit.ban.list.entries",
                        "Addresses and blocks in the ban lists.",
                        () -> files.stream()
                                .mapToLong(each -> each.set().size())
                                .sum())
                .gauge(
                        "ratelimit.ban.lists.current",
                        "1 if every ban list in force is the one on disk; 0 if the last edit of one had errors.",
                        () -> files.stream().allMatch(BanListFile::isCurrent) ? 1 : 0);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
