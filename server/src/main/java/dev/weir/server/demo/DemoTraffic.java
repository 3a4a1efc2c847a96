package dev.weir.server.demo;

import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Sends the requests of {@link DemoCallers} to a limiter of this process, from one thread, fifty times a second. At most
 * {@value #MOST_WAITING} wait for an answer; beyond that, requests are left out.
 */
public final class DemoTraffic implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(DemoTraffic.class.getName());
    private static final Duration STEP = Duration.ofMillis(20);
    /** After a stall no more than this is made up for. */
    private static final long LONGEST_STEP_MILLIS = 100;

    private static final int MOST_WAITING = 1_000;
    private static final long SEED = 20;

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread made = new Thread(work, "weir-demo");
        made.setDaemon(true);
        return made;
    });
    private final DemoCallers callers = new DemoCallers(SEED);
    private final AtomicInteger waiting = new AtomicInteger();
    private final Limiter limiter;
    private final long started = System.nanoTime();
    private final LongAdder sent = new LongAdder();
    private long sentUntil;

    private DemoTraffic(Limiter limiter) {
        this.limiter = limiter;
    }

    /** Sends to {@code limiter} until it is closed. */
    public static DemoTraffic start(Limiter limiter) {
        DemoTraffic traffic = new DemoTraffic(limiter);
        var unused = traffic.thread.scheduleAtFixedRate(
                traffic::step, STEP.toMillis(), STEP.toMillis(), TimeUnit.MILLISECONDS);
        return traffic;
    }

    /** The requests sent so far. */
    public long sent() {
        return sent.sum();
    }

    private void step() {
        try {
            long now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started);
            long from = Math.max(sentUntil, now - LONGEST_STEP_MILLIS);
            sentUntil = now;
            callers.send(from, now - from, this::send);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "demo: the traffic stopped", e);
            throw e; // ends the schedule
        }
    }

    private void send(Request request) {
        if (waiting.get() >= MOST_WAITING) {
            return;
        }
        waiting.incrementAndGet();
        sent.increment();
        var unused = limiter.decideAsync(request).whenComplete((decision, failed) -> waiting.decrementAndGet());
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
