package dev.weir.internal.algorithm;

import dev.weir.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The arithmetic that all buckets share: a level that hits raise and time drains.
 *
 * <p>The rate is a fraction in lowest terms, n hits in d ticks. The level counts in 1/d of a hit, so no rate drifts:
 *
 * <pre>
 *   level(now) = max(0, level(last) - n * (now - last))
 *   hits fit  iff  level + d * hits <= d * burst
 * </pre>
 *
 * <p><b>State.</b> The state records the hits <em>used</em>, not the hits left, and it counts in hits rather than in
 * 1/d. So a limit that is changed live keeps it. Word 0 holds the moment of the last update in microseconds (52 bits),
 * the upper 4 bits of the fraction of a hit, and 8 bits that tell one d from another. Word 1 holds whole hits (32 bits)
 * and the lower bits of the fraction. A fraction counted in another d is rounded up to a hit. Hits beyond a lowered
 * burst are forgiven: the bucket is full, and drains.
 *
 * <p><b>Debt.</b> A level above the burst is a debt, and drains as all hits do. Requests may run up a debt as high as
 * the limit's credit: the bucket then holds burst + credit, and only what it says is left counts from the burst. Charges
 * that have to be made may go beyond that. Such a level is kept in whole hits, with a tag of its own, so that it is told
 * from hits beyond a lowered burst.
 *
 * <p><b>Clocks.</b> If the state was written in the future, its level is drained backwards, up to a full bucket. So a
 * clock that steps back neither frees a burst nor locks a caller out for longer than a full bucket does.
 */
abstract class Bucket extends SlotMeter {
    private static final int MAX_FRACTION_BITS = 36;
    private static final long LOW = 0xFFFF_FFFFL;
    private static final int TAGS = 251;
    /** Instead of a tag: the whole hits may be more than the burst, and there is no fraction. */
    private static final int DEBT = 255;

    /** The longest that a debt lasts, microseconds; it saturates there. */
    private static final long LONGEST_DEBT = 1L << 50;

    private final long tick;
    private final long tickReciprocal;
    private final long rateHits;
    private final long rateHitsReciprocal;
    private final long rateTicks;
    private final long rateTicksReciprocal;
    /** The hits that fit: burst and credit. */
    private final long holds;

    private final long credit;
    private final long full;
    private final long ticksToDrain;
    private final long mostHits;
    private final long tag;
    private final boolean shapes;
    private final UsedShare share;

    /** Creates a bucket. If it {@code shapes}, allowed hits are asked to wait for the backlog ahead of them. */
    Bucket(Limit limit, boolean shapes) {
        super(limit);
        boolean shut = limit.requests() == 0;
        this.tick = shut ? 1 : tickOf(limit);
        long window = limit.windowMicros() / tick;
        long common = shut ? window : ExactMath.gcd(limit.requests(), window);
        this.rateHits = shut ? 1 : limit.requests() / common;
        this.rateTicks = window / common;
        this.holds = shut ? 0 : limit.capacity();
        this.credit = shut ? 0 : limit.credit();
        this.full = holds * rateTicks;
        this.ticksToDrain = (full + rateHits - 1) / rateHits;
        long lasting = ExactMath.multiplyAdd(LONGEST_DEBT / tick / rateTicks, rateHits, 0);
        long counted = (ExactMath.BOUND - 1 - rateHits) / rateTicks;
        this.mostHits = Math.max(holds, Math.min(ExactMath.MAX_COUNT, Math.min(lasting, counted)));
        this.tickReciprocal = ExactMath.reciprocal(tick);
        this.rateHitsReciprocal = ExactMath.reciprocal(rateHits);
        this.rateTicksReciprocal = ExactMath.reciprocal(rateTicks);
        this.tag = rateTicks % TAGS;
        this.shapes = shapes;
        this.share = new UsedShare(holds);
    }

    /** The reason why {@code limit} cannot be a bucket, or null. */
    static @Nullable String refusal(Limit limit) {
        if (limit.requests() == 0) {
            return null;
        }
        if (limit.burst() > ExactMath.MAX_COUNT) {
            // Without a burst of its own, the limit's requests are the number that is too large.
            String what = limit.burst() == limit.requests() ? "requests" : "burst";
            return Meters.expected(what, limit.burst(), "<= " + ExactMath.MAX_COUNT + ", what a bucket can hold");
        }
        if (limit.capacity() > ExactMath.MAX_COUNT) {
            long most = ExactMath.MAX_COUNT - limit.burst();
            return Meters.expected(
                    "burst_credit", limit.credit(), "<= " + most + ", what a bucket can hold beside its burst");
        }
        long tick = tickOf(limit);
        if (tick == 0) {
            return Meters.inexact(
                    limit,
                    holding(limit),
                    "a smaller burst, a shorter window, or rounder numbers of requests and window");
        }
        long window = limit.windowMicros() / tick;
        long common = ExactMath.gcd(limit.requests(), window);
        long ticks = limit.capacity() * (window / common) / (limit.requests() / common);
        if (ExactMath.multiplyAdd(ticks + 1, tick, ExactMath.LAST_MOMENT) == ExactMath.BOUND) {
            return Meters.inexact(
                    limit,
                    holding(limit),
                    "a smaller burst or a higher rate: a full bucket would take more than a century to drain");
        }
        return null;
    }

