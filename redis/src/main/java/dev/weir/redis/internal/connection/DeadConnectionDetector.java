package dev.weir.redis.internal.connection;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Notices that nothing comes over a connection any more although it stands: a NAT forgot it, or whoever is there has stopped. TCP
 * sends again and again what is not confirmed, and takes a quarter of an hour to give up.
 *
 * <p>Looked for only where somebody was not answered in time, and then twice: after a pause of our own the first look may come before
 * what was received meanwhile is read. Not in step with others: of a server that all of them find silent they do not let go at once.
 *
 * <p>Of one connection, in its event loop.
 */
final class DeadConnectionDetector {
    private static final int LOOKS = 2;
    private static final long LOOK_NANOS = Duration.ofMillis(500).toNanos();
    private static final long SPREAD_NANOS = Duration.ofMillis(250).toNanos();

    private final EventLoop loop;
    private final Runnable found;
    private long sent;
    private long answered;
    private @Nullable ScheduledFuture<?> next;

    /** Whoever finds out does {@code found}. */
    DeadConnectionDetector(EventLoop loop, Runnable found) {
        this.loop = loop;
        this.found = found;
    }

    void sent(int commands) {
        sent += commands;
    }

    void answered() {
        answered++;
    }

    /** Somebody was not answered in time. */
    void doubt() {
        if (next == null && sent > answered) {
            look(answered, LOOKS);
        }
    }

    private void look(long before, int looks) {
        long wait = LOOK_NANOS + ThreadLocalRandom.current().nextLong(SPREAD_NANOS);
        next = loop.schedule(
                () -> {
                    next = null;
                    if (answered == before && looks == 1) {
                        found.run();
                    } else if (answered == before) {
                        look(before, looks - 1);
                    }
                },
                wait,
                TimeUnit.NANOSECONDS);
    }

    /** The connection is of no interest any more. */
    void end() {
        if (next != null) {
            next.cancel(false);
        }
    }
}
