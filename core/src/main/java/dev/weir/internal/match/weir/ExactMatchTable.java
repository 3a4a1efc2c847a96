package dev.weir.internal.match.weir;

import dev.weir.internal.match.AttributeValues;
import dev.weir.internal.match.Matches;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rules that ask for exact values of the same set of attributes, found by those values in one look: an open-addressed
 * table from the hash of the values to the rules that ask for them. How many rules there are does not matter to a look.
 */
final class ExactMatchTable {
    private final int[] slots;
    private Bucket[] table = new Bucket[0];
    /** Gone once it is compiled. */
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

    ExactMatchTable(int[] slots) {
        this.slots = slots;
    }

    int[] slots() {
        return slots;
    }

    /** Adds a rule that asks for {@code values}, in the order of the slots. */
    void add(List<String> values, CompiledRule rule) {
        if (collected == null) {
            throw new IllegalStateException("compiled already");
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

    /** Adds the rules that ask for the values in the frame. */
    void match(int descriptor, Matches into) {
        AttributeValues frame = into.frame;
        int hash = 0;
        for (int slot : slots) {
            if (frame.value(slot) == null) {
                return;
            }
            hash = mix(hash, frame.indexHash(slot));
        }
        int mask = table.length - 1;
        for (int at = hash & mask; ; at = (at + 1) & mask) {
            Bucket bucket = table[at];
            if (bucket == null) {
                return;
            }
            if (bucket.hash == hash && isOf(bucket, frame)) {
                for (CompiledRule each : bucket.rules) {
                    each.match(descriptor, into);
                }
                return;
            }
        }
    }

    private boolean isOf(Bucket bucket, AttributeValues frame) {
        for (int i = 0; i < slots.length; i++) {
            if (!frame.indexEquals(slots[i], bucket.values[i])) {
                return false;
            }
        }
        return true;
    }
}
