package dev.weir.control.decisions;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * A bounded ring of buffers that many threads fill and one empties. A thread that fills never waits; it fails if the
 * ring is full.
 *
 * <p><b>Concurrency.</b> This is Vyukov's bounded queue: the sequence of a buffer says who may use it. At {@code
 * sequence == position} it is free for the thread that moves the tail there. At {@code position + 1} it is filled. Once
 * emptied, it is free for the next lap.
 */
public final class DecisionRing {
    private final RecordedDecision[] buffers;
    private final AtomicLongArray sequences;
    private final AtomicLong tail = new AtomicLong();
    private final int mask;
    private long head;

    /** Creates a ring of at least {@code least} buffers, rounded up to a power of two. */
    public DecisionRing(int least) {
        int size = Integer.highestOneBit(Math.max(2, least) * 2 - 1);
        buffers = new RecordedDecision[size];
        sequences = new AtomicLongArray(size);
        mask = size - 1;
        for (int i = 0; i < size; i++) {
            buffers[i] = new RecordedDecision();
            sequences.set(i, i);
        }
    }

    /** Returns a position to fill and then {@linkplain #publish publish}; negative if the ring is full. */
    public long claim() {
        long position = tail.getPlain();
        while (true) {
            long sequence = sequences.getAcquire((int) position & mask);
            if (sequence == position) {
                if (tail.weakCompareAndSetVolatile(position, position + 1)) {
                    return position;
                }
            } else if (sequence < position) {
                return -1;
            }
            position = tail.get();
        }
    }

    /** The buffer at a claimed position. */
    public RecordedDecision at(long position) {
        return buffers[(int) position & mask];
    }

    /** Hands a filled buffer over. */
    public void publish(long position) {
        sequences.setRelease((int) position & mask, position + 1);
    }

    /**
     * Returns the oldest filled buffer, until it is {@linkplain #release released}; null if there is none. For one
     * thread.
     */
    public @Nullable RecordedDecision peek() {
        return sequences.getAcquire((int) head & mask) == head + 1 ? buffers[(int) head & mask] : null;
    }

    /** Frees the oldest buffer. */
    public void release() {
        sequences.setRelease((int) head & mask, head + buffers.length);
        head++;
    }
}
