package dev.weir.internal.algorithm;

import dev.weir.Limit;

/**
 * A shaper: a queue of at most {@code burst} hits that leaks {@code requests} per {@code window}. A request that fits
 * passes once the backlog ahead of it has leaked, so traffic continues at the rate.
 *
 * <pre>
 *   backlog(now) = max(0, backlog(last) - rate * (now - last))
 *   hits fit  iff  backlog + hits <= burst
 *   delay = backlog / rate, rounded up to a tick
 * </pre>
 *
 * <p>Over any time T, at most {@code burst + rate * T} hits are admitted. Callers that respect the delay proceed at the
 * rate, one request after the other.
 */
final class LeakyBucket extends Bucket {

    LeakyBucket(Limit limit) {
        super(limit, true);
    }
}
