package dev.weir.server.grpc;

import static io.netty.handler.codec.http2.Http2Error.ENHANCE_YOUR_CALM;
import static io.netty.handler.codec.http2.Http2Error.FLOW_CONTROL_ERROR;

import dev.weir.server.grpc.http2.FrameOutput;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Exception;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * Obeys the peer's flow control windows. An answer that does not fit waits on its stream and is sent as the windows
 * open. Streams that wait for the connection's window are queued, first come first served.
 */
final class SendFlow {
    private static final int DEFAULT_WINDOW = 65_535;
    private static final int DEFAULT_FRAME = 16_384;

    private final FrameOutput output;
    private final StreamTable streams;
    private final int maxUnsent;
    private final Consumer<GrpcStream> done;
    private final ArrayDeque<GrpcStream> queue = new ArrayDeque<>();
    private long window = DEFAULT_WINDOW;
    private int initialWindow = DEFAULT_WINDOW;
    private int maxFrame = DEFAULT_FRAME;
    private int unsent;
    private long held;

    /** Calls {@code done} for every stream whose answer is completely written. */
    SendFlow(FrameOutput output, StreamTable streams, int maxUnsent, Consumer<GrpcStream> done) {
        this.output = output;
        this.streams = streams;
        this.maxUnsent = maxUnsent;
        this.done = done;
    }

    int initialWindow() {
        return initialWindow;
    }

    void maxFrame(int bytes) {
        maxFrame = bytes;
    }

    /** Takes {@code length} bytes from both windows if they fit in one frame now; returns whether they did. */
    boolean take(GrpcStream stream, int length) {
        if (length > maxFrame || length > window || length > stream.sendWindow || stream.unsent != null) {
            return false;
        }
        window -= length;
        stream.sendWindow -= length;
        return true;
    }

    /** Reports that the whole answer of the stream was written. */
    void finish(GrpcStream stream) {
        done.accept(stream);
    }

    /** Appends bytes to those that wait on the stream; {@link #pump} sends what the windows allow. */
    void enqueue(GrpcStream stream, ByteBuf bytes) {
        unsent += bytes.readableBytes();
        ByteBuf waiting = stream.unsent;
        if (waiting == null) {
            stream.unsent = bytes;
            held += ReceiveFlow.STREAM_COST + bytes.capacity();
        } else {
            // A composite, not one growing buffer: growing holds both sizes at once, and large arrays fragment the
            // heap.
            CompositeByteBuf all = waiting instanceof CompositeByteBuf composite
                    ? composite
                    : Unpooled.compositeBuffer(Integer.MAX_VALUE).addComponent(true, waiting);
            held -= waiting.capacity();
            // A long-lived stream may never be empty: without this its buffer would keep everything that was ever sent.
            all.discardReadComponents().addComponent(true, bytes);
            held += all.capacity();
            stream.unsent = all;
        }
    }

    /** Drops the bytes that wait on a stream that is being closed. */
    void drop(GrpcStream stream) {
        if (stream.unsent != null) {
            unsent -= stream.unsent.readableBytes();
            held -= ReceiveFlow.STREAM_COST + stream.unsent.capacity();
        }
        if (stream.queued) {
            stream.queued = false;
            queue.remove(stream);
        }
    }

    /** Sends as much of a stream as the windows allow, and its trailers after the last byte. */
    void pump(GrpcStream stream) {
        ByteBuf bytes = stream.unsent;
        byte[] trailers = stream.trailers;
        while (bytes != null) {
            int available = (int) Math.min(Math.min(window, stream.sendWindow), maxFrame);
            if (available <= 0) {
                if (stream.sendWindow > 0 && !stream.queued) {
                    stream.queued = true;
                    queue.add(stream);
                }
                return;
            }
            int length = Math.min(available, bytes.readableBytes());
            boolean last = length == bytes.readableBytes();
            output.data(stream.id, bytes, length, last && trailers != null && trailers.length == 0);
            window -= length;
            stream.sendWindow -= length;
            unsent -= length;
            if (last) {
                held -= ReceiveFlow.STREAM_COST + bytes.capacity();
                bytes.release();
                bytes = null;
                stream.unsent = null;
            }
        }
        if (trailers != null) {
            if (trailers.length > 0) {
                output.headers(stream.id, trailers, true);
            }
            done.accept(stream);
        }
    }

    /** Fails the connection if too many bytes wait for the peer's windows. */
    void checkUnsent() throws Http2Exception {
        if (unsent > maxUnsent) {
            throw Http2Exception.connectionError(
                    ENHANCE_YOUR_CALM, "unsent answers: %d bytes (expected: <= %d)", unsent, maxUnsent);
        }
    }

    /** The memory of the streams whose answers wait for the peer's windows, with these answers. */
    long held() {
        return held;
    }

    /** Returns whether anything could leave because of it. */
    boolean connectionOpens(int bytes) throws Http2Exception {
        if (window + bytes > Integer.MAX_VALUE) {
            throw Http2Exception.connectionError(FLOW_CONTROL_ERROR, "the connection's window is past 2^31-1");
        }
        window += bytes;
        boolean moved = false;
        while (window > 0 && !queue.isEmpty()) {
            GrpcStream next = queue.remove();
            next.queued = false;
            moved = true;
            pump(next);
        }
        return moved;
    }

    /** Returns whether anything could leave because of it. */
    boolean streamOpens(GrpcStream stream, int bytes) throws Http2Exception {
        if (stream.sendWindow + bytes > Integer.MAX_VALUE) {
            throw Http2Exception.streamError(stream.id, FLOW_CONTROL_ERROR, "the stream's window is past 2^31-1");
        }
        stream.sendWindow += bytes;
        boolean moves = stream.unsent != null && stream.sendWindow > 0;
        if (moves) {
            pump(stream);
        }
        return moves;
    }

    /** Changes the window of every open stream by the difference, even below zero. */
    void initialWindow(int bytes) throws Http2Exception {
        int difference = bytes - initialWindow;
        initialWindow = bytes;
        boolean[] overflow = new boolean[1];
        streams.each(stream -> {
            stream.sendWindow += difference;
            overflow[0] |= stream.sendWindow > Integer.MAX_VALUE;
            if (stream.unsent != null) {
                pump(stream);
            }
        });
        if (overflow[0]) {
            throw Http2Exception.connectionError(FLOW_CONTROL_ERROR, "a stream's window is past 2^31-1");
        }
    }
}
