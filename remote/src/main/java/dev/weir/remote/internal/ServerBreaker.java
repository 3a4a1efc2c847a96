package dev.weir.remote.internal;

import dev.weir.StoreFailure;
import dev.weir.internal.runtime.Backoff;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Stops asking a server that fails again and again. A probe in the background, with jitter, closes the breaker when the
 * server is back; no caller waits for it. The wait between probes starts over only when the server has answered a request.
 */
final class ServerBreaker {
    private static final System.Logger LOG = System.getLogger("dev.weir.remote");
    private static final int MOST_FAILURES = 5;
    private static final Duration FIRST_PROBE = Duration.ofMillis(100);
    private static final Duration LONGEST_PROBE = Duration.ofSeconds(5);
    private static final Duration LEAST_PROBE_TIMEOUT = Duration.ofMillis(250);

    private final String server;
    private final GrpcChannel channel;
    private final Coalescer coalescer;
    private final ScheduledExecutorService timer;
    private final long probeTimeoutNanos;
    private final Backoff backoff = new Backoff(FIRST_PROBE, LONGEST_PROBE);
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicBoolean open = new AtomicBoolean();
    private volatile boolean met;

    ServerBreaker(String server, GrpcChannel channel, ScheduledExecutorService timer, Duration deadline) {
        this.server = server;
        this.channel = channel;
        this.coalescer = new Coalescer(channel);
        this.timer = timer;
        this.probeTimeoutNanos = Math.max(deadline.toNanos(), LEAST_PROBE_TIMEOUT.toNanos());
    }

    GrpcChannel channel() {
        return channel;
    }

    void send(PendingDecision request) {
        coalescer.add(request);
    }

    boolean isOpen() {
        return open.get();
    }

    /** Whether the server has ever answered, and is not known to fail. */
    boolean serves() {
        return met && !open.get();
    }

    /** Records that the server answered a request in time. */
    void succeeded() {
        if (!met) {
            met = true;
        }
        if (failures.get() != 0) {
            failures.set(0);
            synchronized (backoff) {
                backoff.reset();
            }
        }
    }

    /** Records that it did not. */
    void failed(StoreFailure failure) {
        if (failures.incrementAndGet() >= MOST_FAILURES && open.compareAndSet(false, true)) {
            LOG.log(Level.WARNING, server + " does not answer (" + failure.label() + "): on_fail decides");
            probeLater();
        }
    }

    private void probeLater() {
        long nanos;
        synchronized (backoff) {
            nanos = backoff.nextNanos();
        }
        try {
            var unused = timer.schedule(this::probe, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // closed: nobody asks any more
        }
    }

    private void probe() {
        channel.reconnect();
        channel.health(probeTimeoutNanos, new GrpcChannel.Answer() {
            @Override
            public void answered(byte[] message) {
                met = true;
                failures.set(1); // not 0: the backoff starts over with the first request that is answered
                if (open.compareAndSet(true, false)) {
                    LOG.log(Level.INFO, server + " answers again");
                }
            }

            @Override
            public void failed(StoreFailure failure, @Nullable String refused) {
                probeLater();
            }
        });
    }
}
