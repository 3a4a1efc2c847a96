package dev.weir.server.grpc;

import static io.netty.handler.codec.http2.Http2Error.FLOW_CONTROL_ERROR;

import dev.weir.server.grpc.http2.FrameOutput;
import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcStatus;
import io.netty.handler.codec.http2.Http2Exception;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the peer may send. Windows are topped up when half of them is used, the connection's at most once a read; what has to be
 * kept until a request is whole is charged to one bound for the whole lane, of which no connection may take more than its share.
 */
final class ReceiveFlow {
    static final int STREAM_WINDOW = 65_535;
    static final int CONNECTION_WINDOW = 1 << 20;
    /** About what an open stream takes, with the smallest buffer for its message. */
    static final int STREAM_COST = 512;

    private final FrameOutput output;
    private final AtomicLong buffered;
    private final long mostBuffered;
    private final long share;
    private int used;
    /** What of {@link #buffered} is this connection's. */
    private long held;
    /** What of {@link #held} is for streams, not for what they sent. */
    private long settled;

    ReceiveFlow(FrameOutput output, AtomicLong buffered, GrpcServerSettings settings) {
        this.output = output;
        this.buffered = buffered;
        this.mostBuffered = settings.bounds().buffered();
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

    /** Lets the peer go on, if it is waiting to. */
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
     * Charges for so many streams whose requests have not ended, and no longer for those before: once a read, for most begin and
     * end in one. Returns whether there is room for them.
     */
    boolean settle(int unfinished) {
        long more = (long) unfinished * STREAM_COST - settled;
        if (more == 0) {
            return true;
        }
        settled += more;
        return hold(more) || more < 0;
    }

    /** Charges for what has to be kept of the stream. */
    void charge(GrpcStream stream, int bytes) throws GrpcCallException {
        stream.charged += bytes;
        if (!hold(bytes)) {
            GrpcCallException full = noRoom();
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

    /** Bytes that this connection holds of requests that are not whole. */
    long held() {
        return held;
    }

    private boolean hold(long bytes) {
        held += bytes;
        return buffered.addAndGet(bytes) <= mostBuffered && held <= share;
    }

    /** Which bound it was, to be asked while what was too much is still charged for. */
    GrpcCallException noRoom() {
        return new GrpcCallException(
                GrpcStatus.RESOURCE_EXHAUSTED,
                held > share
                        ? "unfinished requests of this connection: more than " + share + " bytes"
                        : "unfinished requests of all callers: more than " + mostBuffered + " bytes");
    }
}
