package dev.weir.internal.match.envoy;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.Rollout;
import dev.weir.internal.match.keyby.CounterKeyValues;
import dev.weir.internal.match.keyby.CounterNameWriter;
import dev.weir.internal.match.keyby.EnvoyCounterKey;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.model.Rule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One compiled node of a domain's tree: its limit, and its children by key and value. A walk reads only the node
 * itself, or data that many nodes share: among ten thousand nodes each further object is a cache miss. So the node
 * itself is the group of the children of its first key, usually the only one.
 */
final class EnvoyNode extends EnvoyChildren {
    private static final byte[] NONE = {};

    /** The value it matches, with {@code *} for any run of characters; empty for a node of the key alone. */
    final String value;

    final String key;
    private final int depth;
    /** The wildcard if all its values share a counter; else empty. */
    private final String shared;

    private final @Nullable Rule rule;
    private final boolean limited;
    private final boolean countsDenied;
    private final boolean ofCaller;
    private long prefix0, prefix1;
    private final @Nullable Rollout rollout;
    /** Read only for shared stores. */
    private final byte[] namePrefix;

    /** The children of all keys but the first. */
    private @Nullable Map<String, EnvoyChildren> others;

    /** A node at the end of the path {@code keys}, which is empty for the root. */
    EnvoyNode(List<String> keys, String value, boolean shares, @Nullable Rule rule) {
        // A copy is allocated near the node; the file's own text is elsewhere in memory.
        this.value = value.isEmpty() ? "" : new String(value.toCharArray());
        this.depth = keys.size();
        this.ofCaller = keys.stream().anyMatch(Attributes::isCaller);
        this.key = keys.isEmpty() ? "" : keys.get(keys.size() - 1);
        this.shared = shares ? this.value : "";
        this.rule = rule;
        Limit limit = rule == null ? null : rule.limit();
        this.limited = limit != null;
        this.rollout = rule == null ? null : Rollout.of(rule);
        this.namePrefix = rule == null || limit == null ? NONE : CounterNameWriter.prefix(rule.domain(), limit);
        this.countsDenied = rule != null && rule.countsDenied();
        if (rule != null && limit != null) {
            CounterKeyValues parts = new CounterKeyValues();
            keys.forEach(each -> parts.add(each, "", 0));
            CounterKeyHash hash = EnvoyCounterKey.prefix(new CounterKeyHash(), rule.domain(), limit, parts);
            prefix0 = hash.key0();
            prefix1 = hash.key1();
        }
    }

    void add(EnvoyNode child) {
        if (isLeaf() || isOf(child.key)) {
            addOfKey(child);
        } else {
            others = others == null ? new HashMap<>() : others;
            others.computeIfAbsent(child.key, ignored -> new EnvoyChildren()).addOfKey(child);
        }
    }

    @Nullable
    EnvoyChildren children(String key) {
        if (isOf(key)) {
            return this;
        }
        return others == null ? null : others.get(key);
    }

    /** The child that takes the entry. */
    @Nullable
    EnvoyNode child(String key, String value) {
        EnvoyChildren children = children(key);
        return children == null ? null : children.taking(value);
    }

    /** Writes the last value of the path, or the wildcard in its place. */
    void writeValue(CounterKeyValues parts, String value) {
        boolean plain = shared.isEmpty();
        parts.set(depth - 1, key, plain ? value : shared, plain ? 0 : CounterKeyValues.SHARED);
    }

    /** Adds the node's rule to the matches; the key values are in the scratch. */
    void match(int descriptor, Matches into) {
        if (rule == null) {
            return;
        }
        Match match = into.add().set(rule, null, descriptor, countsDenied);
        if (limited) {
            into.parts.size(depth);
            EnvoyCounterKey.hash(into.hash, prefix0, prefix1, into.parts);
            match.key0 = into.hash.key0();
            match.key1 = into.hash.key1();
            match.ofCaller = ofCaller;
            if (rollout != null) {
                match.part = rollout.position(into, KeyBy.DEFAULT_IPV6_PREFIX);
            }
            if (into.names != null && rule.consistency() != Consistency.LOCAL && !match.isNamedBy(this)) {
                into.names.entries(match.name, namePrefix, rule.domain(), into.parts);
                match.namedBy(this);
            }
            Limit limit = into.noting ? rule.limit() : null;
            if (limit != null) {
                match.note().entries(rule.domain(), limit, into.parts);
            }
        }
    }
}
