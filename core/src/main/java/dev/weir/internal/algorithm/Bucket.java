package dev.weir.internal.algorithm;

import dev.weir.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The arithmetic that all buckets share: a level that hits raise and time drains.
 *
 * <p>The rate is a fraction in lowest terms, n hits in d ticks, and the level counts in 1/d of a hit, so no rate drifts:
 *
 * <pre>
 *   level(now) = max(0, level(last) - n * (now - last))
 *   hits fit  iff  level + d * hits <= d * burst
 * </pre>
 *
 * <p><b>State.</b> What was <em>used</em>, not what is left, and in hits rather than in 1/d, so that a limit changed live
 * keeps it: word 0 is the moment of the last update in microseconds (52 bits), the upper 4 bits of the part of a hit, and 8
 * bits that tell one d from another; word 1 is whole hits (32 bits) and the lower bits of the part. A part that was counted
 * in another d is rounded up to a hit. What was used beyond a lowered burst is forgiven: the bucket is full, and drains.
 *
 * <p><b>Clocks.</b> A state from the future stands higher now than it will then: the level is drained backwards, up to a
 * full bucket. So a clock that steps back neither frees a burst nor locks anybody out for longer than a full bucket does.
 */
abstract class Bucket extends SlotMeter {
    private static final int MAX_PART_BITS = 36;
    private static final long LOW = 0xFFFF_FFFFL;
    private static final int TAGS = 251;

    private final long tick;
    private final long tickReciprocal;
    private final long rateHits;
    private final long rateHitsReciprocal;
    private final long rateTicks;
    private final long rateTicksReciprocal;
    private final long burst;
    private final long full;
    private final long ticksToDrain;
    private final long tag;
    private final boolean shapes;
    private final UsedShare share;

    /** A bucket that, if it {@code shapes}, asks allowed hits to wait for the backlog ahead of them. */
    Bucket(Limit limit, boolean shapes) {
        super(limit);
        boolean shut = limit.requests() == 0;
        this.tick = shut ? 1 : tickOf(limit);
        long window = limit.windowMicros() / tick;
        long common = shut ? window : ExactMath.gcd(limit.requests(), window);
        this.rateHits = shut ? 1 : limit.requests() / common;
        this.rateTicks = window / common;
        this.burst = shut ? 0 : limit.burst();
        this.full = burst * rateTicks;
        this.ticksToDrain = (full + rateHits - 1) / rateHits;
        this.tickReciprocal = ExactMath.reciprocal(tick);
        this.rateHitsReciprocal = ExactMath.reciprocal(rateHits);
        this.rateTicksReciprocal = ExactMath.reciprocal(rateTicks);
        this.tag = rateTicks % TAGS;
        this.shapes = shapes;
        this.share = new UsedShare(burst);
    }

    /** Why {@code limit} cannot be a bucket, or null. */
    static @Nullable String refusal(Limit limit) {
        if (limit.requests() == 0) {
            return null;
        }
        if (limit.burst() > ExactMath.MAX_COUNT) {
            // Without a burst of its own it is the requests that are too many.
            String what = limit.burst() == limit.requests() ? "requests" : "burst";
            return Meters.expected(what, limit.burst(), "<= " + ExactMath.MAX_COUNT + ", what a bucket can hold");
        }
        long tick = tickOf(limit);
        if (tick == 0) {
            return Meters.inexact(
                    limit,
                    "with a burst of " + limit.burst(),
                    "a smaller burst, a shorter window, or rounder numbers of requests and window");
        }
        long window = limit.windowMicros() / tick;
        long common = ExactMath.gcd(limit.requests(), window);
        long ticks = limit.burst() * (window / common) / (limit.requests() / common);
        if (ExactMath.multiplyAdd(ticks + 1, tick, ExactMath.LAST_MOMENT) == ExactMath.BOUND) {
            return Meters.inexact(
                    limit,
                    "with a burst of " + limit.burst(),
                    "a smaller burst or a higher rate: a full bucket would take more than a century to drain");
        }
        return null;
    }

