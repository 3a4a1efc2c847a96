package dev.weir.internal.match;

import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.model.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Places each counter of a rule at one of ten thousand rollout positions. The position is a hash of the rule's identity
 * and the counter key, the same in every process and for any numbers of the limit. A rule that denies the first {@code
 * n} positions still denies them when {@code n} grows; another rule orders its counters differently.
 */
public final class Rollout {
    private static final String KIND = "rollout";

    private final long prefix0, prefix1;

    private Rollout(Rule rule) {
        CounterKeyHash hash = new CounterKeyHash(0, 0)
                .add(KIND)
                .add(rule.domain())
                .add(rule.id())
                .end();
        this.prefix0 = hash.key0();
        this.prefix1 = hash.key1();
    }

    /** The rollout of {@code rule}; null if the rule treats all callers alike. Most do, and pay nothing. */
    public static @Nullable Rollout of(Rule rule) {
        return rule.isRollingOut() ? new Rollout(rule) : null;
    }

    /** The position of the counter whose key values are in the scratch. */
    public int position(Matches scratch, int ipv6Prefix) {
        CounterKeyHash hash = scratch.rollout.reset(prefix0, prefix1);
        scratch.parts.hash(hash, ipv6Prefix);
        long bits = hash.end().key0() >>> 32;
        return (int) ((bits * Rule.EVERYONE) >>> 32);
    }
}
