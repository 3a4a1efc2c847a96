package dev.weir;

/** What a rule does with a request that lacks the attribute it counts by. */
public enum OnMissing {
    SKIP,
    DENY,
    SHARE
}
