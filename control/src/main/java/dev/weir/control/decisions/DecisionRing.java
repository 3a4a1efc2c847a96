package dev.weir.control.decisions;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * A bounded ring of buffers that many threads fill and one empties. Whoever fills never waits: a full ring says so.
 *
 * <p><b>Concurrency.</b> Vyukov's queue: the turn of a place says whose it is. At {@code turn == position} it is free for the one
 * who moves the tail there; at {@code position + 1} it is filled; emptied, it is free for the next round.
 */
final class DecisionRing {
    private final RecordedDecision[] places;
    private final AtomicLongArray turns;
    private final AtomicLong tail = new AtomicLong();
    private final int mask;
    private long head;

    /** Room for {@code least} or, as a power of two, a few more. */
    DecisionRing(int least) {
        int size = Integer.highestOneBit(Math.max(2, least) * 2 - 1);
        places = new RecordedDecision[size];
        turns = new AtomicLongArray(size);
        mask = size - 1;
        for (int i = 0; i < size; i++) {
            places[i] = new RecordedDecision();
            turns.set(i, i);
        }
    }

    /** A place to fill and then to {@linkplain #publish publish}; negative if there is none. */
    long claim() {
        long position = tail.getPlain();
        while (true) {
            long turn = turns.getAcquire((int) position & mask);
            if (turn == position) {
                if (tail.weakCompareAndSetVolatile(position, position + 1)) {
                    return position;
                }
            } else if (turn < position) {
                return -1;
            }
            position = tail.get();
        }
    }

    RecordedDecision at(long position) {
        return places[(int) position & mask];
    }

    void publish(long position) {
        turns.setRelease((int) position & mask, position + 1);
    }

    /** The oldest that is filled, until it is {@linkplain #release released}; null if there is none. For one thread. */
    @Nullable
    RecordedDecision peek() {
        return turns.getAcquire((int) head & mask) == head + 1 ? places[(int) head & mask] : null;
    }

    /** Gives the place of the oldest back. */
    void release() {
        turns.setRelease((int) head & mask, head + places.length);
        head++;
    }
}
