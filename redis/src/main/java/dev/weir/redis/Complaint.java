package dev.weir.redis;

import dev.weir.store.StoreFailure;

/**
 * What Redis said instead of deciding.
 *
 * @param error in its own words
 */
record Complaint(StoreFailure failure, String error) {
    static Complaint of(String error) {
        return new Complaint(Failures.ofError(error), error);
    }

    /** For people. */
    @Override
    public String toString() {
        return failure.label() + " (" + error + ")";
    }
}
