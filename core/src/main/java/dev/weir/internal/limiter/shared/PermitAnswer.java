package dev.weir.internal.limiter.shared;

/** The result of releasing or renewing permits. */
public enum PermitAnswer {
    /** They were in flight, and are released or renewed now. */
    DONE,
    /** They had expired or were released before; nothing changed. */
    GONE,
    /** A store did not answer. The same may be sent again; otherwise the permits end with their time to live. */
    UNANSWERED
}
