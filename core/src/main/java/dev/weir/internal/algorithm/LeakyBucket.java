package dev.weir.internal.algorithm;

import dev.weir.Limit;

/**
 * A shaper: a queue with room for {@code burst} hits that leaks {@code requests} per {@code window}. What fits may pass once
 * the backlog ahead of it has leaked, so that traffic goes on at the rate.
 *
 * <pre>
 *   backlog(now) = max(0, backlog(last) - rate * (now - last))
 *   hits fit  iff  backlog + hits <= burst
 *   delay = backlog / rate, rounded up to a tick
 * </pre>
 *
 * Over any time T it lets at most {@code burst + rate * T} in; callers that keep the delay go on at the rate, one request
 * after the other.
 */
final class LeakyBucket extends Bucket {

    LeakyBucket(Limit limit) {
        super(limit, true);
    }
}
