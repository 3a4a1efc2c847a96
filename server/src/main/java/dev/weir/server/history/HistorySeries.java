package dev.weir.server.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Points of history, one for each interval of {@code step} seconds.
 *
 * @param from the beginning of the first interval, seconds since the epoch
 * @param points by {@link HistoryColumn}; null where this server has no data
 * @param restarts when this server started, within the time of the points
 * @param dropped says what is missing, for people
 */
public record HistorySeries(
        long from, int step, List<int @Nullable []> points, List<Long> restarts, List<String> dropped) {}
