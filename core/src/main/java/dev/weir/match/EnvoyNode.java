package dev.weir.match;

import dev.weir.model.Limit;
import dev.weir.model.Rule;
import dev.weir.store.KeyHash;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One node of a domain's tree, compiled: its limit, and its children by key and value. */
final class EnvoyNode {
    /** The parts of the path from the root to here: the key, and the wildcard where all its values share a counter. */
    private final List<String> keys;

    private final List<String> shared;
    final @Nullable Rule rule;
    /** Which name this rule goes by among those that some rule replaces, or -1; and the names it replaces. */
    final int name;

    final int[] replaces;
    private long prefix0, prefix1;
    private final Map<String, Children> children = new HashMap<>();

    EnvoyNode(List<String> keys, List<String> shared, @Nullable Rule rule, int name, int[] replaces) {
        this.keys = keys;
        this.shared = shared;
        this.rule = rule;
        this.name = name;
        this.replaces = replaces;
        Limit limit = rule == null ? null : rule.limit();
        if (rule != null && limit != null) {
            KeyParts parts = new KeyParts();
            keys.forEach(key -> parts.add(key, "", 0));
            KeyHash hash = EntriesKey.prefix(new KeyHash(), rule.domain(), limit, parts);
            prefix0 = hash.key0();
            prefix1 = hash.key1();
        }
    }

    /** The children of one key: by exact value, by wildcard in the order of the file, by the key alone. */
    private static final class Children {
        final Map<String, EnvoyNode> exact = new HashMap<>();
        final List<Glob> globs = new ArrayList<>();
        final List<EnvoyNode> wildcards = new ArrayList<>();

        @Nullable
        EnvoyNode keyOnly;
    }

    void add(String key, String value, EnvoyNode child) {
        Children of = children.computeIfAbsent(key, ignored -> new Children());
        boolean twice;
        if (value.isEmpty()) {
            twice = of.keyOnly != null;
            of.keyOnly = child;
        } else if (value.indexOf('*') >= 0) {
            Glob glob = new Glob(value);
            twice = of.globs.contains(glob);
            of.globs.add(glob);
            of.wildcards.add(child);
        } else {
            twice = of.exact.put(value, child) != null;
        }
        if (twice) {
            throw new IllegalArgumentException(
                    "descriptor: " + key + (value.isEmpty() ? "" : "=" + value) + " (twice)");
        }
    }

    boolean isLeaf() {
        return children.isEmpty();
    }

    boolean has(String key) {
        return children.containsKey(key);
    }

    /** The child that takes the entry: of its exact value, else the first wildcard that matches, else of its key alone. */
    @Nullable
    EnvoyNode child(String key, String value) {
        Children of = children.get(key);
        if (of == null) {
            return null;
        }
        EnvoyNode exact = of.exact.get(value);
        if (exact != null) {
            return exact;
        }
        EnvoyNode wildcard = wildcard(of, value);
        return wildcard != null ? wildcard : of.keyOnly;
    }

    /** The child that asks for {@code value}, exactly or by wildcard, and not for the key alone. */
    @Nullable
    EnvoyNode childOfValue(String key, String value) {
        Children of = children.get(key);
        if (of == null) {
            return null;
        }
        EnvoyNode exact = of.exact.get(value);
        return exact != null ? exact : wildcard(of, value);
    }

    private static @Nullable EnvoyNode wildcard(Children of, String value) {
        for (int i = 0; i < of.globs.size(); i++) {
            if (of.globs.get(i).matches(value)) {
                return of.wildcards.get(i);
            }
        }
        return null;
    }

    /** Writes the path's last part: the value, or the wildcard in its place. */
    void part(KeyParts parts, String value) {
        int depth = keys.size() - 1;
        String wildcard = shared.get(depth);
        boolean plain = wildcard.isEmpty();
        parts.set(depth, keys.get(depth), plain ? value : wildcard, plain ? 0 : KeyParts.SHARED);
    }

    /** Adds the node's rule, whose parts stand in the scratch, to the matches. */
    void match(int descriptor, Matches into) {
        Rule found = rule;
        if (found == null) {
            return;
        }
        Match match = into.add().set(found, null, descriptor, found.countsDenied());
        if (found.limit() != null) {
            into.parts.size(keys.size());
            EntriesKey.hash(into.hash, prefix0, prefix1, into.parts);
            match.key0 = into.hash.key0();
            match.key1 = into.hash.key1();
            if (into.probe != null) {
                into.probe.entries(found, descriptor, found.domain(), found.limit(), into.parts);
            }
        }
    }
}
