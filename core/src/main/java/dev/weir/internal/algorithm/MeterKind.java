package dev.weir.internal.algorithm;

/** How a meter counts: meters that count alike have one kind of state, and one twin in the scripts of a shared store. */
public enum MeterKind {
    /** A level that drains: {@code tick, hits per ticks, ticks, burst}. */
    BUCKET,
    /** A count for each aligned window: {@code requests, window}. */
    FIXED_WINDOW,
    /** Two counts, the older fading: {@code requests, window in ticks, tick, tag of the window}. */
    SLIDING_WINDOW,
    /** A count for each part of the window: {@code requests, window, parts}. */
    SUB_WINDOWS,
    /** The moment of every hit: {@code requests, window}. */
    LOG
}
