package dev.weir.match;

import dev.weir.model.Consistency;
import dev.weir.model.Limit;
import dev.weir.model.Rule;
import dev.weir.store.KeyHash;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One node of a domain's tree, compiled: its limit, and its children by key and value. What a walk reads lies in the node
 * itself or is shared by many: among ten thousand nodes, each further object is a miss of the cache.
 */
final class EnvoyNode {
    private static final byte[] NONE = {};

    private final int depth;
    private final String key;
    /** The wildcard, where all its values share a counter; else empty. */
    private final String shared;

    final @Nullable Rule rule;
    private final boolean limited;
    private final boolean countsDenied;
    private long prefix0, prefix1;
    private final @Nullable Rollout rollout;
    /** Only those who ask shared stores read it. */
    private final byte[] namePrefix;

    /** Which name this rule goes by among those that some rule replaces, or -1; and the names it replaces. */
    final int name;

    final int[] replaces;
    /** The children of the key that came first, mostly the only one, and those of the others. */
    private @Nullable Children first;

    private @Nullable Map<String, Children> others;

    /** A node at the end of the path {@code keys}; of the root, that is empty. */
    EnvoyNode(List<String> keys, String shared, @Nullable Rule rule, int name, int[] replaces) {
        this.depth = keys.size();
        this.key = keys.isEmpty() ? "" : keys.get(keys.size() - 1);
        this.shared = shared;
        this.rule = rule;
        this.name = name;
        this.replaces = replaces;
        Limit limit = rule == null ? null : rule.limit();
        this.limited = limit != null;
        this.rollout = rule == null ? null : Rollout.of(rule);
        this.namePrefix = rule == null || limit == null ? NONE : NameWriter.prefix(rule.domain(), limit);
        this.countsDenied = rule != null && rule.countsDenied();
        if (rule != null && limit != null) {
            KeyParts parts = new KeyParts();
            keys.forEach(each -> parts.add(each, "", 0));
            KeyHash hash = EntriesKey.prefix(new KeyHash(), rule.domain(), limit, parts);
            prefix0 = hash.key0();
            prefix1 = hash.key1();
        }
    }

    /** The children of one key: by exact value, by wildcard in the order of the file, by the key alone. */
    private static final class Children {
        final String key;

        @Nullable
        Map<String, EnvoyNode> exact;

        Glob[] globs = {};
        EnvoyNode[] wildcards = {};

        @Nullable
        EnvoyNode keyOnly;

        Children(String key) {
            this.key = key;
        }
    }

    private @Nullable Children of(String key) {
        if (first == null || first.key.equals(key)) {
            return first;
        }
        return others == null ? null : others.get(key);
    }

    private Children ofNew(String key) {
        Children of = of(key);
        if (of == null) {
            of = new Children(key);
            if (first == null) {
                first = of;
            } else {
                others = others == null ? new HashMap<>() : others;
                others.put(key, of);
            }
        }
        return of;
    }

    private static <T> T[] append(T[] array, T last) {
        T[] longer = Arrays.copyOf(array, array.length + 1);
        longer[array.length] = last;
        return longer;
    }

    void add(String key, String value, EnvoyNode child) {
        Children of = ofNew(key);
        boolean twice;
        if (value.isEmpty()) {
            twice = of.keyOnly != null;
            of.keyOnly = child;
        } else if (value.indexOf('*') >= 0) {
            Glob glob = new Glob(value);
            twice = Arrays.asList(of.globs).contains(glob);
            of.globs = append(of.globs, glob);
            of.wildcards = append(of.wildcards, child);
        } else {
            of.exact = of.exact == null ? new HashMap<>() : of.exact;
            twice = of.exact.put(value, child) != null;
        }
        if (twice) {
            throw new IllegalArgumentException(
                    "descriptor: " + key + (value.isEmpty() ? "" : "=" + value) + " (twice)");
        }
    }

    boolean isLeaf() {
        return first == null;
    }

    boolean has(String key) {
        return of(key) != null;
    }

    /** The child that takes the entry: of its exact value, else the first wildcard that matches, else of its key alone. */
    @Nullable
    EnvoyNode child(String key, String value) {
        Children of = of(key);
        if (of == null) {
            return null;
        }
        EnvoyNode exact = of.exact == null ? null : of.exact.get(value);
        if (exact != null) {
            return exact;
        }
        EnvoyNode wildcard = wildcard(of, value);
        return wildcard != null ? wildcard : of.keyOnly;
    }

    /** The child that asks for {@code value}, exactly or by wildcard, and not for the key alone. */
    @Nullable
    EnvoyNode childOfValue(String key, String value) {
        Children of = of(key);
        if (of == null) {
            return null;
        }
        EnvoyNode exact = of.exact == null ? null : of.exact.get(value);
        return exact != null ? exact : wildcard(of, value);
    }

    private static @Nullable EnvoyNode wildcard(Children of, String value) {
        for (int i = 0; i < of.globs.length; i++) {
            if (of.globs[i].matches(value)) {
                return of.wildcards[i];
            }
        }
        return null;
    }

    /** Writes the path's last part: the value, or the wildcard in its place. */
    void part(KeyParts parts, String value) {
        boolean plain = shared.isEmpty();
        parts.set(depth - 1, key, plain ? value : shared, plain ? 0 : KeyParts.SHARED);
    }

    /** Adds the node's rule, whose parts stand in the scratch, to the matches. */
    void match(int descriptor, Matches into) {
        if (rule == null) {
            return;
        }
        Match match = into.add().set(rule, null, descriptor, countsDenied);
        if (limited) {
            into.parts.size(depth);
            EntriesKey.hash(into.hash, prefix0, prefix1, into.parts);
            match.key0 = into.hash.key0();
            match.key1 = into.hash.key1();
            if (rollout != null) {
                match.part = rollout.part(into, KeyBy.DEFAULT_IPV6_PREFIX);
            }
            if (into.names != null && rule.consistency() != Consistency.LOCAL) {
                into.names.entries(match.name, namePrefix, rule.domain(), into.parts);
            }
            Limit limit = into.probe == null ? null : rule.limit();
            if (into.probe != null && limit != null) {
                into.probe.entries(rule, descriptor, rule.domain(), limit, into.parts);
            }
        }
    }
}
