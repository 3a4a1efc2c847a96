package dev.weir.server.control;

import dev.weir.control.ControlPlane;
import dev.weir.server.metrics.ServerMetrics;
import org.jspecify.annotations.Nullable;

/** What the control plane shows of itself; zeros where there is none. */
record ControlGauges(@Nullable ControlPlane control) {

    void addTo(ServerMetrics metrics) {
        metrics.gauge(
                        "ratelimit.database.connected",
                        "1 while the database of rules and quotas answers; 0 also where there is none.",
                        () -> control != null && control.isConnected() ? 1 : 0)
                .gauge(
                        "ratelimit.database.version",
                        "The last change of rules and quotas that this node has seen.",
                        () -> control == null ? 0 : Math.max(0, control.version()))
                .gauge(
                        "ratelimit.quotas",
                        "Callers with whom something was agreed.",
                        () -> control == null ? 0 : control.quotas().size())
                .gauge(
                        "ratelimit.switches.unreconciled",
                        "Switches that this node made without the database and that do not stand in it yet.",
                        () -> control == null ? 0 : control.switches().unreconciled());
    }
}
