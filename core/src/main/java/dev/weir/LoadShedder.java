package dev.weir;

import dev.weir.internal.shedding.AdmissionGate;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Protects one process from overload: it refuses calls, the least important first, while calls take much longer than
 * they do in calm times. It needs no numbers; it learns them from the latency of the calls.
 *
 * <pre>{@code
 * LoadShedder shedder = LoadShedder.create();
 *
 * try (LoadShedder.Admission admission = shedder.tryAcquire(Priority.READ)) {
 *     if (admission == null) {
 *         refuse(503, LoadShedder.retryAfterSeconds());
 *     } else {
 *         serve();
 *     }
 * }
 * }</pre>
 *
 * <ul>
 *   <li>One shedder protects one pool of workers. Put it before their queue, so that the wait in the queue counts.
 *   <li>Do not ask it for health checks: an overloaded process is alive.
 *   <li>Nothing blocks, and there is no timer and no thread. All calls are thread-safe.
 * </ul>
 *
 * How it decides stands in {@code docs/load-shedding.md}.
 */
public final class LoadShedder {
    private static final long MAX_RETRY_SECONDS = 3;

    private final TimeSource time;
    private final AdmissionGate gate;
    private final Map<Priority, LongAdder> shed = new EnumMap<>(Priority.class);

    private LoadShedder(Duration tolerated, TimeSource time) {
        if (tolerated.isNegative()) {
            throw new IllegalArgumentException("tolerated: " + tolerated + " (expected: >= 0)");
        }
        this.time = Objects.requireNonNull(time, "time");
        this.gate = new AdmissionGate(tolerated.toNanos(), time.nanos());
        for (Priority each : Priority.values()) {
            shed.put(each, new LongAdder());
        }
    }

    /** Creates a shedder that knows nothing yet. It starts with 20 calls in flight and learns within seconds. */
    @CheckReturnValue
    public static LoadShedder create() {
        return create(Duration.ZERO, TimeSource.system());
    }

    /**
     * Creates a shedder that never takes a mean latency up to {@code tolerated} for overload. This is for calls that are
     * so short that many times their usual latency harms nobody. Because it need not learn first, it starts with 1,000
     * calls in flight.
     *
     * @param tolerated zero if only measurement shall tell what is normal
     * @param time the clock, of which {@link TimeSource#nanos} is used; tests can pass a manual one
     */
    @CheckReturnValue
    public static LoadShedder create(Duration tolerated, TimeSource time) {
        return new LoadShedder(tolerated, time);
    }

    /**
     * Admits a call, or returns null if the call must be refused because the process is overloaded. The admission must be
     * closed however the call ends.
     */
    @CheckReturnValue
    public @Nullable Admission tryAcquire(Priority priority) {
        long now = time.nanos();
        if (gate.tryEnter(priority.share, now)) {
            return new Admission(this, now);
        }
        counted(priority).increment();
        return null;
    }

    /**
     * The seconds after which a refused caller should try again: 1 to 3, at random, so that callers that were refused
     * together do not return together.
     */
    public static long retryAfterSeconds() {
        return 1 + ThreadLocalRandom.current().nextLong(MAX_RETRY_SECONDS);
    }

    /** How many calls may be in flight now; each priority may use its {@linkplain Priority share} of it. */
    public int limit() {
        return (int) gate.limit();
    }

    /** Calls in flight. */
    public int inFlight() {
        return gate.inFlight();
    }

    /** How long a call takes without overload, as this measured it; zero before it has measured. */
    public Duration baseline() {
        return Duration.ofNanos((long) gate.baseline());
    }

    /** Calls of {@code priority} that were refused since the start. */
    public long shed(Priority priority) {
        return counted(priority).sum();
    }

    private LongAdder counted(Priority priority) {
        return Objects.requireNonNull(shed.get(priority));
    }

    /**
     * How important a call is. Each priority is admitted while fewer calls are in flight than its share of the limit, so
     * that the less important ones are refused first.
     */
    public enum Priority {
        /** Test traffic, prefetches, batch jobs: up to 60 % of the limit. */
        TEST(0.6),
        /** Reads: up to 80 % of the limit. */
        READ(0.8),
        /** Writes: up to 90 % of the limit. */
        WRITE(0.9),
        /** Calls that must work when nothing else does: up to four times the limit, which the others leave free. */
        CRITICAL(4.0);

        private final double share;

        Priority(double share) {
            this.share = share;
        }
    }

    /**
     * A call in flight. It ends once, by the first call of one of its methods from any thread; later calls do nothing.
     */
    public static final class Admission implements AutoCloseable {
        private final LoadShedder shedder;
        private final long start;
        private boolean ended;

        private Admission(LoadShedder shedder, long start) {
            this.shedder = shedder;
            this.start = start;
        }

        /** Ends the call. The time since it was admitted is its latency. */
        @Override
        public void close() {
            leave(false);
        }

        /**
         * Ends a call that took longer than its caller waited. If more than one in twenty time out, the shedder admits
         * less, even if latencies look normal.
         */
        public void timedOut() {
            leave(true);
        }

        /** Ends a call whose latency says nothing about this process, such as one that waited for news. */
        public void cancel() {
            if (end()) {
                shedder.gate.cancel();
            }
        }

        private void leave(boolean late) {
            if (end()) {
                shedder.gate.leave(start, shedder.time.nanos(), late);
            }
        }

        /** A monitor, and not an atomic flag: for an admission that one method holds, the JIT removes lock and object. */
        private synchronized boolean end() {
            boolean first = !ended;
            ended = true;
            return first;
        }
    }
}