    /** The finest tick in which a full bucket counts exactly, or 0. */
    private static long tickOf(Limit limit) {
        for (long tick = 1; tick <= Meters.COARSEST_TICK && limit.windowMicros() % tick == 0; tick *= 10) {
            long window = limit.windowMicros() / tick;
            long common = ExactMath.gcd(limit.requests(), window);
            long hits = limit.requests() / common;
            long ticks = window / common;
            if (ticks < 1L << MAX_PART_BITS
                    && ExactMath.multiplyAdd(limit.burst() + 1, ticks, hits) < ExactMath.BOUND) {
                return tick;
            }
        }
        return 0;
    }

    @Override
    public final MeterKind counting() {
        return MeterKind.BUCKET;
    }

    @Override
    public final long[] numbers() {
        return new long[] {tick, rateHits, rateTicks, burst};
    }

    @Override
    public final long tickMicros() {
        return tick;
    }

    /** Until it is as good as new: what flowed in by then must not be given a second time. Before that, every hit is still counted. */
    @Override
    final long returnable(Outcome taken) {
        return taken.reset;
    }

    @Override
    public final void apply(long state0, long state1, long now, long hits, boolean countDenied, Outcome out) {
        long moment = ExactMath.moment(now);
        long time = ExactMath.divide(moment, tick, tickReciprocal);
        long level = storedLevel(state0, state1);
        boolean clamped = false;
        if (level != 0) {
            long elapsed = time - ExactMath.divide(state0 >>> 12, tick, tickReciprocal);
            if (elapsed >= ticksToDrain) {
                level = 0;
            } else if (elapsed > -ticksToDrain) {
                long drained = level - elapsed * rateHits;
                clamped = drained > full;
                level = Math.max(0, Math.min(full, drained));
            } else {
                clamped = true;
                level = full;
            }
        }
        long whole = ExactMath.divide(level, rateTicks, rateTicksReciprocal);
        long part = level - whole * rateTicks;
        long free = burst - whole - (part == 0 ? 0 : 1);

        out.allowed = hits <= free;
        out.delay = shapes && out.allowed && hits > 0 ? wait(ticksFor(level), time, moment) : 0;
        if (out.allowed) {
            out.retryAfter = 0;
            if (hits >= -whole) {
                whole += hits;
            } else {
                whole = 0;
                part = 0;
            }
            level = whole * rateTicks + part;
            free = burst - whole - (part == 0 ? 0 : 1);
        } else {
            out.retryAfter = hits > burst
                    ? Outcome.NEVER
                    : wait(ticksFor((whole + hits - burst) * rateTicks + part), time, moment);
        }
        out.remaining = free;
        out.reset = wait(ticksFor(level), time, moment);
        out.used = share.of(burst - free);
        if (clamped || (out.allowed && hits != 0)) {
            out.state0 = level == 0 ? 0 : SlotWords.bucket0(moment, part, tag);
            out.state1 = SlotWords.bucket1(whole, part);
        } else {
            out.state0 = state0;
            out.state1 = state1;
        }
    }

    private long storedLevel(long state0, long state1) {
        long whole = state1 >>> 32;
        long part = (state1 & LOW) | (state0 >>> 8 & 0xF) << 32;
        if (part != 0 && ((state0 & 0xFF) != tag || part >= rateTicks)) {
            part = 0;
            whole++;
        }
        return whole >= burst ? full : whole * rateTicks + part;
    }

    /** Ticks until {@code level} has drained. */
    private long ticksFor(long level) {
        return ExactMath.divide(level + rateHits - 1, rateHits, rateHitsReciprocal);
    }

    /** Microseconds from {@code moment} until {@code ticks} after {@code time}, the tick it lies in. */
    private long wait(long ticks, long time, long moment) {
        return ticks == 0 ? 0 : (time + ticks) * tick - moment;
    }
}
