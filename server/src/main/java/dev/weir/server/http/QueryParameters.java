package dev.weir.server.http;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parameters of a request in their order. Names are told apart by their case, as attributes of rules are. */
public record QueryParameters(List<Map.Entry<String, String>> parameters) {

    public QueryParameters {
        parameters = List.copyOf(parameters);
    }

    /** The first of this name, or null. */
    public @Nullable String get(String name) {
        for (Map.Entry<String, String> each : parameters) {
            if (each.getKey().equals(name)) {
                return each.getValue();
            }
        }
        return null;
    }
}
