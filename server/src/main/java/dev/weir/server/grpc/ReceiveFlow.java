package dev.weir.server.grpc;

import static io.netty.handler.codec.http2.Http2Error.FLOW_CONTROL_ERROR;

import dev.weir.server.grpc.http2.FrameOutput;
import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcStatus;
import io.netty.handler.codec.http2.Http2Exception;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Controls the flow of data from the peer. Windows are refilled when half of them is used, the connection's at most
 * once a read. Data that must be kept until a request is whole is charged to one bound for the whole server, of which
 * each connection has a share.
 */
final class ReceiveFlow {
    static final int STREAM_WINDOW = 65_535;
    static final int CONNECTION_WINDOW = 1 << 20;
    /** The approximate memory of an open stream, with the smallest buffer for its message. */
    static final int STREAM_COST = 512;
    /** The same for a stream without a time limit, with the call and the service's record of it. */
    static final int LASTING_COST = 2 << 10;

    private final FrameOutput output;
    private final AtomicLong buffered;
    private final long maxBuffered;
    private final long share;
    private int used;
    /** This connection's part of {@link #buffered}. */
    private long held;
    /** The part of {@link #held} that is charged for streams and not for their data. */
    private long settled;

    ReceiveFlow(FrameOutput output, AtomicLong buffered, GrpcServerSettings settings) {
        this.output = output;
        this.buffered = buffered;
        this.maxBuffered = settings.bounds().buffered();
        this.share = settings.shareOfBuffered();
    }

    void open() {
        output.windowUpdate(0, CONNECTION_WINDOW - STREAM_WINDOW);
    }

    void received(int bytes) throws Http2Exception {
        used += bytes;
        if (used > CONNECTION_WINDOW) {
            throw Http2Exception.connectionError(FLOW_CONTROL_ERROR, "more data than the connection's window");
        }
    }

    void received(GrpcStream stream, int bytes) throws Http2Exception {
        stream.receiveWindow -= bytes;
        if (stream.receiveWindow < 0) {
            throw Http2Exception.streamError(stream.id, FLOW_CONTROL_ERROR, "more data than the stream's window");
        }
    }

    /** Refills the stream's window once half of it is used. */
    void topUp(GrpcStream stream) {
        if (stream.receiveWindow < STREAM_WINDOW / 2) {
            output.windowUpdate(stream.id, STREAM_WINDOW - stream.receiveWindow);
            stream.receiveWindow = STREAM_WINDOW;
        }
    }

    void topUp() {
        if (used > CONNECTION_WINDOW / 2) {
            output.windowUpdate(0, used);
            used = 0;
        }
    }

    /**
     * Sets the charge for {@code unfinished} streams whose requests have not ended, and for {@code lasting} ones. Called
     * once a read, because most streams begin and end in one. Returns whether they fit.
     */
    boolean settle(int unfinished, int lasting) {
        long more = (long) unfinished * STREAM_COST + (long) lasting * LASTING_COST - settled;
        if (more == 0) {
            return true;
        }
        settled += more;
        return hold(more) || more < 0;
    }

    /** Charges for {@code bytes} that are kept for the stream. */
    void charge(GrpcStream stream, int bytes) throws GrpcCallException {
        stream.charged += bytes;
        if (!hold(bytes)) {
            GrpcCallException full = boundExceeded();
            discharge(stream, bytes);
            throw full;
        }
    }

    void discharge(GrpcStream stream, int bytes) {
        if (bytes > 0) {
            hold(-bytes);
            stream.charged -= bytes;
        }
    }

    /** The bytes of incomplete requests that this connection holds. */
    long held() {
        return held;
    }

    private boolean hold(long bytes) {
        held += bytes;
        return buffered.addAndGet(bytes) <= maxBuffered && held <= share;
    }

    /** Names the exceeded bound; to be called while the excess is still charged. */
    GrpcCallException boundExceeded() {
        return new GrpcCallException(
                GrpcStatus.RESOURCE_EXHAUSTED,
                held > share
                        ? "too many bytes of unfinished requests on this connection (expected: <= " + share + ")"
                        : "too many bytes of unfinished requests on all connections (expected: <= " + maxBuffered
                                + ")");
    }
}
