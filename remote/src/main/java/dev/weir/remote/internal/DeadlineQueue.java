package dev.weir.remote.internal;

import dev.weir.internal.runtime.DaemonThreads;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Ends the calls that wait for longer than the deadline. All calls have the same deadline, so the queue is in the order of
 * their ends, and a call costs an append: no timer of its own. A call that was answered leaves the queue when its deadline
 * has passed.
 *
 * <p>An overdue call stays open for a while: its answer may bring a permit, which has to be given back. Then it is
 * cancelled.
 */
final class DeadlineQueue implements AutoCloseable {
    /** The most that a call may be late because the thread rests. */
    private static final long REST_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Queue<PendingDecision> waiting = new ConcurrentLinkedQueue<>();
    private final Queue<PendingDecision> late = new ConcurrentLinkedQueue<>();
    private final Thread thread = DaemonThreads.create("weir-remote-deadlines", this::run);
    private volatile boolean idle;
    private volatile boolean closed;

    DeadlineQueue() {
        thread.start();
    }

    void add(PendingDecision call) {
        waiting.add(call);
        if (idle) {
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        while (!closed) {
            long now = System.nanoTime();
            @Nullable PendingDecision head = endOverdue(now);
            @Nullable PendingDecision latest = cancelLate(now);
            if (head != null) {
                LockSupport.parkNanos(Math.max(REST_NANOS, head.deadlineNanos() - now));
            } else if (latest != null) {
                LockSupport.parkNanos(Math.max(REST_NANOS, latest.deadlineNanos() + LATE_NANOS - now));
            } else {
                idle = true;
                if (waiting.isEmpty() && !closed) {
                    LockSupport.park();
                }
                idle = false;
            }
        }
        waiting.forEach(PendingDecision::expire);
    }

    /** Ends the calls whose deadline has passed, and returns the first that has time left. */
    private @Nullable PendingDecision endOverdue(long now) {
        PendingDecision head = waiting.peek();
        while (head != null && head.deadlineNanos() - now <= 0) {
            waiting.remove();
            head.expire();
            if (!head.isClosed()) {
                late.add(head);
            }
            head = waiting.peek();
        }
        return head;
    }

    private @Nullable PendingDecision cancelLate(long now) {
        PendingDecision head = late.peek();
        while (head != null && (head.isClosed() || head.deadlineNanos() + LATE_NANOS - now <= 0)) {
            late.remove();
            head.cancelCall();
            head = late.peek();
        }
        return head;
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
