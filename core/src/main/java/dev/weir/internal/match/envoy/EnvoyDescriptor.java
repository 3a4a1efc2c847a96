package dev.weir.internal.match.envoy;

import dev.weir.internal.model.Rule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One node of a domain in Envoy's format, as written in the file.
 *
 * @param value the value it matches, with {@code *} for any run of characters; empty for a node of the key alone
 * @param rule the node's limit, or null
 * @param shareThreshold whether all values of the wildcard share one counter
 */
public record EnvoyDescriptor(
        String key, String value, @Nullable Rule rule, boolean shareThreshold, List<EnvoyDescriptor> children) {

    public EnvoyDescriptor {
        children = List.copyOf(children);
    }

    /** Whether requests that it matches can differ in its value, and are then counted apart. */
    public boolean tellsApart() {
        return value.isEmpty() || (value.indexOf('*') >= 0 && !shareThreshold);
    }
}