    private static String holding(Limit limit) {
        return "with a burst of " + limit.burst() + (limit.credit() == 0 ? "" : " and a credit of " + limit.credit());
    }

    /** The finest tick in which a full bucket counts exactly, or 0. */
    private static long tickOf(Limit limit) {
        for (long tick = 1; tick <= Meters.COARSEST_TICK && limit.windowMicros() % tick == 0; tick *= 10) {
            long window = limit.windowMicros() / tick;
            long common = ExactMath.gcd(limit.requests(), window);
            long hits = limit.requests() / common;
            long ticks = window / common;
            if (ticks < 1L << MAX_FRACTION_BITS
                    && ExactMath.multiplyAdd(limit.capacity() + 1, ticks, hits) < ExactMath.BOUND) {
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
        return new long[] {tick, rateHits, rateTicks, holds};
    }

    @Override
    public final long tickMicros() {
        return tick;
    }

    /**
     * Hits may be returned until the bucket is as good as new. Later, the same capacity would be granted a second time.
     */
    @Override
    final long returnable(Outcome taken) {
        return taken.reset;
    }

    @Override
    public final boolean refills() {
        return true;
    }

    @Override
    public final void charge(long state0, long state1, long now, long hits, Outcome out) {
        decide(state0, state1, now, hits, true, out);
    }

    @Override
    public final void apply(long state0, long state1, long now, long hits, boolean countDenied, Outcome out) {
        decide(state0, state1, now, hits, false, out);
    }

    private void decide(long state0, long state1, long now, long hits, boolean owes, Outcome out) {
        long moment = ExactMath.moment(now);
        long time = ExactMath.divide(moment, tick, tickReciprocal);
        long level = storedLevel(state0, state1);
        boolean clamped = false;
        if (level != 0) {
            long elapsed = time - ExactMath.divide(state0 >>> 12, tick, tickReciprocal);
            // A debt drains from where it is, and a clock that steps back does not raise it.
            long most = Math.max(full, level);
            long drains = level > full ? ticksFor(level) : ticksToDrain;
            if (elapsed >= drains) {
                level = 0;
            } else if (elapsed > -drains) {
                long drained = level - elapsed * rateHits;
                clamped = drained > most;
                level = Math.max(0, Math.min(most, drained));
            } else {
                clamped = true;
                level = most;
            }
        }
        long whole = ExactMath.divide(level, rateTicks, rateTicksReciprocal);
        long fraction = level - whole * rateTicks;
        long free = holds - whole - (fraction == 0 ? 0 : 1);

        out.allowed = hits < 0 || hits <= free || owes;
        out.delay = shapes && out.allowed && hits > 0 ? wait(ticksFor(level), time, moment) : 0;
        if (out.allowed) {
            out.retryAfter = 0;
            if (owes) {
                whole = Math.min(mostHits, ExactMath.saturate(whole, hits));
            } else if (hits >= -whole) {
                whole += hits;
            } else {
                whole = 0;
                fraction = 0;
            }
            level = whole * rateTicks + fraction;
            free = holds - whole - (fraction == 0 ? 0 : 1);
        } else {
            out.retryAfter = hits > holds
                    ? Outcome.NEVER
                    : wait(ticksFor((whole + hits - holds) * rateTicks + fraction), time, moment);
        }
        out.remaining = Math.max(0, free);
        out.debt = Math.max(0, credit - free);
        out.reset = wait(ticksFor(level), time, moment);
        out.used = share.of(Math.min(holds, holds - free));
        boolean changes = clamped || (out.allowed && hits != 0);
        if (changes && level > full) {
            out.state0 = SlotWords.bucket0(moment, 0, DEBT);
            out.state1 = SlotWords.bucket1(Math.min(mostHits, whole + (fraction == 0 ? 0 : 1)), 0);
        } else if (changes) {
            out.state0 = level == 0 ? 0 : SlotWords.bucket0(moment, fraction, tag);
            out.state1 = SlotWords.bucket1(whole, fraction);
        } else {
            out.state0 = state0;
            out.state1 = state1;
        }
    }

    private long storedLevel(long state0, long state1) {
        long whole = state1 >>> 32;
        if ((state0 & 0xFF) == DEBT) {
            return Math.min(whole, mostHits) * rateTicks;
        }
        long fraction = (state1 & LOW) | (state0 >>> 8 & 0xF) << 32;
        if (fraction != 0 && ((state0 & 0xFF) != tag || fraction >= rateTicks)) {
            fraction = 0;
            whole++;
        }
        return whole >= holds ? full : whole * rateTicks + fraction;
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
