package dev.weir.server.metrics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The counters that one thread's checks went to since a rule set was loaded: for each slot the majority vote of Boyer and Moore,
 * in two words. Among {@code n} checks, what is not a vote for the favourite is pairs of checks on different counters:
 * {@code n = votes + 2 pairs}. So the favourite got at least {@code votes / n} of them, and a counter that gets the share
 * {@code p} has at least {@code (2p - 1) n} votes.
 */
final class MajorityCounters {
    private static final int FAVOURITE = 0;
    /** Votes above, checks below: a reader sees both of one moment. */
    private static final int TALLY = 1;

    private static final int WORDS = 2;

    /** At so many checks, they and the votes are halved: what was long ago must not speak for long. */
    private static final int MEMORY = 4_096;

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    private final RuleMetrics.Generation generation;
    private final long[] words;

    MajorityCounters(RuleMetrics.Generation generation, int slots) {
        this.generation = generation;
        words = new long[slots * WORDS];
    }

    RuleMetrics.Generation generation() {
        return generation;
    }

    /** A check of the slot's rule went to {@code counter}; always called by the same thread. */
    void vote(int slot, long counter) {
        int at = slot * WORDS;
        int votes = votes(words[at + TALLY]);
        int checks = checks(words[at + TALLY]) + 1;
        if (votes == 0) {
            LONGS.setOpaque(words, at + FAVOURITE, counter);
        }
        votes += words[at + FAVOURITE] == counter ? 1 : -1;
        if (checks == MEMORY) {
            checks /= 2;
            votes /= 2;
        }
        LONGS.setOpaque(words, at + TALLY, (long) votes << Integer.SIZE | checks);
    }

    /** What all threads together found out about a slot: favourites that differ vote each other down. */
    static Favourite favourite(Iterable<MajorityCounters> threads, int slot) {
        long favourite = 0;
        long votes = 0;
        long checks = 0;
        for (MajorityCounters each : threads) {
            long theirs = each.get(slot, FAVOURITE);
            long tally = each.get(slot, TALLY);
            checks += checks(tally);
            if (theirs == favourite) {
                votes += votes(tally);
            } else {
                favourite = votes(tally) > votes ? theirs : favourite;
                votes = Math.abs(votes - votes(tally));
            }
        }
        return new Favourite(checks, checks == 0 ? 0 : (double) votes / checks);
    }

    /** Slots that came after the rule set have no votes here. */
    private long get(int slot, int word) {
        int at = slot * WORDS + word;
        return at < words.length ? (long) LONGS.getOpaque(words, at) : 0;
    }

    private static int votes(long tally) {
        return (int) (tally >>> Integer.SIZE);
    }

    private static int checks(long tally) {
        return (int) tally;
    }

    /** At least {@code share} of {@code checks} went to one counter. */
    record Favourite(long checks, double share) {}
}
