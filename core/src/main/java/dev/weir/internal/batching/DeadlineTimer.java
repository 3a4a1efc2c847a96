package dev.weir.internal.batching;

import dev.weir.internal.batching.BatchingLoop.Alarm;
import dev.weir.internal.store.DeadlineExtension;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Fires once, one turn of the loop after the earliest deadline it was given, so that replies which have arrived by then
 * are read first. If it is late, this process was stalled; it reports that at once.
 */
final class DeadlineTimer {
    /** Deadlines this close together are handled at once. */
    static final long GRAIN_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private static final long UNSET = Long.MIN_VALUE;

    private final BatchingLoop loop;
    private final Runnable due;
    private final LongConsumer late;
    private @Nullable Alarm set;
    private volatile long dueNanos = UNSET;
    /** Whether the loop has read what had arrived when the timer was due. */
    private boolean hasRead;
    /** The moment from which lateness has not been reported yet. */
    private long lateFromNanos;

    /** Runs {@code due} when it fires. If the loop is late, reports to {@code late} by how much, each delay once. */
    DeadlineTimer(BatchingLoop loop, Runnable due, LongConsumer late) {
        this.loop = loop;
        this.due = due;
        this.late = late;
    }

    /** Whether it is set, and would fire too late for {@code nanos}. Any thread may call it. */
    boolean isAfter(long nanos) {
        long current = dueNanos;
        return current != UNSET && current - nanos > 0;
    }

    /** Whether it is set, and fires by {@code nanos}. Any thread may call it. */
    boolean isBy(long nanos) {
        long current = dueNanos;
        return current != UNSET && current - nanos <= 0;
    }

    /** Makes the timer fire at {@code nanos} at the latest. Called in the loop. */
    void atLatest(long nanos) {
        if (set != null && dueNanos - nanos <= 0) {
            return; // the case of nearly every ask; it need not read the clock
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

    /** Reports lateness, if there is any. Called in the loop. */
    void look() {
        if (set != null) {
            long nanos = loop.nanos() - lateFromNanos;
            if (nanos >= DeadlineExtension.STALL_NANOS) {
                lateFromNanos += nanos;
                late.accept(nanos);
            }
        }
    }

    private void fire() {
        look();
        if (!hasRead) {
            hasRead = true;
            // The loop runs due tasks before it reads what has arrived.
            set = loop.after(0, this::fire);
            return;
        }
        hasRead = false;
        set = null;
        dueNanos = UNSET;
        due.run();
    }
}
