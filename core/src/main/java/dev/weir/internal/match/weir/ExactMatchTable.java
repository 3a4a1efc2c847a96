package dev.weir.internal.match.weir;

import dev.weir.internal.match.AttributeValues;
import dev.weir.internal.match.Matches;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rules that require exact values of the same set of attributes, found by those values in one lookup: an
 * open-addressed table from the hash of the values to the rules. The cost of a lookup does not depend on the number of
 * rules.
 */
final class ExactMatchTable {
    private final int[] positions;
    private Bucket[] table = new Bucket[0];
    /** The rules before {@link #compile}; null afterwards. */
    private @Nullable Map<List<String>, List<CompiledRule>> collected = new HashMap<>();

    /** The rules of one combination of values. */
    private static final class Bucket {
        final int hash;
        final String[] values;
        final CompiledRule[] rules;

        Bucket(int hash, List<String> values, List<CompiledRule> rules) {
            this.hash = hash;
            this.values = values.toArray(String[]::new);
            this.rules = rules.toArray(CompiledRule[]::new);
        }
    }

    ExactMatchTable(int[] positions) {
        this.positions = positions;
    }

    int[] positions() {
        return positions;
    }

    /** Adds a rule that requires {@code values}, in the order of the positions. */
    void add(List<String> values, CompiledRule rule) {
        if (collected == null) {
            throw new IllegalStateException("the table is compiled already (expected: add before compile)");
        }
        collected.computeIfAbsent(values, ignored -> new ArrayList<>()).add(rule);
    }

    void compile() {
        Map<List<String>, List<CompiledRule>> from = collected;
        if (from == null) {
            return;
        }
        collected = null;
        table = new Bucket[Math.max(4, Integer.highestOneBit(from.size()) * 4)];
        from.forEach((values, rules) -> {
            int hash = 0;
            for (String value : values) {
                hash = mix(hash, value.hashCode());
            }
            int at = hash & (table.length - 1);
            while (table[at] != null) {
                at = (at + 1) & (table.length - 1);
            }
            table[at] = new Bucket(hash, values, rules);
        });
    }

    private static int mix(int hash, int next) {
        int mixed = (hash * 31 + next) * 0x9e3779b9;
        return mixed ^ mixed >>> 15;
    }

    /** Adds the rules that require the values of the descriptor. */
    void match(int descriptor, Matches into) {
        AttributeValues attributes = into.frame;
        int hash = 0;
        for (int position : positions) {
            if (attributes.value(position) == null) {
                return;
            }
            hash = mix(hash, attributes.indexHash(position));
        }
        int mask = table.length - 1;
        for (int at = hash & mask; ; at = (at + 1) & mask) {
            Bucket bucket = table[at];
            if (bucket == null) {
                return;
            }
            if (bucket.hash == hash && isOf(bucket, attributes)) {
                for (CompiledRule each : bucket.rules) {
                    each.match(descriptor, into);
                }
                return;
            }
        }
    }

    private boolean isOf(Bucket bucket, AttributeValues attributes) {
        for (int i = 0; i < positions.length; i++) {
            if (!attributes.indexEquals(positions[i], bucket.values[i])) {
                return false;
            }
        }
        return true;
    }
}
