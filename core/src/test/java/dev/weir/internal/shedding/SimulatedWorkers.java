package dev.weir.internal.shedding;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Eight workers with one queue, on virtual time: calls of 10 ms on average (lognormal, σ 1) whose callers wait 250 ms.
 * Ten calm seconds at half of the capacity, twenty seconds of overload, ten calm seconds. Workers also finish calls
 * whose callers have left, as real ones do.
 */
final class SimulatedWorkers {
    static final long SECOND = 1_000_000_000L;
    static final long DEADLINE = SECOND / 4;
    private static final int WORKERS = 8;
    private static final double MEAN_NANOS = SECOND / 100.0;
    private static final double CAPACITY = WORKERS * SECOND / MEAN_NANOS;
    private static final long OVERLOAD = 10 * SECOND;
    private static final long DROP = 20 * SECOND;
    private static final long CALM_AGAIN = 30 * SECOND;
    private static final long END = 40 * SECOND;
    /** Calm counts from here on: what was admitted before the end of the overload has to drain first. */
    private static final long DRAINED = CALM_AGAIN + SECOND / 2;

    /** The share of each priority in the calls, and in the limit: test, read, write, critical. */
    private static final double[] MIX = {0.10, 0.60, 0.26, 0.04};

    private static final double[] SHARES = {0.6, 0.8, 0.9, 4.0};
    private static final int CRITICAL = 3;

    private final Random random;
    private final double overload;
    private final boolean drop;
    private final @Nullable AdmissionGate gate;
    private final Deque<Call> queue = new ArrayDeque<>();
    private final PriorityQueue<Call> running = new PriorityQueue<>((a, b) -> Long.compare(a.finish, b.finish));
    private final int[] calls = new int[3];
    private final int[] inTime = new int[3];
    private int criticalCalls;
    private int criticalInTime;
    private long[] latencies = new long[1 << 16];
    private int measured;

    private static final class Call {
        final long arrival;
        final int priority;
        long finish;

        Call(long arrival, int priority) {
            this.arrival = arrival;
            this.priority = priority;
        }
    }

    /**
     * The result of a run.
     *
     * @param goodput calls of the overload that ended in time, as a share of what the workers could have done
     * @param p99 of the calls of the overload that ended in time, in nanoseconds
     * @param critical the share of the critical calls of the overload that ended in time
     * @param calmBefore the share of all calls before the overload that ended in time
     * @param calmAfter the same from half a second after the overload on
     */
    record Result(double goodput, long p99, double critical, double calmBefore, double calmAfter) {
        boolean holds() {
            return goodput >= 0.9
                    && critical >= 0.99
                    && p99 <= DEADLINE / 2
                    && calmBefore >= 0.995
                    && calmAfter >= 0.995;
        }
    }

    /** Workers behind {@code gate}, or without a shedder; {@code drop} halves their number in the middle. */
    SimulatedWorkers(long seed, double overload, boolean drop, @Nullable AdmissionGate gate) {
        this.random = new Random(seed);
        this.overload = overload;
        this.drop = drop;
        this.gate = gate;
    }

    Result run() {
        long arrival = 0;
        while (arrival < END) {
            double rate = CAPACITY * (phase(arrival) == 1 ? overload : 0.5);
            arrival += (long) (-Math.log(1 - random.nextDouble()) * SECOND / rate);
            finishUntil(arrival);
            arrive(arrival);
        }
        finishUntil(Long.MAX_VALUE);
        double capacity = CAPACITY * (CALM_AGAIN - OVERLOAD) / SECOND * (drop ? 0.75 : 1);
        Arrays.sort(latencies, 0, measured);
        return new Result(
                inTime[1] / capacity,
                measured == 0 ? 0 : latencies[measured * 99 / 100],
                (double) criticalInTime / criticalCalls,
                (double) inTime[0] / calls[0],
                (double) inTime[2] / calls[2]);
    }

    private static int phase(long at) {
        return at < OVERLOAD ? 0 : at < CALM_AGAIN ? 1 : 2;
    }

    private static boolean counts(long arrival) {
        return arrival < CALM_AGAIN || arrival >= DRAINED;
    }

    private int workers(long now) {
        return drop && now >= DROP && now < CALM_AGAIN ? WORKERS / 2 : WORKERS;
    }

    private void arrive(long now) {
        int priority = priority();
        int phase = phase(now);
        if (counts(now)) {
            calls[phase]++;
        }
        if (phase == 1 && priority == CRITICAL) {
            criticalCalls++;
        }
        if (gate == null || gate.tryEnter(SHARES[priority], now)) {
            queue.add(new Call(now, priority));
            start(now);
        }
    }

    private int priority() {
        double at = random.nextDouble();
        for (int i = 0; i < CRITICAL; i++) {
            at -= MIX[i];
            if (at < 0) {
                return i;
            }
        }
        return CRITICAL;
    }

    private void start(long now) {
        while (!queue.isEmpty() && running.size() < workers(now)) {
            Call call = queue.remove();
            // The mean of a lognormal distribution is exp(μ + σ²/2).
            call.finish = now + (long) (MEAN_NANOS * Math.exp(random.nextGaussian() - 0.5));
            running.add(call);
        }
    }

    private void finishUntil(long until) {
        while (!running.isEmpty() && running.element().finish <= until) {
            finish(running.remove());
        }
    }

    private void finish(Call call) {
        long latency = call.finish - call.arrival;
        boolean late = latency > DEADLINE;
        if (gate != null) {
            gate.leave(call.arrival, call.finish, late);
        }
        int phase = phase(call.arrival);
        if (!late) {
            inTime[phase] += counts(call.arrival) ? 1 : 0;
            if (phase == 1) {
                criticalInTime += call.priority == CRITICAL ? 1 : 0;
                measure(latency);
            }
        }
        start(call.finish);
    }

    private void measure(long latency) {
        if (measured == latencies.length) {
            latencies = Arrays.copyOf(latencies, 2 * measured);
        }
        latencies[measured++] = latency;
    }
}
