package dev.weir.server.history;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The minutes of 14 days in the data folder, in {@code history/minutes-SECOND.bin}. The oldest files are deleted when
 * they are too old, or when all of them take more than the budget. If a file cannot be written, its minutes are lost, and
 * that is said.
 */
public final class HistoryFiles {
    private static final System.Logger LOG = System.getLogger(HistoryFiles.class.getName());
    private static final int MINUTE = 60;
    private static final int SEGMENTS = 16;

    private final Path folder;
    private final long budget;
    private final List<HistorySegment> segments = new ArrayList<>();
    private @Nullable HistorySegment current;
    private long started;
    private boolean startIsWritten;
    private boolean failing;
    private long lost;
    private long deletedBefore;

    private HistoryFiles(Path folder, long budget) {
        this.folder = folder;
        this.budget = budget;
    }

    /** Opens the files in {@code folder}, which need not exist; {@code budget} is in bytes. */
    public static HistoryFiles open(Path folder, long budget) {
        HistoryFiles files = new HistoryFiles(folder, budget);
        try {
            Files.createDirectories(folder);
            List<Path> found = new ArrayList<>();
            try (DirectoryStream<Path> each = Files.newDirectoryStream(folder, "minutes-*.bin")) {
                each.forEach(found::add);
            }
            Collections.sort(found);
            for (Path each : found) {
                HistorySegment segment = HistorySegment.open(each);
                if (segment != null && segment.size() > 0) {
                    files.segments.add(segment);
                } else if (segment != null) {
                    segment.delete();
                }
            }
            files.segments.sort(Comparator.comparingLong(each -> each.minute(0)));
        } catch (IOException e) {
            files.failed(e);
        }
        return files;
    }

    /** Notes that this server started at {@code second}; it is written with its first minute. */
    synchronized void started(long second) {
        started = second;
    }

    synchronized void write(long minute, RuleHistory total, List<RuleHistory> rules) {
        try {
            HistorySegment to = current;
            if (to != null && to.bytes() > budget / SEGMENTS) {
                to = null; // it stays open for reading
            }
            if (to == null) {
                to = HistorySegment.create(
                        folder.resolve(
                                String.format("minutes-%012d-%s.bin", minute, Long.toString(System.nanoTime(), 36))),
                        started,
                        startIsWritten);
                startIsWritten = true;
                current = to;
                segments.add(to);
            }
            to.write(minute, total.minute.point(), rules);
            deleteOld(minute - (long) History.MINUTE_POINTS * MINUTE);
            if (failing) {
                failing = false;
                LOG.log(Level.INFO, "history is written to " + folder + " again");
            }
        } catch (IOException e) {
            lost++;
            current = null;
            failed(e);
        }
    }

    private void failed(IOException e) {
        if (!failing) {
            failing = true;
            LOG.log(
                    Level.WARNING,
                    "history cannot be kept in " + folder + ": " + e + "; the minutes until it can be are lost");
        }
    }

    private void deleteOld(long before) throws IOException {
        long sum = 0;
        for (HistorySegment each : segments) {
            sum += each.bytes();
        }
        while (segments.size() > 1) {
            HistorySegment oldest = segments.get(0);
            boolean old = oldest.minute(oldest.size() - 1) < before;
            if (!old && sum <= budget) {
                return;
            }
            if (!old) {
                deletedBefore = oldest.minute(oldest.size() - 1) + MINUTE;
            }
            segments.remove(0);
            sum -= oldest.bytes();
            oldest.delete();
        }
    }

    /** The minutes of the total, or of one rule; null if there is none of that rule. */
    @Nullable
    HistorySeries read(@Nullable String domain, @Nullable String rule, long since, long now) {
        String name = domain == null || rule == null ? null : HistorySegment.name(domain, rule);
        long end = Math.floorDiv(now, MINUTE);
        long first = Math.max(end - History.MINUTE_POINTS, Math.floorDiv(Math.max(0, since) + MINUTE - 1, MINUTE));
        int[] @Nullable [] points = new int[(int) Math.max(0, end - first)][];
        List<Long> restarts = new ArrayList<>();
        List<String> dropped = new ArrayList<>();
        boolean known = name == null;
        synchronized (this) {
            try {
                for (HistorySegment each : segments) {
                    known |= each.idOf(name) >= 0;
                    read(each, name, first, points);
                    if (each.started() >= first * MINUTE) {
                        restarts.add(each.started());
                    }
                }
            } catch (IOException e) {
                failed(e);
                dropped.add("Some files of the history cannot be read: " + e.getMessage());
            }
            if (!startIsWritten && started >= first * MINUTE) {
                restarts.add(started);
            }
            if (lost > 0) {
                dropped.add(lost + " minutes could not be written since the start; the log says why.");
            }
            if (deletedBefore > first * MINUTE) {
                dropped.add("Older history was deleted, to stay within history_disk.");
            }
        }
        return known
                ? new HistorySeries(
                        first * MINUTE, MINUTE, Collections.unmodifiableList(Arrays.asList(points)), restarts, dropped)
                : null;
    }

    private static void read(HistorySegment from, @Nullable String name, long first, int[] @Nullable [] into)
            throws IOException {
        int id = from.idOf(name);
        for (int i = 0; i < from.size(); i++) {
            long at = Math.floorDiv(from.minute(i), MINUTE) - first;
            if (at >= 0 && at < into.length) {
                int[] before = into[(int) at];
                int[] found = from.point(i, id);
                into[(int) at] = before == null ? (found == null ? nothing() : found) : sum(before, found);
            }
        }
    }

    private static int[] nothing() {
        int[] point = new int[HistoryColumn.COUNT];
        Arrays.fill(point, HistoryColumn.COUNTED, point.length, -1);
        return point;
    }

    /** The parts of a minute in which the server was restarted. */
    private static int[] sum(int[] one, int @Nullable [] other) {
        for (int i = 0; other != null && i < one.length; i++) {
            one[i] = i < HistoryColumn.COUNTED ? one[i] + other[i] : Math.max(one[i], other[i]);
        }
        return one;
    }

    /** The bytes of all files. */
    public synchronized long bytes() {
        return segments.stream().mapToLong(HistorySegment::bytes).sum();
    }

    synchronized void close() {
        for (HistorySegment each : segments) {
            try {
                each.close();
            } catch (IOException e) {
                LOG.log(Level.DEBUG, "closing a file of the history failed", e);
            }
        }
        segments.clear();
        current = null;
    }
}
