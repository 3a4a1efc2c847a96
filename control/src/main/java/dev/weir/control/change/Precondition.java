package dev.weir.control.change;

import org.jspecify.annotations.Nullable;

/** What must hold of a thing for it to be changed: a guard against changing what somebody else has just changed. */
public sealed interface Precondition {

    /** Whether a thing at {@code version} may be changed; null is one that is not there. */
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

    /** Whatever is there. */
    record None() implements Precondition {
        @Override
        public boolean holds(@Nullable Long version) {
            return true;
        }
    }

    /** It must not be there yet. */
    record Absent() implements Precondition {
        @Override
        public boolean holds(@Nullable Long version) {
            return version == null;
        }
    }

    /** It must be there, at any version. */
    record Present() implements Precondition {
        @Override
        public boolean holds(@Nullable Long version) {
            return version != null;
        }
    }

    /** It must be as it was in {@code version}. */
    record Unchanged(long expected) implements Precondition {
        @Override
        public boolean holds(@Nullable Long version) {
            return version != null && version == expected;
        }
    }
}
