package dev.weir.internal.match.override;

import dev.weir.Request;

/** Looks up the reputation of callers. Called for requests that meet a rule with a reputation: never blocks. */
@FunctionalInterface
public interface ReputationLookup {
    /** Knows nobody. */
    ReputationLookup NONE = request -> 0;

    /** The score of the caller of {@code request} at this moment, from 0, good or unknown, to 100. */
    int score(Request request);
}
