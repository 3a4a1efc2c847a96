package dev.weir.control.audit;

import org.jspecify.annotations.Nullable;

/** Checks lines one after another, from change 1 on: each whole, each following the one before. */
public final class AuditChain {
    private long lines;
    private @Nullable AuditLine last;

    /** What is wrong with {@code next}, or null. */
    public @Nullable String add(AuditLine next) {
        AuditLine before = last;
        lines++;
        last = next;
        if (!next.isWhole()) {
            return "change " + next.version() + " is not as it was written: its hash does not fit";
        }
        if (before == null) {
            return next.version() != 1
                    ? "it begins with change " + next.version()
                    : next.previous().equals(AuditLine.START) ? null : "change 1 follows another";
        }
        if (next.version() != before.version() + 1) {
            return "after change " + before.version() + " comes " + next.version();
        }
        return next.previous().equals(before.hash())
                ? null
                : "change " + next.version() + " does not follow the change " + before.version() + " that is there";
    }

    /** How many lines it has seen. */
    public long lines() {
        return lines;
    }

    /** The line that it saw last. */
    public @Nullable AuditLine last() {
        return last;
    }
}
