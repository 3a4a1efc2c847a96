package dev.weir.control.source;

import dev.weir.internal.runtime.Backoff;
import dev.weir.internal.runtime.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Follows one source on a thread of its own, and connects again whenever that ends. */
final class SourceFollower implements AutoCloseable {
    private static final long LEAVING_MILLIS = 2_000;
    private static final Duration FIRST_WAIT = Duration.ofMillis(100);

    private final SourceRules rules;
    private final SourceProtocol protocol;
    private final Duration retry;
    private final int servers;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    /** {@code servers}: how many there are to try before it is worth a wait. */
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
                // One that comes and goes is waited for as one that is away.
                boolean stayed = System.nanoTime() - began > retry.toNanos();
                if (stayed) {
                    backoff.reset();
                } else if ((attempt + 1) % servers != 0) {
                    continue; // another may be there
                }
                rules.lost(ended);
                if (closed.await(backoff.nextNanos(), TimeUnit.NANOSECONDS)) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    /** Why it ended, for people. */
    @SuppressWarnings("CatchingUnchecked") // whatever a source does, it is followed again
    private String follow(int attempt) throws InterruptedException {
        try {
            protocol.follow(attempt, rules);
            return "the connection has ended";
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
            thread.join(LEAVING_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
