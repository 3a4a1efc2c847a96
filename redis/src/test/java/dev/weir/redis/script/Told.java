package dev.weir.redis.script;

import dev.weir.algorithm.Outcome;

/** What an outcome tells a caller. */
record Told(boolean allowed, long remaining, long reset, long retryAfter, long delay, int used) {
    static Told of(Outcome out) {
        return new Told(out.allowed, out.remaining, out.reset, out.retryAfter, out.delay, out.used);
    }
}
