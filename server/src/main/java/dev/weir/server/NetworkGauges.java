package dev.weir.server;

import dev.weir.server.memory.CloseReason;
import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.metrics.ServerMetrics;
import io.netty.util.internal.PlatformDependent;

/** Metrics of the memory that peers hold, and of connections that were closed because of it. */
record NetworkGauges(MemoryBudget memory) {

    void addTo(ServerMetrics metrics) {
        metrics.gauge(
                "ratelimit.network.memory.bytes",
                "Bytes held for peers: unfinished requests, and answers that they have not taken.",
                memory::held);
        metrics.gauge(
                "ratelimit.network.memory.limit.bytes",
                "Above this, the costliest connections are closed.",
                () -> memory.limits().process());
        metrics.gauge(
                "ratelimit.direct.memory.bytes",
                "Direct memory that Netty has allocated, pools included; 0 if the JVM does not let Netty count it.",
                () -> Math.max(0, PlatformDependent.usedDirectMemory()));
        for (CloseReason each : CloseReason.values()) {
            metrics.counter(
                    "ratelimit.connections.closed",
                    "Connections refused or closed to protect the server, by reason.",
                    () -> memory.closed().count(each),
                    "reason",
                    each.label());
        }
    }
}
