package dev.weir.internal.batching;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The batches of a batcher that are in flight, and what they tell the circuit breaker. Used in one event loop.
 *
 * <h2>Overtaking</h2>
 *
 * <p>The next batch waits for the last one, so that as many asks as possible share it, but no longer than a quarter of
 * the time the store may take. If the store, the network or this process is slow, an ask would otherwise wait for two
 * batches.
 *
 * <h2>Witnesses</h2>
 *
 * <p>Only one batch in flight reports to the circuit breaker, so one stall counts once: a silent store is one failure
 * in the time that it may take to answer, however many batches meet it and however short their deadlines are.
 */
final class InFlightBatches {
    private static final int MAX_OUT = 16;
    private static final int SHARES_OF_PATIENCE = 4;

    private final BatchTransport carrier;
    /** The batches that a caller waits for. */
    private final ArrayDeque<CallBatch> awaited = new ArrayDeque<>();
    /** The number of abandoned batches that are still in flight. */
    private int abandoned;

    private boolean hasWitness;
    private long witnessNanos;
    /** When a reply last came, or when a batch was sent while none was in flight. */
    private long silentSince;
    /** When a stuck batcher was last reported. */
    private long stuckNanos;
    /** How long this process was stalled in total. */
    private long pausedNanos;

    InFlightBatches(BatchTransport carrier, long now) {
        this.carrier = carrier;
        this.stuckNanos = now - carrier.patienceNanos();
    }

    boolean isEmpty() {
        return awaited.isEmpty();
    }

    /** Whether so many batches are in flight that no other may be sent. */
    boolean isFull() {
        return awaited.size() + abandoned >= MAX_OUT;
    }

    /** Whether the next batch need not wait for one in flight. */
    boolean isNextFree(BatchingLoop loop) {
        return awaited.isEmpty() || overtakenNanos() - loop.nanos() <= 0;
    }

    /** When the last batch may be overtaken. */
    long overtakenNanos() {
        return awaited.getLast().sentNanos + longestNanos();
    }

    /** How long a batch holds up the next. */
    long longestNanos() {
        return carrier.patienceNanos() / SHARES_OF_PATIENCE;
    }

    /** Records that the batch {@code round} was sent. */
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

    /** Records the result of one of its calls. Returns whether that was the last of them. */
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

    /**
     * Removes the asks whose deadline is not after {@code now}, and abandons batches that no caller waits for any more.
     */
    void expire(long now, Consumer<QueuedAsk> expired) {
        List<CallBatch> left = new ArrayList<>();
        awaited.removeIf(round -> !round.expire(now, expired) && left.add(round));
        left.forEach(round -> abandon(round, now));
    }

    /** Abandons a batch. If the store is silent, this reports a failure now, and the batch reports nothing later. */
    private void abandon(CallBatch round, long now) {
        round.abandoned = true;
        abandoned++;
        if (round.isWitness && isSilent(now)) {
            round.isWitness = false;
            carrier.failed(round.tookNanos(now, pausedNanos));
        }
    }

    /** Records that this process was stalled. That says nothing about the store. */
    void paused(long nanos) {
        silentSince += nanos;
        pausedNanos += nanos;
    }

    /** Visits the asks of all batches that a caller waits for. */
    void forEach(Consumer<QueuedAsk> action) {
        awaited.forEach(round -> round.forEach(action));
    }

    /**
     * Reports a failure for an ask that timed out unsent: there is no connection yet, or too many batches are in
     * flight.
     */
    void stuck(long now) {
        boolean stuck = carrier.isNew() || (isFull() && isSilent(now));
        if (stuck && now - stuckNanos >= carrier.patienceNanos()) {
            stuckNanos = now;
            carrier.failed(0);
        }
    }

    /**
     * Whether the store takes too long. A caller whose deadline is shorter than a round trip says nothing about the
     * store.
     */
    private boolean isSilent(long now) {
        return 2 * (now - silentSince) >= carrier.patienceNanos();
    }

    /** The earliest deadline of the callers that wait, or {@code otherwise} if that is earlier. */
    long earliest(long otherwise) {
        long earliest = otherwise;
        for (CallBatch each : awaited) {
            earliest = each.earliest(earliest);
        }
        return earliest;
    }
}
