package dev.weir.internal.match.weir;

import dev.weir.internal.match.AttributeValues;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Cidr;
import dev.weir.internal.match.pattern.EndpointPattern;
import dev.weir.internal.match.pattern.IpAddress;
import dev.weir.internal.match.pattern.ValuePattern;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A condition on the attribute at one position, for conditions that an index did not decide. */
public final class CompiledCondition {
    private final int position;
    private final Set<String> exact = new HashSet<>();
    private final ValuePattern[] patterns;

    public CompiledCondition(int position, List<ValuePattern> anyOf) {
        this.position = position;
        anyOf.forEach(each -> {
            if (each instanceof ValuePattern.Exact text) {
                exact.add(text.text());
            }
        });
        patterns = anyOf.stream()
                .filter(each -> !(each instanceof ValuePattern.Exact))
                .toArray(ValuePattern[]::new);
    }

    public boolean holds(AttributeValues attributes) {
        String value = attributes.value(position);
        if (value == null) {
            return false;
        }
        if (!exact.isEmpty() && exact.contains(value)) {
            return true;
        }
        for (ValuePattern each : patterns) {
            boolean matches = each instanceof EndpointPattern endpoint
                    ? endpoint.matches(value, attributes.pathOfEndpoint(), attributes.value(AttributeValues.METHOD))
                    : each.matches(value);
            if (matches) {
                return true;
            }
        }
        return false;
    }

    /** The text that an index would look up for {@code pattern} on {@code attribute}, or null if it cannot. */
    static @Nullable String indexable(ValuePattern pattern, String attribute) {
        if (attribute.equals(Attributes.ENDPOINT)) {
            // An exact text for an endpoint includes its method, which the index of paths does not know.
            return pattern instanceof EndpointPattern endpoint ? endpoint.exactPath() : null;
        }
        if (Attributes.isAddress(attribute)) {
            return pattern instanceof Cidr block && block.isOne() ? IpAddress.bits(block.high(), block.low()) : null;
        }
        return pattern instanceof ValuePattern.Exact text ? text.text() : null;
    }
}
