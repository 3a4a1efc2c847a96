package dev.weir.coalesce;

import dev.weir.coalesce.Loop.Alarm;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Fires once, no later than the earliest moment it was told of. Where it fires late, everything in this process was late: then it
 * lets the loop read what has arrived meanwhile, and fires a turn later.
 */
final class DeadlineTimer {
    /** Deadlines that lie this close together are met at once. */
    private static final long GRAIN_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long UNSET = Long.MIN_VALUE;

    private final Loop loop;
    private final LongConsumer due;
    private @Nullable Alarm set;
    private volatile long dueNanos = UNSET;

    DeadlineTimer(Loop loop, LongConsumer due) {
        this.loop = loop;
        this.due = due;
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
            set = loop.after(wanted - now, this::fire);
        }
    }

    private void fire() {
        long lateNanos = loop.nanos() - dueNanos;
        if (lateNanos > LATE_NANOS) {
            // Not at once: tasks that are due run before what has arrived is read. And as long as it was late, for who
            // keeps this thread from running keeps a store on the same machine, too.
            set = loop.after(Math.min(lateNanos, MOST_NANOS), this::fireNow);
        } else {
            fireNow();
        }
    }

    private void fireNow() {
        set = null;
        dueNanos = UNSET;
        due.accept(loop.nanos());
    }
}
