package dev.weir.server.rlqs;

import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcStatus;
import dev.weir.server.grpc.service.GrpcServiceCall;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The reports that wait for the worker, and the calls that have not ended. The worker takes a report of each address in
 * turn, so that one that sends without pause delays the others by a part of a report at a time. Thread-safe.
 */
final class ReportInbox {
    /** About the memory of a waiting report beside its bytes: there may be millions that are empty. */
    private static final int REPORT_BYTES = 256;

    private final PeerBudget budget;
    private final Map<GrpcServiceCall, PeerBudget.Share> open = new HashMap<>();
    private final PeerQueue<Waiting> waiting = new PeerQueue<>();
    private boolean taking;

    /** A report and the share that pays for it. */
    private record Waiting(Received received, PeerBudget.Share share) {
        long cost() {
            return cost(received.message);
        }

        static long cost(byte[] message) {
            return (long) REPORT_BYTES + message.length;
        }
    }

    /** A report of a call, not read yet. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Received(GrpcServiceCall call, byte[] message) {}

    /** Reports of all streams may take {@code most} bytes. */
    ReportInbox(long most) {
        this.budget = new PeerBudget(most);
    }

    /** Adds {@code call}; returns false if it was added before. */
    synchronized boolean open(GrpcServiceCall call) {
        return open.putIfAbsent(call, budget.share(call.address())) == null;
    }

    /** Ends {@code call}: its reports that wait are not worth reading. */
    synchronized void close(GrpcServiceCall call) {
        open.remove(call);
    }

    synchronized boolean isOpen(GrpcServiceCall call) {
        return open.containsKey(call);
    }

    /**
     * Adds a report of an open call. Returns whether the worker must be told: it takes nothing at the moment.
     *
     * @throws GrpcCallException if reports of this stream, of its address or of all take too much
     */
    synchronized boolean add(GrpcServiceCall call, byte[] message) throws GrpcCallException {
        PeerBudget.Share share = open.get(call);
        if (share == null) {
            return false; // the call has ended
        }
        if (!share.take(Waiting.cost(message))) {
            throw new GrpcCallException(
                    GrpcStatus.RESOURCE_EXHAUSTED,
                    "reports that wait: too many bytes of this stream or address (expected: a report every five"
                            + " seconds)");
        }
        waiting.add(call.address(), new Waiting(new Received(call, message), share));
        boolean wake = !taking;
        taking = true;
        return wake;
    }

    /** Takes the next report. Null if there is none: then the worker rests until {@link #add} returns true. */
    synchronized @Nullable Received poll() {
        Waiting next = waiting.poll();
        taking = next != null;
        if (next == null) {
            return null;
        }
        next.share.add(-next.cost());
        return next.received;
    }
}
