package dev.weir.server.rlqs;

import dev.weir.server.grpc.protocol.GrpcStatus;
import dev.weir.server.grpc.service.GrpcServiceCall;
import java.util.HashMap;
import java.util.Map;

/** The stream of one Envoy for one domain. */
final class QuotaStream {
    /** How long Envoy keeps an assignment that is not renewed: three reports. */
    static final int TTL_SECONDS = 15;

    /** About the memory of a stream without buckets. */
    static final int STREAM_BYTES = 2 << 10;

    /**
     * The unsent bytes of a connection above which its buckets get no more assignments. Beyond four times as many the
     * connection would be closed, although the Envoy has only a small window.
     */
    static final int MOST_UNSENT = 1 << 20;

    private final GrpcServiceCall call;
    private final PeerBudget.Share places;
    private final PeerBudget.Share memory;
    private final Map<QuotaBucketId, QuotaBucket> buckets = new HashMap<>();
    private final AssignmentWriter assignments = new AssignmentWriter(TTL_SECONDS);
    private final long openedMicros;
    private String domain = "";
    private long reportedMicros;

    /** Creates the stream of {@code call}, with its shares of the budgets for buckets and for their bytes. */
    QuotaStream(GrpcServiceCall call, PeerBudget places, PeerBudget memory, long openedMicros) {
        this.call = call;
        this.places = places.share(call.address());
        this.memory = memory.share(call.address());
        this.openedMicros = openedMicros;
    }

    /** The address that shares budgets with others. */
    String address() {
        return call.address();
    }

    /** Its part of all buckets. */
    PeerBudget.Share places() {
        return places;
    }

    /** Its part of the bytes of all buckets and grants. */
    PeerBudget.Share memory() {
        return memory;
    }

    /** Whether the Envoy does not read its assignments as fast as they come. */
    boolean isBehind() {
        return call.unsent() > MOST_UNSENT;
    }

    /** Finds out soon whether an Envoy that is behind has read meanwhile. */
    void tick() {
        if (isBehind()) {
            call.measureUnsent();
        }
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
