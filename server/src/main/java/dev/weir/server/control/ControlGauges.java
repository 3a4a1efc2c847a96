package dev.weir.server.control;

import dev.weir.control.ControlPlane;
import dev.weir.server.metrics.ServerMetrics;
import org.jspecify.annotations.Nullable;

/** Gauges of the control plane. Without one, all are zero, and whether its database is connected is not said. */
record ControlGauges(@Nullable ControlPlane control) {

    void addTo(ServerMetrics metrics) {
        ControlPlane opened = control;
        if (opened != null) {
            metrics.gauge(
                    "ratelimit.database.connected",
                    "1 while the database of rules and quotas is connected.",
                    () -> opened.isConnected() ? 1 : 0);
        }
        metrics.gauge(
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
