package dev.weir.internal.batching;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The rounds of a lane that are out, and what they say of the store. Used in one loop.
 *
 * <h2>Overtaking</h2>
 *
 * The next round waits for the last, so that as many as possible share it; but no longer than a quarter of what the store may take. Where
 * a store, the way there or this process is slow, who comes while a round is out would else wait for two.
 *
 * <h2>Witnesses</h2>
 *
 * Of rounds that are out at the same time one speaks for or against the store: as long as it is silent, that is one failure in the time
 * that it may take to answer, however many meet it and however little time they have.
 */
final class InFlightBatches {
    private static final int MAX_OUT = 16;
    private static final int SHARES_OF_PATIENCE = 4;

    private final BatchTransport carrier;
    /** Those for whom somebody waits. */
    private final ArrayDeque<CallBatch> awaited = new ArrayDeque<>();
    /** How many of those that everybody left are still out. */
    private int abandoned;

    private boolean hasWitness;
    private long witnessNanos;
    /** When something last came back, or something was sent while nothing was out. */
    private long silentSince;
    /** When it was last said that nothing goes. */
    private long stuckNanos;
    /** For how long this process was kept from running so far. */
    private long pausedNanos;

    InFlightBatches(BatchTransport carrier, long now) {
        this.carrier = carrier;
        this.stuckNanos = now - carrier.patienceNanos();
    }

    boolean isEmpty() {
        return awaited.isEmpty();
    }

    /** Whether so many are out that no other may go. */
    boolean isFull() {
        return awaited.size() + abandoned >= MAX_OUT;
    }

    /** Whether the next need not wait for one that is under way. */
    boolean isNextFree(BatchingLoop loop) {
        return awaited.isEmpty() || overtakenNanos() - loop.nanos() <= 0;
    }

    /** When the last one may be overtaken. */
    long overtakenNanos() {
        return awaited.getLast().sentNanos + longestNanos();
    }

    /** For how long a round keeps the next. */
    long longestNanos() {
        return carrier.patienceNanos() / SHARES_OF_PATIENCE;
    }

    /** {@code round} goes. */
    void begin(CallBatch round) {
        round.outstanding = round.calls.size();
        round.pausedNanos = pausedNanos;
        if (!hasWitness || round.sentNanos - witnessNanos >= carrier.patienceNanos()) {
            round.isWitness = true;
            hasWitness = true;
            witnessNanos = round.sentNanos;
        }
        if (awaited.isEmpty() && abandoned == 0) {
            silentSince = round.sentNanos;
        }
        awaited.addLast(round);
    }

    /** Something came of one of its calls. Returns whether that was the last of them. */
    boolean heard(CallBatch round, long now) {
        silentSince = now;
        if (--round.outstanding > 0) {
            return false;
        }
        if (round.abandoned) {
            abandoned--;
        } else {
            awaited.remove(round);
        }
        hasWitness &= !round.isWitness;
        if (round.isWitness && round.hasFailed()) {
            carrier.failed(round.tookNanos(now, pausedNanos));
        } else if (round.isWitness) {
            carrier.succeeded(round.tookNanos(now, pausedNanos));
        }
        return true;
    }

    /** Lets those leave whose deadline is not after {@code now}, and gives up the rounds for which nobody waits any more. */
    void expire(long now, Consumer<QueuedAsk> expired) {
        List<CallBatch> left = new ArrayList<>();
        awaited.removeIf(round -> !round.expire(now, expired) && left.add(round));
        left.forEach(round -> abandon(round, now));
    }

    /** Where the store is silent, that is said of it now, and whatever comes of the round later is not. */
    private void abandon(CallBatch round, long now) {
        round.abandoned = true;
        abandoned++;
        if (round.isWitness && isSilent(now)) {
            round.isWitness = false;
            carrier.failed(round.tookNanos(now, pausedNanos));
        }
    }

    /** This process was kept from running for so long. That says nothing of the store. */
    void paused(long nanos) {
        silentSince += nanos;
        pausedNanos += nanos;
    }

    /** All who are in a round for which somebody waits. */
    void forEach(Consumer<QueuedAsk> action) {
        awaited.forEach(round -> round.forEach(action));
    }

    /** Somebody's time is over and nothing was under way for him: it is not connected yet, or so many rounds are out. */
    void stuck(long now) {
        boolean stuck = carrier.isNew() || (isFull() && isSilent(now));
        if (stuck && now - stuckNanos >= carrier.patienceNanos()) {
            stuckNanos = now;
            carrier.failed(0);
        }
    }

    /** Whether it is the store that takes too long. A caller who has less time than a store needs says nothing of it. */
    private boolean isSilent(long now) {
        return 2 * (now - silentSince) >= carrier.patienceNanos();
    }

    /** The earliest deadline of those who wait, or {@code otherwise} if that is earlier. */
    long earliest(long otherwise) {
        long earliest = otherwise;
        for (CallBatch each : awaited) {
            earliest = each.earliest(earliest);
        }
        return earliest;
    }
}
