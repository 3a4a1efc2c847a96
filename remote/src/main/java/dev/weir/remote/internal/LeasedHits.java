package dev.weir.remote.internal;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.TimeSource;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Hits that one answer of the server granted to this process. Each is spent once, until they expire. They expire by the
 * monotonic or by the wall clock, whichever comes first, because a suspended machine stops the monotonic one; and those of
 * a fixed window no later than the window.
 */
final class LeasedHits {
    private static final long NO_WINDOW = Long.MAX_VALUE;

    private final TimeSource time;
    private final MutableDecision granted;
    private final AtomicLong left;
    private final long half;
    private final long askedNanos;
    private final long lifeNanos;
    private final long askedMicros;
    /** How long after the request its first fixed window ends, at the earliest. */
    private final long windowNanos;

    /**
     * @param granted the server's answer to a request for {@code hits}; its window ends later than this reckons, by the time
     *     that the request was on its way
     * @param askedNanos when it was sent, by the monotonic clock
     * @param askedMicros the same by the wall clock: the machine may have been suspended before the answer
     */
    LeasedHits(TimeSource time, MutableDecision granted, long hits, long askedNanos, long askedMicros, long ttlNanos) {
        this.time = time;
        this.granted = granted;
        this.left = new AtomicLong(hits);
        this.half = hits / 2;
        this.askedNanos = askedNanos;
        this.askedMicros = askedMicros;
        windowNanos = windowNanos(granted);
        lifeNanos = Math.min(ttlNanos, windowNanos);
    }

    private static long windowNanos(MutableDecision granted) {
        long soonest = NO_WINDOW;
        for (int i = 0; i < granted.size(); i++) {
            Limit limit = granted.verdict(i).limit();
            if (limit != null && limit.algorithm() == Algorithm.FIXED_WINDOW) {
                soonest = Math.min(
                        soonest,
                        TimeUnit.MICROSECONDS.toNanos(granted.verdict(i).resetMicros()));
            }
        }
        return soonest;
    }

    /** Spends a hit; returns whether there was one. */
    boolean spend(long now) {
        return !isOver(now) && left.getAndUpdate(hits -> hits > 0 ? hits - 1 : 0) > 0;
    }

    /** Whether the hits have expired. */
    boolean isOver(long now) {
        return age(now) >= lifeNanos;
    }

    /** The time since the hits were asked for, by the clock that has more. */
    private long age(long now) {
        return Math.max(now - askedNanos, TimeUnit.MICROSECONDS.toNanos(time.wallMicros() - askedMicros));
    }

    /** Whether it is time to ask for more. */
    boolean isLow() {
        return left.get() <= half;
    }

    /** Takes the hits that are left, so that they are spent no more. */
    long drain() {
        return left.getAndSet(0);
    }

    /** Whether hits given back at {@code now} reach the window that they were taken from, if they take {@code within}. */
    boolean canReturn(long now, long within) {
        return windowNanos == NO_WINDOW || age(now) < windowNanos - within;
    }

    /** The decision on one request that a hit of these paid for. */
    MutableDecision decision(long now) {
        long elapsed = TimeUnit.NANOSECONDS.toMicros(now - askedNanos);
        long unspent = left.get();
        MutableDecision decision = new MutableDecision();
        decision.begin(time.wallMicros());
        for (int i = 0; i < granted.size(); i++) {
            MutableVerdict verdict = granted.verdict(i);
            decision.add()
                    .set(
                            verdict.rule(),
                            verdict.limit(),
                            verdict.descriptor(),
                            verdict.hits() == 0 ? 0 : 1,
                            verdict.reason(),
                            verdict.remaining() + unspent,
                            Math.max(0, verdict.resetMicros() - elapsed),
                            0,
                            0)
                    .shadow(verdict.shadow())
                    .leased(true);
        }
        decision.end(true);
        if (granted.counterName() != null) {
            decision.nameCounter(granted.counterName(), granted.counterBucket());
        }
        return decision;
    }
}
