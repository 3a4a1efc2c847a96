package dev.weir.internal.queue;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.QueueBounds;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The requests that wait for one counter. The lock of {@link RequestQueues} guards it. */
final class CounterQueue {
    /** The shortest time until a request whose turn came too early is asked for again. */
    private static final long LEAST_MICROS = 1_000;
    /** The longest: hits that others give back are noticed by then. */
    private static final long MOST_MICROS = 1_000_000;

    final long counter;
    final FairQueue<WaitingRequest> line = new FairQueue<>(each -> each.caller, WaitingRequest::hits);
    /** The last denial by the counter. */
    private final MutableVerdict denial = new MutableVerdict();

    /** When the counter will have room again, as far as the last denial knew. */
    private long roomNanos;
    /** When the next request is asked for. */
    private long turnNanos;

    private Runnable timer = () -> {};
    /** The request whose turn it is, while the limiter decides it. */
    private @Nullable WaitingRequest asked;

    CounterQueue(long counter) {
        this.counter = counter;
    }

    /** Whether {@code next}, which takes {@code hits}, would have its turn in time. */
    boolean isInTime(WaitingRequest next, QueueBounds bounds, long hits, long nanos) {
        long wait = micros(roomNanos - nanos) + saturatedProduct(line.ahead(next), intervalMicros(hits));
        return wait >= 0 && wait <= next.maxWaitMicros(bounds) - shapedMicros(hits);
    }

    /** How long a request of this size is held after its turn: it finds a {@code leaky_bucket} full but for itself. */
    long shapedMicros(long hits) {
        Limit limit = denial.limit();
        return limit == null || limit.algorithm() != Algorithm.LEAKY_BUCKET
                ? 0
                : intervalMicros(Math.max(0, limit.burst() - hits));
    }

    /** The time between two requests of this size at the rate of the limit. */
    private long intervalMicros(long hits) {
        Limit limit = denial.limit();
        return limit == null || limit.requests() == 0
                ? 0
                : saturatedProduct(hits, limit.windowMicros()) / limit.requests();
    }

    /** Whether nobody waits here, and nobody is asked for. */
    boolean isIdle() {
        return line.isEmpty() && asked == null;
    }

    /** Records a denial by the counter; the next turn is when it says. */
    void denied(MutableVerdict verdict, long nanos) {
        denial.set(verdict);
        roomNanos = nanos + TimeUnit.MICROSECONDS.toNanos(denial.retryAfterMicros());
        turnNanos = nanos + TimeUnit.MICROSECONDS.toNanos(turnMicros());
    }

    /** The time from the last denial to the next turn. */
    private long turnMicros() {
        return Math.max(LEAST_MICROS, Math.min(denial.retryAfterMicros(), MOST_MICROS));
    }

    /** Schedules the next turn, in place of the last one. */
    void schedule(DelayedTasks tasks, Runnable turn, long nanos) {
        timer.run();
        timer = tasks.schedule(turn, micros(turnNanos - nanos));
    }

    void cancelTurn() {
        timer.run();
        timer = () -> {};
    }

    /** Takes the next request out of the line, to be asked for; null if there is none, or one is asked for. */
    @Nullable
    WaitingRequest next() {
        if (asked == null) {
            asked = line.poll();
            return asked;
        }
        return null;
    }

    /** Whether the time of the next turn has come. */
    boolean isDue(long nanos) {
        return turnNanos - nanos <= 0;
    }

    boolean isAsked(WaitingRequest request) {
        return asked == request;
    }

    void answered() {
        asked = null;
    }

    /** Writes the last denial into {@code into}, as of {@code nowMicros}. */
    void deny(long hits, MutableDecision into, long nowMicros, long nanos) {
        long wait = Math.max(micros(roomNanos - nanos), LEAST_MICROS);
        into.begin(nowMicros);
        into.add()
                .set(
                        denial.rule(),
                        denial.limit(),
                        denial.descriptor(),
                        hits,
                        denial.reason(),
                        denial.remaining(),
                        Math.max(denial.resetMicros(), wait),
                        wait,
                        0)
                .counter(denial.counter())
                .debt(denial.debt());
        into.end(false);
    }

    private static long micros(long nanos) {
        return Math.max(0, TimeUnit.NANOSECONDS.toMicros(nanos));
    }

    private static long saturatedProduct(long a, long b) {
        return Math.multiplyHigh(a, b) != 0 || a * b < 0 ? Long.MAX_VALUE / 2 : a * b;
    }
}
