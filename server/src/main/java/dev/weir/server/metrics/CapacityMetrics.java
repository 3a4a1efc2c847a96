package dev.weir.server.metrics;

import dev.weir.LoadShedder.Priority;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.model.Rule;
import dev.weir.internal.shedding.CapacityGate;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Writes how near each service is to its capacity, and whom it sheds. */
public final class CapacityMetrics {
    private static final String SHED = "ratelimit_capacity_shed_total";
    private static final List<Priority> SHED_PRIORITIES = List.of(Priority.TEST, Priority.READ, Priority.WRITE);
    private static final double THOUSAND = 1_000;

    private final Limiter limiter;
    private final TimeSource time;

    /** Writes the services of {@code limiter}, which has the clock {@code time}. */
    public CapacityMetrics(Limiter limiter, TimeSource time) {
        this.limiter = limiter;
        this.time = time;
    }

    public void write(Exposition out) {
        List<Rule> services =
                limiter.index().rules().stream().filter(Rule::isCapacity).toList();
        out.metric(SHED, "counter", "Requests refused with 503 because their service is near its capacity.");
        for (Rule each : services) {
            CapacityGate gate = limiter.capacity().find(each);
            for (Priority priority : SHED_PRIORITIES) {
                out.sample(
                        SHED,
                        Exposition.labels(
                                "domain",
                                each.domain(),
                                "rule",
                                each.label(),
                                "priority",
                                priority.name().toLowerCase(Locale.ROOT)),
                        gate == null ? 0 : gate.shed(priority));
            }
        }
        gauge(
                out,
                services,
                "ratelimit_capacity_admitted_ratio",
                "Share of the requests that are not critical that a service with a capacity admits.",
                CapacityGate::admitted);
        gauge(
                out,
                services,
                "ratelimit_capacity_reserve_ratio",
                "Share of the capacity of a service that is kept free for critical requests.",
                gate -> gate.reservedSteps() * CapacityGate.STEP / THOUSAND);
        long now = time.micros();
        gauge(
                out,
                services,
                "ratelimit_capacity_usage_ratio",
                "Share of the capacity beside that reserve in use; NaN if there was no request in the last second.",
                gate -> gate.usage(now));
    }

    private void gauge(
            Exposition out, List<Rule> services, String name, String help, ToDoubleFunction<CapacityGate> value) {
        out.metric(name, "gauge", help);
        for (Rule each : services) {
            CapacityGate gate = limiter.capacity().find(each);
            if (gate != null) {
                out.sample(
                        name,
                        Exposition.labels("domain", each.domain(), "rule", each.label()),
                        value.applyAsDouble(gate));
            }
        }
    }
}
