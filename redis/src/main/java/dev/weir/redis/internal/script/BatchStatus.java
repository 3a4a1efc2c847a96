package dev.weir.redis.internal.script;

/** The result of a batch. */
public enum BatchStatus {
    /** The batch was decided: every check has its outcome. */
    DONE,
    /** The batch reached Redis after its expiry and charged nothing. */
    EXPIRED,
    /** The reply does not match the meters: it is unknown what was charged. */
    BROKEN
}
