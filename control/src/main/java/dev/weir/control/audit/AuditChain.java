package dev.weir.control.audit;

import org.jspecify.annotations.Nullable;

/** Checks audit lines in sequence from change 1 on: each must be intact and follow the one before. */
public final class AuditChain {
    private long lines;
    private @Nullable AuditLine last;

    /** Checks the next line; returns the error, or null. */
    public @Nullable String add(AuditLine next) {
        AuditLine before = last;
        lines++;
        last = next;
        if (!next.isIntact()) {
            return "change " + next.version() + " was altered: its hash does not match";
        }
        if (before == null) {
            return next.version() != 1
                    ? "the log begins with change " + next.version()
                    : next.previous().equals(AuditLine.START) ? null : "change 1 names a change before it";
        }
        if (next.version() != before.version() + 1) {
            return "change " + before.version() + " is followed by change " + next.version();
        }
        return next.previous().equals(before.hash())
                ? null
                : "change " + next.version() + " does not follow change " + before.version()
                        + " as logged: the hash of the line before differs";
    }

    /** Returns the number of lines checked. */
    public long lines() {
        return lines;
    }

    /** Returns the last line checked. */
    public @Nullable AuditLine last() {
        return last;
    }
}
