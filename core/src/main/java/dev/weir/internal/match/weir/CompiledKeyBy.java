package dev.weir.internal.match.weir;

import dev.weir.internal.match.AttributeValues;
import dev.weir.internal.match.keyby.CounterKeyValues;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Attributes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/** A {@link KeyBy} on the slots of the frame. */
final class CompiledKeyBy {
    private final List<Part> parts = new ArrayList<>();
    final int ipv6Prefix;
    /** Whether it tells callers apart. */
    final boolean ofCaller;

    /** One part: its alternatives by name, slot and tag, and which of them {@code client_id} may stand for, or -1. */
    private static final class Part {
        final String[] names;
        final int[] slots;
        final int[] tags;
        final int client;

        Part(List<String> alternatives, ToIntFunction<String> slotOf) {
            int count = alternatives.size();
            names = alternatives.toArray(String[]::new);
            slots = alternatives.stream().mapToInt(slotOf).toArray();
            tags = new int[count];
            int standsFor = -1;
            for (int i = 0; i < count; i++) {
                tags[i] = (count == 1 ? 0 : i + 1)
                        | (Attributes.isAddress(names[i]) ? CounterKeyValues.MAYBE_ADDRESS : 0);
                standsFor = standsFor < 0 && Attributes.isClient(names[i]) ? i : standsFor;
            }
            client = standsFor;
        }
    }

    CompiledKeyBy(KeyBy key, ToIntFunction<String> slotOf) {
        ipv6Prefix = key.ipv6Prefix();
        ofCaller = key.parts().stream().anyMatch(part -> Attributes.isCaller(part.get(0)));
        key.parts().forEach(alternatives -> parts.add(new Part(alternatives, slotOf)));
    }

    /** Writes the parts of the counter key; false if one is missing. An empty value is as good as none. */
    boolean resolve(AttributeValues frame, CounterKeyValues into) {
        into.clear();
        boolean complete = true;
        for (int i = 0; i < parts.size(); i++) {
            complete &= resolve(parts.get(i), frame, into);
        }
        return complete;
    }

    private static boolean resolve(Part part, AttributeValues frame, CounterKeyValues into) {
        for (int i = 0; i < part.slots.length; i++) {
            if (add(part, i, part.slots[i], frame, into)) {
                return true;
            }
        }
        if (part.client >= 0 && add(part, part.client, AttributeValues.CLIENT_ID, frame, into)) {
            return true;
        }
        into.add(part.names[0], "", CounterKeyValues.MISSING);
        return false;
    }

    private static boolean add(Part part, int alternative, int slot, AttributeValues frame, CounterKeyValues into) {
        String value = frame.value(slot);
        if (value == null || value.isEmpty()) {
            return false;
        }
        into.add(part.names[alternative], value, part.tags[alternative]);
        return true;
    }
}
