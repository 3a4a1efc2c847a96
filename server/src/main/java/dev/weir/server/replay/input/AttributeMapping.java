package dev.weir.server.replay.input;

import dev.weir.Request;
import dev.weir.control.decisions.IdentityHash;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.text.message.Suggestion;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which attributes a request gets from the fields of its line.
 *
 * @param domain the domain of requests whose line names none
 * @param attributes text with fields by attribute; empty text leaves the attribute out
 * @param hash hashes identities as the decision sink does; null leaves them as they are
 */
public record AttributeMapping(
        String domain,
        Map<String, String> attributes,
        @Nullable IdentityHash hash) {
    private static final Set<String> PLAIN = Set.copyOf(IdentityHash.PLAIN);

    public AttributeMapping {
        attributes = new LinkedHashMap<>(attributes);
    }

    /** An attribute and the parts of its value: names of fields, by their index in a line, and text between them. */
    record Compiled(String attribute, List<FieldText.Part> parts, List<Integer> fields) {}

    /**
     * Finds the fields that the attributes name among {@code known}.
     *
     * @throws IllegalArgumentException if there is no such field
     */
    List<Compiled> compile(List<String> known) {
        List<Compiled> all = new ArrayList<>();
        attributes.forEach((attribute, text) -> {
            List<FieldText.Part> parts = FieldText.parts(text);
            List<Integer> fields = new ArrayList<>();
            for (FieldText.Part part : parts) {
                fields.add(part.isField() ? indexOf(part.text(), known, attribute) : -1);
            }
            if (!parts.isEmpty()) {
                all.add(new Compiled(attribute, parts, fields));
            }
        });
        return all;
    }

    private static int indexOf(String field, Collection<String> known, String attribute) {
        int at = List.copyOf(known).indexOf(field);
        if (at < 0) {
            String hint = Suggestion.among(field, known);
            throw new IllegalArgumentException("--attribute " + attribute + ": unknown field " + field
                    + (hint.isEmpty() ? "" : " (" + hint + ")"));
        }
        return at;
    }

    /** Whether {@code attribute} is set by an option, so that its usual field does not. */
    boolean sets(String attribute) {
        return attributes.containsKey(attribute);
    }

    /** Adds the attributes of a line with {@code values} to {@code into}; a missing value leaves its attribute out. */
    void add(List<Compiled> all, @Nullable String[] values, TrafficLine into) {
        for (Compiled each : all) {
            String value = value(each, values);
            if (value != null) {
                add(each.attribute(), value, into);
            }
        }
    }

    private static @Nullable String value(Compiled each, @Nullable String[] values) {
        if (each.fields().size() == 1) {
            int field = each.fields().get(0);
            return field < 0 ? each.parts().get(0).text() : values[field];
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < each.fields().size(); i++) {
            int field = each.fields().get(i);
            String part = field < 0 ? each.parts().get(i).text() : values[field];
            if (part == null) {
                return null;
            }
            text.append(part);
        }
        return text.toString();
    }

    /** Adds one attribute; of a list of addresses the last, which the proxy itself has seen. */
    void add(String attribute, String value, TrafficLine into) {
        Request request = into.request();
        String own = value;
        if (Attributes.isAddress(attribute)) {
            own = value.substring(value.lastIndexOf(',') + 1).strip();
        }
        if (hash != null && !IdentityHash.isPlain(attribute, PLAIN)) {
            own = hash.of(attribute, own);
            into.hashed().add(attribute);
        }
        request.with(attribute, own);
    }
}
