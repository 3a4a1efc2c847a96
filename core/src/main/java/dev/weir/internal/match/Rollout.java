package dev.weir.internal.match;

import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.model.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Which of ten thousand parts a counter of a rule falls into: a hash of the rule's identity and of what it counts by, the same in
 * every process and whatever the limit's numbers. A rule that denies the first {@code n} parts denies them still when {@code n}
 * grows; and another rule picks others.
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

    /** Null where the rule treats all alike: most do, and pay nothing. */
    public static @Nullable Rollout of(Rule rule) {
        return rule.isRollingOut() ? new Rollout(rule) : null;
    }

    /** The part of the counter whose parts stand in the scratch. */
    public int part(Matches scratch, int ipv6Prefix) {
        CounterKeyHash hash = scratch.rollout.reset(prefix0, prefix1);
        scratch.parts.hash(hash, ipv6Prefix);
        long bits = hash.end().key0() >>> 32;
        return (int) ((bits * Rule.EVERYONE) >>> 32);
    }
}
