package dev.weir.match;

import dev.weir.model.Limit;
import dev.weir.model.Rule;
import dev.weir.store.KeyHash;
import org.jspecify.annotations.Nullable;

/** Listens to a match for the counter of one rule on one descriptor. */
final class CounterProbe {
    private final @Nullable Rule wanted;
    private final int wantedDescriptor;
    /** With a fixed seed: the id must be the same in every process. It only names the counter, it never finds it. */
    private final KeyHash hash = new KeyHash(0, 0);

    @Nullable
    Counter found;

    CounterProbe(@Nullable Rule wanted, int wantedDescriptor) {
        this.wanted = wanted;
        this.wantedDescriptor = wantedDescriptor;
    }

    void entries(@Nullable Rule rule, int descriptor, String domain, Limit limit, KeyParts parts) {
        if (rule == wanted && descriptor == wantedDescriptor) {
            EntriesKey.hash(hash, domain, limit, parts);
            found(parts, KeyBy.DEFAULT_IPV6_PREFIX);
        }
    }

    void rule(Rule rule, int descriptor, Limit limit, KeyParts parts, int ipv6Prefix) {
        if (rule == wanted && descriptor == wantedDescriptor) {
            RuleKey.prefix(hash.reset(), rule, limit);
            RuleKey.hash(hash, hash.key0(), hash.key1(), parts, ipv6Prefix);
            found(parts, ipv6Prefix);
        }
    }

    /** The counter that was found is the one beside it, of {@code agreed}. */
    void agreed(Rule rule, int descriptor, Limit agreed) {
        Counter beside = found;
        if (beside != null && rule == wanted && descriptor == wantedDescriptor) {
            AgreedKey.hash(hash, hash.key0(), hash.key1(), agreed);
            found = new Counter(beside.text(), bucket());
        }
    }

    private void found(KeyParts parts, int ipv6Prefix) {
        found = new Counter(parts.text(ipv6Prefix), bucket());
    }

    private String bucket() {
        return String.format("%016x", hash.key0());
    }
}
