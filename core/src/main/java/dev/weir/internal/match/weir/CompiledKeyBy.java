package dev.weir.internal.match.weir;

import dev.weir.internal.match.AttributeValues;
import dev.weir.internal.match.keyby.CounterKeyValues;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Attributes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/** A {@link KeyBy} compiled to positions of attributes. */
final class CompiledKeyBy {
    private final List<Element> elements = new ArrayList<>();
    final int ipv6Prefix;
    /** Whether it identifies callers. */
    final boolean ofCaller;

    /**
     * One element: its alternatives by name, position and tag, and the one that {@code client_id} may stand in for, or
     * -1.
     */
    private static final class Element {
        final String[] names;
        final int[] positions;
        final int[] tags;
        final int client;

        Element(List<String> alternatives, ToIntFunction<String> positionOf) {
            int count = alternatives.size();
            names = alternatives.toArray(String[]::new);
            positions = alternatives.stream().mapToInt(positionOf).toArray();
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

    CompiledKeyBy(KeyBy key, ToIntFunction<String> positionOf) {
        ipv6Prefix = key.ipv6Prefix();
        ofCaller = key.parts().stream().anyMatch(element -> Attributes.isCaller(element.get(0)));
        key.parts().forEach(alternatives -> elements.add(new Element(alternatives, positionOf)));
    }

    /** Writes the values of the counter key; returns false if one is missing. An empty value counts as missing. */
    boolean resolve(AttributeValues attributes, CounterKeyValues into) {
        into.clear();
        boolean complete = true;
        for (int i = 0; i < elements.size(); i++) {
            complete &= resolve(elements.get(i), attributes, into);
        }
        return complete;
    }

    private static boolean resolve(Element element, AttributeValues attributes, CounterKeyValues into) {
        for (int i = 0; i < element.positions.length; i++) {
            if (add(element, i, element.positions[i], attributes, into)) {
                return true;
            }
        }
        if (element.client >= 0 && add(element, element.client, AttributeValues.CLIENT_ID, attributes, into)) {
            return true;
        }
        into.add(element.names[0], "", CounterKeyValues.MISSING);
        return false;
    }

    private static boolean add(
            Element element, int alternative, int position, AttributeValues attributes, CounterKeyValues into) {
        String value = attributes.value(position);
        if (value == null || value.isEmpty()) {
            return false;
        }
        into.add(element.names[alternative], value, element.tags[alternative]);
        return true;
    }
}
