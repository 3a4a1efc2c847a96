package dev.weir.internal.match;

import dev.weir.Limit;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.match.keyby.CounterKeyValues;
import dev.weir.internal.match.keyby.CounterLabel;
import dev.weir.internal.match.keyby.EnvoyCounterKey;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.keyby.OverrideCounterKey;
import dev.weir.internal.match.keyby.WeirCounterKey;
import dev.weir.internal.model.Rule;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the counter of one match, kept so that the counter can be {@linkplain #counter named} after the decision
 * without matching again. A buffer of its {@link Match}, written only for requests that ask for the name.
 */
public final class CounterNote {
    private final CounterKeyValues parts = new CounterKeyValues();
    private String domain = "";
    /** The rule of the counter; null if the counter belongs to the entries. */
    private @Nullable Rule rule;

    private @Nullable Limit limit;
    private int ipv6Prefix;
    /** The caller's override, if it has a counter of its own beside the rule's. */
    private @Nullable Limit agreed;

    /** Notes a counter of the entries in {@code from}. */
    public void entries(String domain, Limit limit, CounterKeyValues from) {
        set(domain, null, limit, from, KeyBy.DEFAULT_IPV6_PREFIX);
    }

    /** Notes a counter of {@code rule}, by the values in {@code from}. */
    public void rule(Rule rule, Limit limit, CounterKeyValues from, int ipv6Prefix) {
        set(rule.domain(), rule, limit, from, ipv6Prefix);
    }

    private void set(String domain, @Nullable Rule rule, Limit limit, CounterKeyValues from, int ipv6Prefix) {
        this.domain = domain;
        this.rule = rule;
        this.limit = limit;
        this.ipv6Prefix = ipv6Prefix;
        this.agreed = null;
        parts.set(from);
    }

    /** Notes that the counter belongs to the override {@code agreed}, beside the rule's own counter. */
    public void agreed(Limit agreed) {
        this.agreed = agreed;
    }

    /** Returns the counter, for people; null if nothing was noted. */
    @Nullable
    CounterLabel counter() {
        Limit counted = limit;
        if (counted == null) {
            return null;
        }
        // The seed is fixed, because the id must be the same in every process. The id is only shown, never looked up.
        CounterKeyHash hash = new CounterKeyHash(0, 0);
        if (rule == null) {
            EnvoyCounterKey.hash(hash, domain, counted, parts);
        } else {
            WeirCounterKey.prefix(hash.reset(), rule, counted);
            WeirCounterKey.hash(hash, hash.key0(), hash.key1(), parts, ipv6Prefix);
        }
        if (agreed != null) {
            OverrideCounterKey.hash(hash, hash.key0(), hash.key1(), agreed);
        }
        return new CounterLabel(parts.text(ipv6Prefix), HexFormat.of().toHexDigits(hash.key0()));
    }

    /** Releases the strings of the request. */
    void end() {
        limit = null;
        parts.end();
    }
}
