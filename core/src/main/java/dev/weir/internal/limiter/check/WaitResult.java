package dev.weir.internal.limiter.check;

/** How the wait of a request under {@code over} ended. */
public enum WaitResult {
    /** Its turn came, and it passed. */
    ADMITTED,
    /** It waited for {@code max_wait}, another rule denied it meanwhile, or it made room for another caller. */
    EXPIRED,
    /** It did not wait, because too many did or it would have taken too long. */
    REFUSED,
    /** Its caller left. */
    CANCELLED,
    /** Its denial was delayed by {@code tarpit}. */
    TARPITTED
}
