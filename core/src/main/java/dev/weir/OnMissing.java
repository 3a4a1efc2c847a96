package dev.weir;

/** The policy of a rule for a request that lacks the attribute it counts by. */
public enum OnMissing {
    SKIP,
    DENY,
    SHARE
}
