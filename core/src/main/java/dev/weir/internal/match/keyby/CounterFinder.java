package dev.weir.internal.match.keyby;

import dev.weir.Limit;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.model.Rule;
import org.jspecify.annotations.Nullable;

/** Listens to a match for the counter of one rule on one descriptor. */
public final class CounterFinder {
    private final @Nullable Rule wanted;
    private final int wantedDescriptor;
    /** With a fixed seed: the id must be the same in every process. It only names the counter, it never finds it. */
    private final CounterKeyHash hash = new CounterKeyHash(0, 0);

    @Nullable
    public CounterLabel found;

    public CounterFinder(@Nullable Rule wanted, int wantedDescriptor) {
        this.wanted = wanted;
        this.wantedDescriptor = wantedDescriptor;
    }

    public void entries(@Nullable Rule rule, int descriptor, String domain, Limit limit, CounterKeyValues parts) {
        if (rule == wanted && descriptor == wantedDescriptor) {
            EnvoyCounterKey.hash(hash, domain, limit, parts);
            found(parts, KeyBy.DEFAULT_IPV6_PREFIX);
        }
    }

    public void rule(Rule rule, int descriptor, Limit limit, CounterKeyValues parts, int ipv6Prefix) {
        if (rule == wanted && descriptor == wantedDescriptor) {
            WeirCounterKey.prefix(hash.reset(), rule, limit);
            WeirCounterKey.hash(hash, hash.key0(), hash.key1(), parts, ipv6Prefix);
            found(parts, ipv6Prefix);
        }
    }

    /** The counter that was found is the one beside it, of {@code agreed}. */
    public void agreed(Rule rule, int descriptor, Limit agreed) {
        CounterLabel beside = found;
        if (beside != null && rule == wanted && descriptor == wantedDescriptor) {
            OverrideCounterKey.hash(hash, hash.key0(), hash.key1(), agreed);
            found = new CounterLabel(beside.text(), bucket());
        }
    }

    private void found(CounterKeyValues parts, int ipv6Prefix) {
        found = new CounterLabel(parts.text(ipv6Prefix), bucket());
    }

    private String bucket() {
        return String.format("%016x", hash.key0());
    }
}
