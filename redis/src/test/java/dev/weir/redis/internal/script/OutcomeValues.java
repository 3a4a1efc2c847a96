package dev.weir.redis.internal.script;

import dev.weir.internal.algorithm.Outcome;

/** The values of an outcome that a caller sees. */
record OutcomeValues(boolean allowed, long remaining, long reset, long retryAfter, long delay, int used) {
    static OutcomeValues of(Outcome out) {
        return new OutcomeValues(out.allowed, out.remaining, out.reset, out.retryAfter, out.delay, out.used);
    }
}
