package dev.weir.server.control;

import dev.weir.control.ControlPlane;
import dev.weir.server.metrics.ServerMetrics;
import org.jspecify.annotations.Nullable;

/** Gauges of the control plane; all are zero if there is none. */
record ControlGauges(@Nullable ControlPlane control) {

    void addTo(ServerMetrics metrics) {
        metrics.gauge(
                        "ratelimit.database.connected",
                        "1 while the database of rules and quotas is connected; 0 also if there is none.",
                        () -> control != null && control.isConnected() ? 1 : 0)
                .gauge(
                        "ratelimit.database.version",
                        "Version of the last change of rules and quotas that this node has loaded.",
                        () -> control == null ? 0 : Math.max(0, control.version()))
                .gauge(
                        "ratelimit.quotas",
                        "Callers that have a quota.",
                        () -> control == null ? 0 : control.quotas().size())
                .gauge(
                        "ratelimit.switches.unreconciled",
                        "Switches set on this node that the database does not hold yet.",
                        () -> control == null ? 0 : control.switches().unreconciled());
    }
}
