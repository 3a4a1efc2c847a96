package dev.weir.server.metrics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Finds the busiest counter of each rule among one thread's checks since a rule set was loaded, by the majority vote of
 * Boyer and Moore in two words per position.
 *
 * <p>Among {@code n} checks, those that are not a vote for the busiest counter are pairs of checks on different
 * counters: {@code n = votes + 2 pairs}. So the busiest counter got at least {@code votes / n} of them, and a counter
 * with the share {@code p} has at least {@code (2p - 1) n} votes.
 */
final class MajorityCounters {
    private static final int BUSIEST = 0;
    /** Votes in the high half, checks in the low half: a reader sees both as of one moment. */
    private static final int TALLY = 1;

    private static final int WORDS = 2;

    /** At this many checks, checks and votes are halved, so that old checks lose weight. */
    private static final int MEMORY = 4_096;

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    private final RuleMetrics.Generation generation;
    private final long[] words;

    MajorityCounters(RuleMetrics.Generation generation, int positions) {
        this.generation = generation;
        words = new long[positions * WORDS];
    }

    RuleMetrics.Generation generation() {
        return generation;
    }

    /** Adds a check of the position's rule that went to {@code counter}; always called by the same thread. */
    void add(int position, long counter) {
        int at = position * WORDS;
        int votes = votes(words[at + TALLY]);
        int checks = checks(words[at + TALLY]) + 1;
        if (votes == 0) {
            LONGS.setOpaque(words, at + BUSIEST, counter);
        }
        votes += words[at + BUSIEST] == counter ? 1 : -1;
        if (checks == MEMORY) {
            checks /= 2;
            votes /= 2;
        }
        LONGS.setOpaque(words, at + TALLY, (long) votes << Integer.SIZE | checks);
    }

    /** Merges the votes of all threads for a position: votes for different counters cancel out. */
    static BusiestCounter busiest(Iterable<MajorityCounters> threads, int position) {
        long busiest = 0;
        long votes = 0;
        long checks = 0;
        for (MajorityCounters each : threads) {
            long theirs = each.get(position, BUSIEST);
            long tally = each.get(position, TALLY);
            checks += checks(tally);
            if (theirs == busiest) {
                votes += votes(tally);
            } else {
                busiest = votes(tally) > votes ? theirs : busiest;
                votes = Math.abs(votes - votes(tally));
            }
        }
        return new BusiestCounter(checks, checks == 0 ? 0 : (double) votes / checks);
    }

    /** Positions that were assigned after the rule set have no votes here. */
    private long get(int position, int word) {
        int at = position * WORDS + word;
        return at < words.length ? (long) LONGS.getOpaque(words, at) : 0;
    }

    private static int votes(long tally) {
        return (int) (tally >>> Integer.SIZE);
    }

    private static int checks(long tally) {
        return (int) tally;
    }

    /** At least {@code share} of {@code checks} went to one counter. */
    record BusiestCounter(long checks, double share) {}
}
