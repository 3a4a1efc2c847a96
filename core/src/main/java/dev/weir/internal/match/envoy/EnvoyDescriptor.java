package dev.weir.internal.match.envoy;

import dev.weir.internal.model.Rule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One node of a domain in Envoy's spelling, as the file gave it.
 *
 * @param value the value it asks for, with {@code *} for any run of characters; empty for a node of the key alone
 * @param rule the node's limit, or null
 * @param shareThreshold all values of the wildcard share one counter
 */
public record EnvoyDescriptor(
        String key, String value, @Nullable Rule rule, boolean shareThreshold, List<EnvoyDescriptor> children) {

    public EnvoyDescriptor {
        children = List.copyOf(children);
    }

    /** Whether requests that it matches can differ in its value and are counted apart then. */
    boolean tellsApart() {
        return value.isEmpty() || (value.indexOf('*') >= 0 && !shareThreshold);
    }
}
