package dev.weir.internal.match.envoy;

import org.jspecify.annotations.Nullable;

/**
 * Nodes by the exact value they ask for: an open-addressed table of the nodes themselves, each beside its value. A map would
 * send a look to an entry first, and from there to a text that lies where the file was read; among ten thousand, both are
 * misses of the cache. Where they are few, a look that must go on to a second slot costs more than the rest of it, for no
 * processor guesses that; so their table is arranged until none must.
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

    /** Adds the node; whether there was none of its value yet. */
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

    /** Puts the nodes into a table of {@code length} slots; whether each is where a look begins. */
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

    /** Where the node of {@code value} is, or would be. */
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
