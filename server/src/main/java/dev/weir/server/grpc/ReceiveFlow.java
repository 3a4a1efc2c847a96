package dev.weir.server.grpc;

import static io.netty.handler.codec.http2.Http2Error.FLOW_CONTROL_ERROR;

import io.netty.handler.codec.http2.Http2Exception;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the peer may send. Windows are topped up when half of them is used, the connection's at most once a read; what has to be
 * kept until a request is whole is charged to one bound for the whole lane.
 */
final class ReceiveFlow {
    static final int STREAM_WINDOW = 65_535;
    static final int CONNECTION_WINDOW = 1 << 20;
    /** About what an open stream takes, with the smallest buffer for its message. */
    static final int STREAM_COST = 512;

    private final Output output;
    private final AtomicLong buffered;
    private final long mostBuffered;
    private int used;
    private long settled;

    ReceiveFlow(Output output, AtomicLong buffered, long mostBuffered) {
        this.output = output;
        this.buffered = buffered;
        this.mostBuffered = mostBuffered;
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

    void received(Stream stream, int bytes) throws Http2Exception {
        stream.receiveWindow -= bytes;
        if (stream.receiveWindow < 0) {
            throw Http2Exception.streamError(stream.id, FLOW_CONTROL_ERROR, "more data than the stream's window");
        }
    }

    /** Lets the peer go on, if it is waiting to. */
    void topUp(Stream stream) {
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

    /** Whether one more stream may stay open for its request to end. */
    boolean hasRoom() {
        return buffered.get() < mostBuffered;
    }

    /** Charges for so many streams whose requests have not ended, and no longer for those before: once a read, for most begin and end in one. */
    void settle(int unfinished) {
        long now = (long) unfinished * STREAM_COST;
        if (now != settled) {
            buffered.addAndGet(now - settled);
            settled = now;
        }
    }

    void charge(Stream stream, int bytes) throws CallError {
        if (buffered.addAndGet(bytes) > mostBuffered) {
            buffered.addAndGet(-bytes);
            throw noRoom();
        }
        stream.charged += bytes;
    }

    CallError noRoom() {
        return new CallError(
                GrpcStatus.RESOURCE_EXHAUSTED,
                "unfinished requests of all callers: more than " + mostBuffered + " bytes");
    }

    void discharge(Stream stream, int bytes) {
        if (bytes > 0) {
            buffered.addAndGet(-bytes);
            stream.charged -= bytes;
        }
    }
}
