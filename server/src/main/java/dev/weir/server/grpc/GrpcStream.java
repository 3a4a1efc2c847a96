package dev.weir.server.grpc;

import dev.weir.server.grpc.http2.FrameDecoder;
import dev.weir.server.grpc.http2.RequestHead;
import dev.weir.server.grpc.protocol.GrpcMethod;
import dev.weir.server.grpc.service.GrpcServiceCall;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** One open stream, which carries one call. The object is reused for later streams. */
final class GrpcStream {
    int id;
    GrpcMethod method = GrpcMethod.UNKNOWN;
    /** The caller is {@code weir-remote}: its requests and answers have details that the protocol has no field for. */
    boolean weirClient;
    /** The header {@code traceparent} of the call, or null. */
    @Nullable
    CharSequence traceParent;
    /** The header {@code x-envoy-node} of the call, or null. */
    @Nullable
    CharSequence envoyNode;
    /** When the stream was opened, by the server's clock. */
    long beganMicros;
    /** When the caller's deadline expires, by the server's clock. */
    long deadlineMicros;
    /** When a tick first saw an incomplete message on a streaming call, or {@link FrameDecoder#NOT_WAITING}. */
    long waitingMicros;

    /** The peer has ended its side. */
    boolean remoteEnded;
    /** Further data is discarded: the answer, or a refusal, is decided. */
    boolean discarding;
    /** Bytes of content-length that have not arrived yet, or -1. */
    long lengthLeft;
    /** Bytes that the peer may still send. */
    int receiveWindow;
    /** Bytes that do not make a whole message yet. */
    @Nullable
    ByteBuf body;
    /** The bytes of a long report that were not passed on yet; 0 between messages. */
    int partsLeft;
    /** The bytes of {@link #body} that are charged to the server's bound on buffered bytes. */
    int charged;
    /** Discarded bytes of a refused request. */
    int discarded;

    /** The head of the answer was sent. */
    boolean headSent;
    /** The head of a plain HTTP refusal, which is sent when the request has ended. */
    byte @Nullable [] refusal;
    /** The answer must have no body: the request was HEAD. */
    boolean bodiless;
    /** Bytes that the server may still send; negative after the peer shrank its window. */
    long sendWindow;
    /** Bytes of the answer that wait for the flow control windows. */
    @Nullable
    ByteBuf unsent;
    /** The trailers that follow {@link #unsent}; null while more may be sent, empty for an end without trailers. */
    byte @Nullable [] trailers;
    /** Whether the stream is queued for the connection's window. */
    boolean queued;
    /** The call, for a service other than the rate limit service. */
    @Nullable
    GrpcServiceCall call;
    /** Called when the stream ends before its call does. */
    @Nullable
    Runnable onGone;

    void begin(int id, int receiveWindow, long sendWindow, long nowMicros) {
        this.id = id;
        this.receiveWindow = receiveWindow;
        this.sendWindow = sendWindow;
        this.beganMicros = nowMicros;
        method = GrpcMethod.UNKNOWN;
        weirClient = false;
        traceParent = null;
        envoyNode = null;
        deadlineMicros = Long.MAX_VALUE;
        waitingMicros = FrameDecoder.NOT_WAITING;
        remoteEnded = false;
        discarding = false;
        lengthLeft = RequestHead.NO_LENGTH;
        partsLeft = 0;
        charged = 0;
        discarded = 0;
        headSent = false;
        refusal = null;
        bodiless = false;
        trailers = null;
        call = null;
    }
}
