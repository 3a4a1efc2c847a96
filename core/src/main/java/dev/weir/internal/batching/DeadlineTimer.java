package dev.weir.internal.batching;

import dev.weir.internal.batching.BatchingLoop.Alarm;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Fires once, a turn of the loop after the earliest moment it was told of: what has arrived by then is read first. Where it is late,
 * this process was kept from running: that is told at once.
 */
final class DeadlineTimer {
    /** Deadlines that lie this close together are met at once. */
    static final long GRAIN_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
    /** What is late by less is the usual turn of a loop. */
    static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final long UNSET = Long.MIN_VALUE;

    private final BatchingLoop loop;
    private final Runnable due;
    private final LongConsumer late;
    private @Nullable Alarm set;
    private volatile long dueNanos = UNSET;
    /** The loop has read what had arrived when it was due. */
    private boolean hasRead;
    /** From when on it is late, as far as that has not been told. */
    private long lateFromNanos;

    /** Does {@code due} when it fires. If the loop comes late, {@code late} is told by how much, as far as it has not been. */
    DeadlineTimer(BatchingLoop loop, Runnable due, LongConsumer late) {
        this.loop = loop;
        this.due = due;
        this.late = late;
    }

    /** Whether it is set, and would fire too late for {@code nanos}. Any thread may ask. */
    boolean isAfter(long nanos) {
        long current = dueNanos;
        return current != UNSET && current - nanos > 0;
    }

    /** Whether it is set, and fires by {@code nanos}. Any thread may ask. */
    boolean isBy(long nanos) {
        long current = dueNanos;
        return current != UNSET && current - nanos <= 0;
    }

    /** In the loop. */
    void atLatest(long nanos) {
        if (set != null && dueNanos - nanos <= 0) {
            return; // as it is for nearly every ask, which need not look at the clock for it
        }
        long now = loop.nanos();
        long wanted = nanos - now < GRAIN_NANOS ? now + GRAIN_NANOS : nanos;
        if (set == null || dueNanos - wanted > 0) {
            if (set != null) {
                set.cancel();
            }
            dueNanos = wanted;
            lateFromNanos = wanted;
            set = loop.after(wanted - now, this::fire);
        }
    }

    /** In the loop: says that it is late, if it is. */
    void look() {
        if (set != null) {
            long nanos = loop.nanos() - lateFromNanos;
            if (nanos >= LATE_NANOS) {
                lateFromNanos += nanos;
                late.accept(nanos);
            }
        }
    }

    private void fire() {
        look();
        if (!hasRead) {
            hasRead = true;
            // Tasks that are due run before what has arrived is read.
            set = loop.after(0, this::fire);
            return;
        }
        hasRead = false;
        set = null;
        dueNanos = UNSET;
        due.run();
    }
}
