package dev.weir.internal.algorithm;

import dev.weir.Limit;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** The definition of a limit, implemented as slowly and plainly as possible: every hit is kept, fractions are exact. */
abstract class ReferenceMeter {
    final Limit limit;
    final long tick;

    ReferenceMeter(Limit limit, long tick) {
        this.limit = limit;
        this.tick = tick;
    }

    static ReferenceMeter of(Limit limit, long tick) {
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET, GCRA, LEAKY_BUCKET -> new Drained(limit, tick);
            default -> new Remembered(limit, tick);
        };
    }

    /** Whole hits that fit at {@code now}; negative if the limit is exceeded. */
    abstract long free(long now);

    abstract void add(long now, long hits);

    /** A level in units of 1/window hits, drained by requests units a microsecond: no lowest terms, no packing. */
    private static final class Drained extends ReferenceMeter {
        private BigInteger level = BigInteger.ZERO;
        private long last;

        Drained(Limit limit, long tick) {
            super(limit, tick);
        }

        @Override
        long free(long now) {
            drainTo(now);
            BigInteger window = BigInteger.valueOf(limit.windowMicros());
            BigInteger full = window.multiply(BigInteger.valueOf(RandomLimits.capacity(limit)));
            return full.subtract(level).divide(window).longValueExact();
        }

        @Override
        void add(long now, long hits) {
            drainTo(now);
            BigInteger more = BigInteger.valueOf(hits).multiply(BigInteger.valueOf(limit.windowMicros()));
            level = level.add(more).max(BigInteger.ZERO);
        }

        private void drainTo(long now) {
            long floored = now / tick * tick;
            BigInteger drained = BigInteger.valueOf(floored - last).multiply(BigInteger.valueOf(limit.requests()));
            level = level.subtract(drained).max(BigInteger.ZERO);
            last = floored;
        }
    }

    /** The moment of every hit; what they weigh now is the algorithm's definition. */
    private static final class Remembered extends ReferenceMeter {
        private final List<Long> hits = new ArrayList<>();

        Remembered(Limit limit, long tick) {
            super(limit, tick);
        }

        @Override
        long free(long now) {
            long floored = now / tick * tick;
            BigInteger window = BigInteger.valueOf(limit.windowMicros());
            BigInteger used = BigInteger.ZERO;
            for (long hit : hits) {
                used = used.add(BigInteger.valueOf(weight(floored, hit)));
            }
            return BigInteger.valueOf(limit.requests())
                    .multiply(window)
                    .subtract(used)
                    .divide(window)
                    .longValueExact();
        }

        /** The weight at {@code now} of a hit at {@code then}, in 1/window of a hit. */
        private long weight(long now, long then) {
            long window = limit.windowMicros();
            long part = window / limit.subWindows();
            long ago = now / part - then / part;
            return switch (limit.algorithm()) {
                case FIXED_WINDOW -> ago == 0 ? window : 0;
                case SLIDING_WINDOW_LOG -> then > now - window ? window : 0;
                default -> {
                    if (limit.subWindows() > 1) {
                        yield ago <= limit.subWindows() ? window : 0;
                    }
                    yield ago == 0 ? window : ago == 1 ? window - now % window : 0;
                }
            };
        }

        @Override
        void add(long now, long more) {
            for (long i = 0; i < more; i++) {
                hits.add(now);
            }
            for (long i = more; i < 0 && !hits.isEmpty(); i++) {
                hits.remove(hits.size() - 1);
            }
        }
    }
}
