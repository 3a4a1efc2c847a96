package dev.weir.internal.algorithm;

import dev.weir.Limit;

/**
 * The generic cell rate algorithm: every hit has a theoretical arrival time (TAT), one interval after that of the hit
 * before it, and may come early by a tolerance.
 *
 * <pre>
 *   interval = window / requests      tolerance = burst * interval
 *   TAT' = max(now, TAT) + hits * interval
 *   hits fit  iff  TAT' - now <= tolerance
 * </pre>
 *
 * <p>With {@code level = (TAT - now) / interval} this is a {@link Bucket}, whose fractions keep the interval exact
 * where it is not a whole number of microseconds. Over any time T, at most {@code burst + rate * T} hits pass.
 */
final class Gcra extends Bucket {

    Gcra(Limit limit) {
        super(limit, false);
    }
}
