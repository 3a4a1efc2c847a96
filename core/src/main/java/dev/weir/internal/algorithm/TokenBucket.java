package dev.weir.internal.algorithm;

import dev.weir.Limit;

/**
 * A bucket of {@code burst} tokens that refills at {@code requests} per {@code window}; a hit takes one token.
 *
 * <pre>
 *   tokens(now) = min(burst, tokens(last) + rate * (now - last))
 *   hits fit  iff  hits <= tokens
 * </pre>
 *
 * <p>The state counts the tokens taken: {@code level = burst - tokens}. Over any time T, at most {@code burst + rate *
 * T} hits pass.
 */
final class TokenBucket extends Bucket {

    TokenBucket(Limit limit) {
        super(limit, false);
    }
}
