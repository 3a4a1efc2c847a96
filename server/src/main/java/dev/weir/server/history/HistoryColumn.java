package dev.weir.server.history;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The numbers of a point of history, in their order. */
public enum HistoryColumn {
    ALLOWED,
    DENIED,
    SHADOW,
    DEGRADED,
    SHED,
    /** The median latency in microseconds; -1 if nothing was timed. */
    P50,
    /** The 99th percentile of the latency in microseconds; -1 if nothing was timed. */
    P99;

    /** How many there are. */
    public static final int COUNT = values().length;

    /** How many of them are counts; the others are latencies. */
    static final int COUNTED = COUNT - 2;

    /** Their names, as the API shows them. */
    public static List<String> names() {
        return Stream.of(values())
                .map(each -> each.name().toLowerCase(Locale.ROOT))
                .toList();
    }
}
