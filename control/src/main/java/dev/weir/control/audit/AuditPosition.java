package dev.weir.control.audit;

/** A place in the history of changes: the last change up to it, by its version and the hash of its audit line. */
public record AuditPosition(long version, String hash) {
    /** Before the first change. */
    public static final AuditPosition START = new AuditPosition(0, AuditLine.START);

    /** A place that is not known. */
    public static final AuditPosition UNKNOWN = new AuditPosition(-1, "");

    /** Returns whether the place is known. */
    public boolean isKnown() {
        return version >= 0;
    }
}
