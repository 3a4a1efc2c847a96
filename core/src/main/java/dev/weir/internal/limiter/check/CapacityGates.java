package dev.weir.internal.limiter.check;

import dev.weir.Limit;
import dev.weir.internal.model.Rule;
import dev.weir.internal.shedding.CapacityGate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The gates of all services of a process, by rule. They outlive the rule set, so that a reload forgets no overload. */
public final class CapacityGates {
    private final Map<String, CapacityGate> gates = new ConcurrentHashMap<>();

    /** The gate of {@code rule}; null if it is not the capacity of a service in force. */
    public @Nullable CapacityGate find(Rule rule) {
        return rule.isCapacity() ? gates.get(name(rule)) : null;
    }

    /** The capacities that {@code rules} are, by ordinal; empty if none is. Forgets the gates of all other rules. */
    @Nullable
    ServiceCapacity[] capacities(List<Rule> rules) {
        List<Rule> services = rules.stream().filter(Rule::isCapacity).toList();
        gates.keySet().retainAll(services.stream().map(CapacityGates::name).toList());
        @Nullable ServiceCapacity[] capacities = new ServiceCapacity[services.isEmpty() ? 0 : rules.size()];
        for (Rule each : services) {
            CapacityGate gate = gates.computeIfAbsent(name(each), name -> new CapacityGate());
            gate.setReserve(each.reserve());
            Limit limit = each.limit();
            capacities[each.ordinal()] = limit == null ? null : new ServiceCapacity(each, limit, gate);
        }
        return capacities;
    }

    private static String name(Rule rule) {
        return rule.domain() + "\n" + rule.id();
    }
}
