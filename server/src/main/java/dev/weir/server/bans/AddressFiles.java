package dev.weir.server.bans;

import dev.weir.Request;
import dev.weir.internal.ban.AddressScores;
import dev.weir.internal.ban.BanSet;
import dev.weir.internal.match.override.ReputationLookup;
import dev.weir.internal.runtime.DaemonThreads;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.metrics.ServerMetrics;
import dev.weir.server.settings.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Follows the files of {@code ban_lists} and {@code reputation_lists}, on a thread of its own: to read a million lines
 * takes a second.
 */
public final class AddressFiles implements ReputationLookup, AutoCloseable {
    private static final int POLL_MILLIS = 500;

    private final List<AddressFile<BanSet>> bans = new ArrayList<>();
    private final List<AddressFile<AddressScores>> reputations = new ArrayList<>();
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("weir-address-files"));
    /** The scores of each reputation list. */
    private volatile AddressScores[] scores;

    private volatile Predicate<Request> exempt = request -> false;

    /**
     * Reads the files.
     *
     * @throws StartException if one cannot be read, or a line is wrong
     */
    public AddressFiles(Settings.Trust settings) throws StartException {
        for (Settings.BanList each : settings.banLists()) {
            bans.add(read("ban_lists", each.file(), new BanListFormat(each)));
        }
        for (Path each : settings.reputationLists()) {
            reputations.add(read("reputation_lists", each, new ReputationFormat()));
        }
        scores = scores();
    }

    private <T> AddressFile<T> read(String setting, Path file, AddressFile.Format<T> format) throws StartException {
        try {
            return new AddressFile<>(file, format);
        } catch (IOException e) {
            timer.shutdownNow();
            throw new StartException(setting + ": " + e.getMessage(), e);
        }
    }

    /** Calls {@code changed} whenever a ban list has new addresses. Scores are looked up as they are. */
    void follow(Runnable changed) {
        if (!bans.isEmpty() || !reputations.isEmpty()) {
            var unused =
                    timer.scheduleWithFixedDelay(() -> poll(changed), POLL_MILLIS, POLL_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void poll(Runnable changed) {
        boolean banned = false;
        for (AddressFile<BanSet> each : bans) {
            banned |= each.poll();
        }
        boolean scored = false;
        for (AddressFile<AddressScores> each : reputations) {
            scored |= each.poll();
        }
        if (scored) {
            scores = scores();
        }
        if (banned) {
            changed.run();
        }
    }

    private AddressScores[] scores() {
        return reputations.stream().map(AddressFile::content).toArray(AddressScores[]::new);
    }

    /** The addresses of each ban list. */
    List<BanSet> sets() {
        return bans.stream().map(AddressFile::content).toList();
    }

    /** Sets the test for callers on an allow list, who have no reputation. */
    void exempt(Predicate<Request> exempt) {
        this.exempt = exempt;
    }

    /** The worst score of the caller in any list. */
    @Override
    public int score(Request request) {
        int worst = 0;
        for (AddressScores each : scores) {
            worst = Math.max(worst, each.score(request));
        }
        return worst > 0 && exempt.test(request) ? 0 : worst;
    }

    void addTo(ServerMetrics metrics) {
        metrics.gauge("ratelimit.ban.list.entries", "Addresses and blocks in the ban lists.", () -> size(bans))
                .gauge(
                        "ratelimit.ban.lists.current",
                        "1 if every ban list in force is the one on disk; 0 if the last edit of one had errors.",
                        () -> current(bans))
                .gauge(
                        "ratelimit.reputation.list.entries",
                        "Addresses and blocks in the reputation lists.",
                        () -> size(reputations))
                .gauge(
                        "ratelimit.reputation.lists.current",
                        "1 if every reputation list in force is the one on disk; 0 if the last edit of one had errors.",
                        () -> current(reputations));
    }

    private static <T> long size(List<AddressFile<T>> files) {
        return files.stream().mapToLong(AddressFile::size).sum();
    }

    private static <T> int current(List<AddressFile<T>> files) {
        return files.stream().allMatch(AddressFile::isCurrent) ? 1 : 0;
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
