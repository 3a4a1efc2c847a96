package dev.weir.control.change;

import org.jspecify.annotations.Nullable;

/** A condition on the current version of a record, which protects against overwriting somebody else's change. */
public sealed interface Precondition {

    /** Returns whether a record at {@code version} may be changed; null if the record does not exist. */
    boolean holds(@Nullable Long version);

    /**
     * Checks the precondition against the current version of a record; null if the record does not exist.
     *
     * @throws ChangeRefusedException if it does not hold
     */
    default void require(@Nullable Long version) {
        if (!holds(version)) {
            throw new ChangeRefusedException(
                    ChangeRefusedException.Cause.STALE,
                    version == null ? "it does not exist" : "it is at version " + version);
        }
    }

    /** No condition. */
    record None() implements Precondition {
        @Override
        public boolean holds(@Nullable Long version) {
            return true;
        }
    }

    /** The record must not exist. */
    record Absent() implements Precondition {
        @Override
        public boolean holds(@Nullable Long version) {
            return version == null;
        }
    }

    /** The record must exist, at any version. */
    record Present() implements Precondition {
        @Override
        public boolean holds(@Nullable Long version) {
            return version != null;
        }
    }

    /** The record must still be at version {@code expected}. */
    record Unchanged(long expected) implements Precondition {
        @Override
        public boolean holds(@Nullable Long version) {
            return version != null && version == expected;
        }
    }
}
