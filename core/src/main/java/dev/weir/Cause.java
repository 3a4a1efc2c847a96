package dev.weir;

/**
 * The cause of a denial, with the HTTP status that the caller gets. If a request is denied for several causes, the
 * one that is declared first is shown: no wait cures it, or the caller itself can.
 */
public enum Cause {
    /** The caller is banned. */
    BANNED(403),
    /** The caller may not do this at all, for example in its tier: a rule with {@code deny_as: 403}. */
    NOT_ALLOWED(403),
    /** The caller used up its own limit. */
    QUOTA(429),
    /** A ceiling that the caller cannot help is reached: a rule with {@code deny_as: 503}, or shed load. */
    CAPACITY(503),
    /** A store did not answer, and a rule says {@code on_fail: deny}. */
    STORE_DOWN(503);

    private final int status;

    Cause(int status) {
        this.status = status;
    }

    /** The HTTP status of the answer: 429, 503 or 403. */
    public int status() {
        return status;
    }

    /** Whether the same request may pass later, so that the answer carries a {@code Retry-After}. */
    public boolean passesLater() {
        return status != 403;
    }
}
