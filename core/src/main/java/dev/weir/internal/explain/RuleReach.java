package dev.weir.internal.explain;

import dev.weir.OnMissing;
import dev.weir.Request;
import dev.weir.internal.match.AttributePositions;
import dev.weir.internal.match.AttributeValues;
import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.pattern.Glob;
import dev.weir.internal.match.weir.CompiledCondition;
import dev.weir.internal.match.weir.WeirRule;
import java.util.List;
import java.util.Set;

/**
 * Tells whether a rule may ever apply to requests of which a configuration fixes the attributes, and only some values. A
 * doubt counts as yes.
 */
public final class RuleReach {
    private final Request request;
    private final Set<String> open;
    private final EndpointForm form;

    /**
     * Creates it for requests like {@code request}, which has one descriptor.
     *
     * @param open the attributes whose values may be any
     */
    public RuleReach(Request request, Set<String> open, EndpointForm form) {
        this.request = request;
        this.open = Set.copyOf(open);
        this.form = form;
    }

    /** Whether one of these rules in Weir's format may apply. */
    public boolean weir(List<WeirRule> rules) {
        return rules.stream().anyMatch(this::mayApply);
    }

    private boolean mayApply(WeirRule from) {
        AttributePositions positions = new AttributePositions(form);
        from.match().forEach(each -> positions.of(each.attribute(), from.ignoresCase()));
        AttributeValues values = new AttributeValues();
        values.load(request, 0, positions);
        for (Condition each : from.matchIn(form)) {
            boolean fixed = !open.contains(each.attribute()) && !mayBeAdded(each.attribute());
            int slot = positions.of(each.attribute(), from.ignoresCase());
            if (fixed && !new CompiledCondition(slot, each.anyOf()).holds(values)) {
                return false;
            }
        }
        return from.rule().onMissing() != OnMissing.SKIP || hasKey(from.keyBy());
    }

    /** Whether the server may add the attribute, or make it of others. */
    private static boolean mayBeAdded(String attribute) {
        return attribute.equals(Attributes.TIER)
                || attribute.equals(Attributes.ENDPOINT)
                || Attributes.isAddress(attribute)
                || Attributes.isClient(attribute);
    }

    private boolean hasKey(KeyBy key) {
        return key.parts().stream()
                .allMatch(part -> part.stream().anyMatch(each -> mayBeAdded(each) || request.value(0, each) != null));
    }

    /** Whether the descriptor, or the set of attributes, may get a limit of this tree in Envoy's format. */
    public boolean envoy(List<EnvoyDescriptor> tree) {
        return request.isAttributes() ? anyPath(tree) : envoy(tree, request.start(0));
    }

    private boolean envoy(List<EnvoyDescriptor> nodes, int entry) {
        return entry < request.end(0)
                && nodes.stream()
                        .anyMatch(each -> each.key().equals(request.key(entry))
                                && takes(each)
                                && (entry + 1 == request.end(0)
                                        ? each.rule() != null
                                        : envoy(each.children(), entry + 1)));
    }

    private boolean anyPath(List<EnvoyDescriptor> nodes) {
        return nodes.stream()
                .anyMatch(each -> (mayBeAdded(each.key()) || request.value(0, each.key()) != null)
                        && takes(each)
                        && (each.rule() != null || anyPath(each.children())));
    }

    private boolean takes(EnvoyDescriptor node) {
        String value = request.value(0, node.key());
        return node.value().isEmpty()
                || value == null
                || open.contains(node.key())
                || mayBeAdded(node.key())
                || new Glob(node.value()).matches(value);
    }
}
