package dev.weir.internal.match.envoy;

import org.jspecify.annotations.Nullable;

/**
 * Nodes by their exact value: an open-addressed table of the nodes themselves, each beside its value. A map would first
 * read an entry, and then a text elsewhere in memory; among ten thousand nodes both are cache misses. In a small table,
 * a lookup that must probe a second slot costs more than the rest, because the branch is mispredicted; so a small table
 * is rearranged until no lookup must.
 */
final class EnvoyNodeTable {
    private static final int SLOTS_PER_NODE = 3;
    private static final int FEW = 32;
    private static final int TRIES = 32;

    private @Nullable EnvoyNode[] slots = new EnvoyNode[4];
    private int size;
    private int multiplier = 0x9e3779b9;

    @Nullable
    EnvoyNode get(String value) {
        return slots[slotOf(value)];
    }

    /** Adds the node; returns whether there was none of its value yet. */
    boolean add(EnvoyNode node) {
        if ((size + 1) * SLOTS_PER_NODE > slots.length) {
            arrange(slots.length * 2);
        }
        int slot = slotOf(node.value);
        if (slots[slot] != null) {
            return false;
        }
        slots[slot] = node;
        size++;
        boolean apart = slot == home(node.value);
        for (int i = 0; !apart && size <= FEW && i < TRIES; i++) {
            multiplier = multiplier * 5 + 2; // odd again
            apart = arrange(slots.length);
        }
        return true;
    }

    /** Puts the nodes into a table of {@code length} slots; returns whether each is where its lookup begins. */
    private boolean arrange(int length) {
        @Nullable EnvoyNode[] old = slots;
        slots = new EnvoyNode[length];
        boolean apart = true;
        for (EnvoyNode each : old) {
            if (each != null) {
                int slot = slotOf(each.value);
                slots[slot] = each;
                apart &= slot == home(each.value);
            }
        }
        return apart;
    }

    /** The slot of the node of {@code value}, or the free slot for it. */
    private int slotOf(String value) {
        int at = home(value);
        for (EnvoyNode there; (there = slots[at]) != null && !there.value.equals(value); ) {
            at = at + 1 & slots.length - 1;
        }
        return at;
    }

    private int home(String value) {
        int mixed = value.hashCode() * multiplier;
        return (mixed ^ mixed >>> 15) & slots.length - 1;
    }
}
