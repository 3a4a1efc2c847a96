package dev.weir.internal.match;

import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.EndpointForm;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The position of each attribute that the rules of a domain mention, and how the endpoint is read. It is complete once
 * all rules are compiled.
 */
public final class AttributePositions {
    /** The attributes that every domain has, in the order of their positions. */
    private static final List<String> KNOWN = List.of(
            Attributes.ENDPOINT,
            Attributes.METHOD,
            Attributes.CLIENT_ID,
            Attributes.IP,
            Attributes.REMOTE_ADDRESS,
            Attributes.API_KEY,
            Attributes.TIER);

    private final Map<String, Integer> positions = new HashMap<>();
    /** The positions whose values are addresses. */
    final BitSet addresses = new BitSet();

    final EndpointForm form;
    private int size = AttributeValues.KNOWN;
    /** Whether a rule reads the endpoint or the method that may stand in it. */
    boolean readsEndpoint;
    /** Whether a rule reads the endpoint in lower case. */
    boolean readsLowerCase;

    /** Creates positions for rules that compare endpoints in {@code form}. */
    public AttributePositions(EndpointForm form) {
        this.form = form;
        for (int i = 0; i < KNOWN.size(); i++) {
            put(KNOWN.get(i), i);
        }
    }

    private void put(String attribute, int position) {
        positions.put(attribute, position);
        addresses.set(position, Attributes.isAddress(attribute));
    }

    public EndpointForm form() {
        return form;
    }

    /** The position of {@code attribute}, for a rule that ignores the letter case of endpoints or does not. */
    public int of(String attribute, boolean ignoresCase) {
        boolean endpoint = attribute.equals(Attributes.ENDPOINT);
        readsEndpoint |= endpoint || attribute.equals(Attributes.METHOD);
        if (endpoint && ignoresCase) {
            readsLowerCase = true;
            return AttributeValues.LOWER_CASE_ENDPOINT;
        }
        Integer known = positions.get(attribute);
        if (known != null) {
            return known;
        }
        put(attribute, size);
        return size++;
    }

    /** The position of an attribute of a request; null if no rule mentions it. */
    @Nullable
    Integer find(String attribute) {
        return positions.get(attribute);
    }

    public int size() {
        return size;
    }
}
