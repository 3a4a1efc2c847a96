package dev.weir.internal.limiter.check;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.model.Rule;
import dev.weir.internal.shedding.CapacityGate;

/**
 * The capacity of a service, compiled. All its requests count in one counter; those that are not critical fit up to the
 * capacity without the reserve. The reserve follows the critical traffic in steps, so there is a meter for each step.
 */
final class ServiceCapacity {
    private static final int WHOLE = 1_000;

    private final CapacityGate gate;
    /** By the number of steps that are reserved. */
    private final Meter[] meters;

    ServiceCapacity(Rule rule, Limit limit, CapacityGate gate) {
        this.gate = gate;
        this.meters = new Meter[CapacityGate.steps(rule.reserve()) + 1];
        for (int i = 0; i < meters.length; i++) {
            meters[i] = Meters.of(forOthers(rule, limit, Math.min(rule.reserve(), i * CapacityGate.STEP)));
        }
    }

    /** The part of {@code limit} for requests that are not critical; one of the rule's cost always fits. */
    static Limit forOthers(Rule rule, Limit limit, int reserved) {
        long requests = (long) ((double) limit.requests() * (WHOLE - reserved) / WHOLE);
        long least = Math.min(limit.requests(), rule.cost());
        return new Limit(
                limit.algorithm(), Math.max(least, requests), limit.windowMicros(), Math.max(least, requests), 1);
    }

    CapacityGate gate() {
        return gate;
    }

    /** The meter in force. */
    Meter meter() {
        return meters[Math.min(gate.reservedSteps(), meters.length - 1)];
    }
}
