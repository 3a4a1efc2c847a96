package dev.weir.redis.internal.script;

/** What became of a batch. */
public enum BatchStatus {
    /** Decided: every check has its outcome. */
    DONE,
    /** It came too late and charged nothing. */
    EXPIRED,
    /** It says what the meters do not: nobody knows what was charged. */
    BROKEN
}
