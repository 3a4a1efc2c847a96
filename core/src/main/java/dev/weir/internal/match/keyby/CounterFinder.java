package dev.weir.internal.match.keyby;

import dev.weir.Limit;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.model.Rule;
import org.jspecify.annotations.Nullable;

/** Finds, during a match, the counter of one rule on one descriptor. */
public final class CounterFinder {
    private final @Nullable Rule wanted;
    private final int wantedDescriptor;
    /**
     * Has a fixed seed, because the id must be the same in every process. It only names the counter; lookups do not use
     * it.
     */
    private final CounterKeyHash hash = new CounterKeyHash(0, 0);

    @Nullable
    public CounterLabel found;

    public CounterFinder(@Nullable Rule wanted, int wantedDescriptor) {
        this.wanted = wanted;
        this.wantedDescriptor = wantedDescriptor;
    }

    public void entries(@Nullable Rule rule, int descriptor, String domain, Limit limit, CounterKeyValues values) {
        if (rule == wanted && descriptor == wantedDescriptor) {
            EnvoyCounterKey.hash(hash, domain, limit, values);
            found(values, KeyBy.DEFAULT_IPV6_PREFIX);
        }
    }

    public void rule(Rule rule, int descriptor, Limit limit, CounterKeyValues values, int ipv6Prefix) {
        if (rule == wanted && descriptor == wantedDescriptor) {
            WeirCounterKey.prefix(hash.reset(), rule, limit);
            WeirCounterKey.hash(hash, hash.key0(), hash.key1(), values, ipv6Prefix);
            found(values, ipv6Prefix);
        }
    }

    /** Changes the found counter to the separate one of {@code override}. */
    public void override(Rule rule, int descriptor, Limit override) {
        CounterLabel ruleCounter = found;
        if (ruleCounter != null && rule == wanted && descriptor == wantedDescriptor) {
            OverrideCounterKey.hash(hash, hash.key0(), hash.key1(), override);
            found = new CounterLabel(ruleCounter.text(), bucket());
        }
    }

    private void found(CounterKeyValues values, int ipv6Prefix) {
        found = new CounterLabel(values.text(ipv6Prefix), bucket());
    }

    private String bucket() {
        return String.format("%016x", hash.key0());
    }
}
