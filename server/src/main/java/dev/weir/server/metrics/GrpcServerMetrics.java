package dev.weir.server.metrics;

import dev.weir.server.grpc.GrpcServerObserver;
import dev.weir.server.grpc.protocol.GrpcStatus;
import java.lang.System.Logger.Level;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counts what happens to connections and calls of the gRPC lane; none of it is on the way of an ordinary decision. */
public final class GrpcServerMetrics implements GrpcServerObserver {
    private static final System.Logger LOG = System.getLogger(GrpcServerMetrics.class.getName());

    private final LongAdder open = new LongAdder();
    private final LongAdder cutOff = new LongAdder();
    private final Map<GrpcStatus, LongAdder> ended = new EnumMap<>(GrpcStatus.class);

    public GrpcServerMetrics(ServerMetrics metrics) {
        metrics.gauge("ratelimit.grpc.connections", "Connections open on the gRPC port.", open::sum);
        metrics.counter(
                "ratelimit.grpc.connections.cut.off",
                "Connections turned away or closed because the peer went past a bound; the log says which.",
                cutOff::sum);
        for (GrpcStatus each : GrpcStatus.values()) {
            LongAdder count = new LongAdder();
            ended.put(each, count);
            metrics.counter(
                    "ratelimit.grpc.calls",
                    "Calls that ended otherwise than with an answer to ShouldRateLimit, by status.",
                    count::sum,
                    "status",
                    each.name().toLowerCase(Locale.ROOT));
        }
    }

    @Override
    public void opened() {
        open.increment();
    }

    @Override
    public void closed() {
        open.decrement();
    }

    @Override
    public void cutOff(String reason) {
        cutOff.increment();
        LOG.log(Level.WARNING, "gRPC: a connection was cut off: " + reason);
    }

    @Override
    public void overBudget() {
        cutOff.increment();
    }

    @Override
    public void failed(Throwable cause) {
        LOG.log(Level.ERROR, "gRPC: a fault of the server", cause);
    }

    @Override
    public void ended(GrpcStatus status) {
        Objects.requireNonNull(ended.get(status)).increment();
    }
}
