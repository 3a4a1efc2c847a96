package dev.weir;

/** What a rule pays for agreement between nodes, and so how far they may overshoot together. */
public enum Consistency {
    EXACT,
    LEASED,
    REPORTED,
    LOCAL
}
