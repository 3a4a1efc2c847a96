package dev.weir.server.rlqs;

import dev.weir.server.grpc.protocol.GrpcStatus;
import dev.weir.server.grpc.service.GrpcServiceCall;
import java.util.HashMap;
import java.util.Map;

/** The stream of one Envoy for one domain. */
final class QuotaStream {
    /** How long Envoy keeps an assignment that is not renewed: three reports. */
    static final int TTL_SECONDS = 15;

    private final GrpcServiceCall call;
    private final Map<QuotaBucketId, QuotaBucket> buckets = new HashMap<>();
    private final AssignmentWriter assignments = new AssignmentWriter(TTL_SECONDS);
    private final long openedMicros;
    private String domain = "";
    private long reportedMicros;

    QuotaStream(GrpcServiceCall call, long openedMicros) {
        this.call = call;
        this.openedMicros = openedMicros;
    }

    /** The Envoy's name for itself, or else its address. */
    String peer() {
        return call.peer();
    }

    /** The domain of all its buckets; empty before the first report. */
    String domain() {
        return domain;
    }

    void reported(String ofDomain, long nowMicros) {
        domain = ofDomain;
        reportedMicros = nowMicros;
    }

    /** This stream as operators see it. */
    QuotaPeer peerView() {
        long held = 0;
        for (QuotaBucket each : buckets.values()) {
            held += each.ledger().open();
        }
        return new QuotaPeer(call.peer(), domain, buckets.size(), held, openedMicros, reportedMicros);
    }

    Map<QuotaBucketId, QuotaBucket> buckets() {
        return buckets;
    }

    /** The assignments to send next. */
    AssignmentWriter assignments() {
        return assignments;
    }

    /** Sends the assignments that were written since the last call. */
    void flush() {
        assignments.messages().forEach(call::send);
    }

    void end(GrpcStatus status, String text) {
        call.end(status, text);
    }
}
