package dev.weir.redis.internal.connection;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Detects an open connection over which no reply arrives any more, because a NAT has dropped it or the server is stuck.
 * TCP retransmits unconfirmed data for a quarter of an hour before it gives up.
 *
 * <p>The detector checks only after a reply was overdue, and checks twice: after a pause of this process, the first
 * check may run before replies that arrived meanwhile are read. The checks are jittered, so that not all clients of a
 * stuck server drop their connections at once.
 *
 * <p>Each detector belongs to one connection and runs in its event loop.
 */
final class DeadConnectionDetector {
    private static final int CHECKS = 2;
    private static final long CHECK_NANOS = Duration.ofMillis(500).toNanos();
    private static final long SPREAD_NANOS = Duration.ofMillis(250).toNanos();

    private final EventLoop loop;
    private final Runnable dead;
    private long sent;
    private long answered;
    private @Nullable ScheduledFuture<?> next;

    /** Creates a detector that runs {@code dead} if the connection is dead. */
    DeadConnectionDetector(EventLoop loop, Runnable dead) {
        this.loop = loop;
        this.dead = dead;
    }

    void sent(int commands) {
        sent += commands;
    }

    void answered() {
        answered++;
    }

    /** Starts checking because a reply is overdue. */
    void replyOverdue() {
        if (next == null && sent > answered) {
            check(answered, CHECKS);
        }
    }

    private void check(long before, int checks) {
        long wait = CHECK_NANOS + ThreadLocalRandom.current().nextLong(SPREAD_NANOS);
        next = loop.schedule(
                () -> {
                    next = null;
                    if (answered == before && checks == 1) {
                        dead.run();
                    } else if (answered == before) {
                        check(before, checks - 1);
                    }
                },
                wait,
                TimeUnit.NANOSECONDS);
    }

    /** Stops checking. */
    void stop() {
        if (next != null) {
            next.cancel(false);
        }
    }
}
