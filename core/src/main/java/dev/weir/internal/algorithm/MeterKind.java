package dev.weir.internal.algorithm;

/**
 * The kind of state that a meter keeps. Meters of one kind share one implementation in the scripts of a shared store.
 */
public enum MeterKind {
    /** A level that drains: {@code tick, hits per ticks, ticks, burst}. */
    BUCKET,
    /** A count for each aligned window: {@code requests, window, calendar}, of which 0 means none, and 1 to 4 a window. */
    FIXED_WINDOW,
    /** Two counts, the older one fading: {@code requests, window in ticks, tick, tag of the window}. */
    SLIDING_WINDOW,
    /** A count for each sub-window: {@code requests, window, sub-windows}. */
    SUB_WINDOWS,
    /** The moment of every hit: {@code requests, window}. */
    LOG,
    /**
     * The permits in flight: {@code requests, ttl, high and low half of the first id, number of ids, 1 to renew them}.
     */
    PERMITS,
    /**
     * The levels of nodes that count permits by themselves: {@code requests, time that a level lasts, kind of ask, node,
     * number of the ask, level kept, permits in flight, wanted, needed, mail that was read}.
     */
    PERMIT_LEVELS
}
