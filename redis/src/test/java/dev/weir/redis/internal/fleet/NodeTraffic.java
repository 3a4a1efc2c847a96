package dev.weir.redis.internal.fleet;

import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.model.MutableDecision;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Poisson arrivals at several nodes, each with more than the one before, sent by the clock. */
final class NodeTraffic {
    /** Later than so is not the clock's grain: this machine did something else. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final PriorityQueue<Arrival> arrivals = new PriorityQueue<>();
    private long stoodStillNanos;

    private record Arrival(long at, int node) implements Comparable<Arrival> {
        @Override
        public int compareTo(Arrival other) {
            return Long.compare(at, other.at);
        }
    }

    /** A decision of a node, possibly still in flight. */
    record Sent(int node, CompletableFuture<MutableDecision> decision) {
        boolean allowed() {
            return decision.join().allowed();
        }
    }

    /** {@code rate} a microsecond over {@code micros}, of which the last of {@code nodes} gets so many times what the first does. */
    NodeTraffic(int nodes, double rate, long micros, long seed) {
        Random random = new Random(seed);
        for (int node = 0; node < nodes; node++) {
            double own = rate * (1 + node) / (nodes * (nodes + 1) / 2.0);
            for (double at = 0; (at += -Math.log(1 - random.nextDouble()) / own) < micros; ) {
                arrivals.add(new Arrival((long) at, node));
            }
        }
    }

    /** Sends {@code request} for each arrival to its node and ticks all nodes; returns when all is decided. */
    List<Sent> send(List<Limiter> nodes, Request request) {
        return send(nodes, request, false);
    }

    /** Sends as above, but after a stall of this machine the rest comes later instead of in a burst. */
    List<Sent> sendSteadily(List<Limiter> nodes, Request request) {
        return send(nodes, request, true);
    }

    /** Returns how much longer it took because of stalls. */
    long stoodStillMicros() {
        return stoodStillNanos / 1_000;
    }

    private List<Sent> send(List<Limiter> nodes, Request request, boolean steadily) {
        long began = System.nanoTime();
        List<Sent> sent = new ArrayList<>();
        long tick = began;
        while (!arrivals.isEmpty()) {
            Arrival next = arrivals.remove();
            long due = began + stoodStillNanos + next.at * 1_000;
            while (due - System.nanoTime() > 0) {
                LockSupport.parkNanos(Math.min(due - System.nanoTime(), 1_000_000));
            }
            long late = System.nanoTime() - due;
            if (steadily && late > LATE_NANOS) {
                stoodStillNanos += late;
            }
            for (; tick - System.nanoTime() < 0; tick += Limiter.TICK_MILLIS * 1_000_000L) {
                nodes.forEach(Limiter::tick);
            }
            sent.add(new Sent(
                    next.node, nodes.get(next.node).decideAsync(request).toCompletableFuture()));
        }
        CompletableFuture.allOf(sent.stream().map(Sent::decision).toArray(CompletableFuture<?>[]::new))
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
        return sent;
    }
}
