package dev.weir.redis;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Fires once, no later than the earliest moment it was told of. Where it fires late, everything in this process was late: then it
 * lets the event loop read what has arrived meanwhile, and fires a turn later.
 */
final class DeadlineTimer {
    /** Deadlines that lie this close together are met at once. */
    private static final long GRAIN_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long UNSET = Long.MIN_VALUE;

    private final EventLoop loop;
    private final LongConsumer due;
    private @Nullable ScheduledFuture<?> set;
    private volatile long dueNanos = UNSET;

    DeadlineTimer(EventLoop loop, LongConsumer due) {
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

    /** In the event loop. */
    void atLatest(long nanos) {
        long now = System.nanoTime();
        long wanted = nanos - now < GRAIN_NANOS ? now + GRAIN_NANOS : nanos;
        if (set == null || dueNanos - wanted > 0) {
            if (set != null) {
                set.cancel(false);
            }
            dueNanos = wanted;
            set = loop.schedule(this::fire, wanted - now, TimeUnit.NANOSECONDS);
        }
    }

    private void fire() {
        long lateNanos = System.nanoTime() - dueNanos;
        if (lateNanos > LATE_NANOS) {
            // Not at once: tasks that are due run before the sockets are read. And as long as it was late, for whoever
            // keeps this
            // thread from running keeps a Redis on the same machine, too.
            set = loop.schedule(this::fireNow, Math.min(lateNanos, MOST_NANOS), TimeUnit.NANOSECONDS);
        } else {
            fireNow();
        }
    }

    private void fireNow() {
        set = null;
        dueNanos = UNSET;
        due.accept(System.nanoTime());
    }
}
