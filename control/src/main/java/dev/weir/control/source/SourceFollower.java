package dev.weir.control.source;

import dev.weir.internal.runtime.Backoff;
import dev.weir.internal.runtime.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Follows one source on a thread of its own, and reconnects whenever the connection ends. */
final class SourceFollower implements AutoCloseable {
    private static final long CLOSE_MILLIS = 2_000;
    private static final Duration FIRST_WAIT = Duration.ofMillis(100);

    private final SourceRules rules;
    private final SourceProtocol protocol;
    private final Duration retry;
    private final int servers;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    /** Creates a follower; after each {@code servers} failed attempts, it waits. */
    SourceFollower(SourceRules rules, SourceProtocol protocol, Duration retry, int servers) {
        this.rules = rules;
        this.protocol = protocol;
        this.retry = retry;
        this.servers = servers;
        this.thread = DaemonThreads.create("weir-rules-" + rules.label(), this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        Backoff backoff = new Backoff(FIRST_WAIT, retry);
        try {
            for (int attempt = 0; closed.getCount() > 0; attempt++) {
                long began = System.nanoTime();
                String ended = follow(attempt);
                if (closed.getCount() == 0) {
                    return;
                }
                // A source that connects and drops again is treated as unreachable.
                boolean stayed = System.nanoTime() - began > retry.toNanos();
                if (stayed) {
                    backoff.reset();
                } else if ((attempt + 1) % servers != 0) {
                    continue; // another server may be reachable
                }
                rules.disconnected(ended);
                if (closed.await(backoff.nextNanos(), TimeUnit.NANOSECONDS)) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    /** Follows until the connection ends; returns why it ended, for people. */
    @SuppressWarnings("CatchingUnchecked") // whatever fails, the source is followed again
    private String follow(int attempt) throws InterruptedException {
        try {
            protocol.follow(attempt, rules);
            return "the connection ended";
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return SourceFailureReason.of(e);
        }
    }

    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
