package dev.weir.server.grpc;

import dev.weir.server.grpc.http2.FrameDecoder;
import dev.weir.server.grpc.http2.RequestHead;
import dev.weir.server.grpc.protocol.GrpcMethod;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** One open stream, which is one call. Used again for another when it is over. */
final class GrpcStream {
    int id;
    GrpcMethod method = GrpcMethod.UNKNOWN;
    /** When it began, by the lane's clock. */
    long beganMicros;
    /** When its caller stops waiting, by the lane's clock. */
    long deadlineMicros;
    /** When a stream of messages was first seen to have half of one under way, or {@link FrameDecoder#NOT_WAITING}. */
    long waitingMicros;

    /** The peer has sent all it will. */
    boolean remoteEnded;
    /** What the peer sends is no longer read: the answer, or a refusal, is decided. */
    boolean deaf;
    /** Bytes that the peer announced and has not sent yet, or -1. */
    long lengthLeft;
    /** Bytes that the peer may still send. */
    int receiveWindow;
    /** Received, and not yet a whole message. */
    @Nullable
    ByteBuf body;
    /** How much of {@link #body} was charged to the lane's bound on buffered bytes. */
    int charged;
    /** Bytes of a refused request that were thrown away. */
    int discarded;

    /** The head of the answer is out. */
    boolean headSent;
    /** The head of a plain HTTP refusal, to be sent when the request has ended. */
    byte @Nullable [] refusal;
    /** The answer must have no body: the request was HEAD. */
    boolean bodiless;
    /** Bytes that we may still send; negative after the peer took some back. */
    long sendWindow;
    /** The answer's bytes that the windows have not let out yet. */
    @Nullable
    ByteBuf unsent;
    /** What ends the answer once {@link #unsent} is out; null while more may come, empty for a plain end. */
    byte @Nullable [] trailers;
    /** Stands in the queue for the connection's window. */
    boolean queued;
    /** What to do when the stream ends before its call does. */
    @Nullable
    Runnable onGone;

    void begin(int id, int receiveWindow, long sendWindow, long nowMicros) {
        this.id = id;
        this.receiveWindow = receiveWindow;
        this.sendWindow = sendWindow;
        this.beganMicros = nowMicros;
        method = GrpcMethod.UNKNOWN;
        deadlineMicros = Long.MAX_VALUE;
        waitingMicros = FrameDecoder.NOT_WAITING;
        remoteEnded = false;
        deaf = false;
        lengthLeft = RequestHead.NO_LENGTH;
        charged = 0;
        discarded = 0;
        headSent = false;
        refusal = null;
        bodiless = false;
        trailers = null;
    }
}
