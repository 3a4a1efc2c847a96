package dev.weir.server.metrics;

import dev.weir.internal.model.MutableDecision;
import dev.weir.server.grpc.GrpcServerObserver;
import dev.weir.server.grpc.protocol.GrpcStatus;
import dev.weir.server.tracing.TracedDecisions;
import java.lang.System.Logger.Level;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the connections and the exceptional calls of the gRPC server. None of it is on the path of an ordinary
 * decision.
 */
public final class GrpcServerMetrics implements GrpcServerObserver {
    private static final System.Logger LOG = System.getLogger(GrpcServerMetrics.class.getName());

    private final TracedDecisions traces;
    private final LongAdder open = new LongAdder();
    private final LongAdder cutOff = new LongAdder();
    private final Map<GrpcStatus, LongAdder> ended = new EnumMap<>(GrpcStatus.class);

    /** Creates the counts; {@code traces} observes the calls that belong to a trace. */
    public GrpcServerMetrics(ServerMetrics metrics, TracedDecisions traces) {
        this.traces = traces;
        metrics.gauge("ratelimit.grpc.connections", "Connections open on the gRPC port.", open::sum);
        metrics.counter(
                "ratelimit.grpc.connections.cut.off",
                "Connections refused or closed because the peer exceeded a bound; the log says which.",
                cutOff::sum);
        for (GrpcStatus each : GrpcStatus.values()) {
            LongAdder count = new LongAdder();
            ended.put(each, count);
            metrics.counter(
                    "ratelimit.grpc.calls",
                    "Calls that did not end with an answer to ShouldRateLimit, by status.",
                    count::sum,
                    "status",
                    each.name().toLowerCase(Locale.ROOT));
        }
    }

    @Override
    public boolean tracesPasses() {
        return traces.includePasses();
    }

    @Override
    public void traced(CharSequence traceparent, MutableDecision decision) {
        traces.decided(traceparent, decision);
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
        LOG.log(Level.WARNING, "gRPC: closed a connection: " + reason);
    }

    @Override
    public void overBudget() {
        cutOff.increment();
    }

    @Override
    public void failed(Throwable cause) {
        LOG.log(Level.ERROR, "gRPC: internal error", cause);
    }

    @Override
    public void ended(GrpcStatus status) {
        Objects.requireNonNull(ended.get(status)).increment();
    }
}
