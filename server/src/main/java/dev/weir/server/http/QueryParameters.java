package dev.weir.server.http;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parameters of a request, in order. Names are case-sensitive, like the attributes of rules. */
public record QueryParameters(List<Map.Entry<String, String>> parameters) {

    public QueryParameters {
        parameters = List.copyOf(parameters);
    }

    /** The first parameter of this name, or null. */
    public @Nullable String get(String name) {
        for (Map.Entry<String, String> each : parameters) {
            if (each.getKey().equals(name)) {
                return each.getValue();
            }
        }
        return null;
    }
}
