package dev.weir.server.grpc;

import static io.netty.handler.codec.http2.Http2Error.NO_ERROR;
import static io.netty.handler.codec.http2.Http2Error.PROTOCOL_ERROR;
import static io.netty.handler.codec.http2.Http2Error.REFUSED_STREAM;
import static io.netty.handler.codec.http2.Http2Error.STREAM_CLOSED;

import dev.weir.server.grpc.http2.FrameOutput;
import dev.weir.server.grpc.http2.FrameSink;
import dev.weir.server.grpc.http2.RequestHead;
import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcMethod;
import dev.weir.server.grpc.protocol.GrpcStatus;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;

/** Handles the calls of a connection, from the frame that opens their stream to the one that ends it. */
final class GrpcCalls implements FrameSink {
    private static final int MAX_REFUSED_BODY = 1 << 20;

    private final int maxStreams;
    private final StreamTable streams;
    private final FrameOutput output;
    private final ReceiveFlow receive;
    private final SendFlow send;
    private final FloodProtection floods;
    private final MessageDeframer messages;
    private final CallResponder responder;
    private final int maxLasting;
    private int lasting;
    /** Open streams whose request has not ended. */
    private int unfinished;
    /** The highest stream id at the end of the last read. */
    private int lastSettled;

    private boolean closedToNew;

    GrpcCalls(GrpcServerContext context, FrameOutput output, GrpcConnection connection) {
        this.maxStreams = context.settings().bounds().streams();
        this.maxLasting = context.settings().bounds().lasting();
        this.streams = new StreamTable();
        this.output = output;
        this.floods = new FloodProtection(context.settings().bounds());
        this.receive = new ReceiveFlow(output, context.buffered(), context.settings());
        this.send = new SendFlow(output, streams, context.settings().bounds().unsent(), this::done);
        this.responder = new CallResponder(context, output, send, streams, connection);
        this.messages = new MessageDeframer(context.settings().caps(), receive, responder);
    }

    StreamTable streams() {
        return streams;
    }

    SendFlow send() {
        return send;
    }

    ReceiveFlow receive() {
        return receive;
    }

    FloodProtection floods() {
        return floods;
    }

    @Override
    public void head(int id, RequestHead head, boolean end) throws Http2Exception {
        GrpcStream open = streams.get(id);
        if (open != null) {
            trailers(open, head, end);
            return;
        }
        if (!isNew(id)) {
            return;
        }
        streams.used(id);
        String fault = head.fault();
        if (fault != null) {
            throw Http2Exception.streamError(id, PROTOCOL_ERROR, fault);
        }
        if (streams.size() >= maxStreams) {
            throw Http2Exception.streamError(id, REFUSED_STREAM, "too many streams (expected: <= " + maxStreams + ")");
        }
        if (closedToNew) {
            return; // after the final GOAWAY: the peer retries elsewhere
        }
        GrpcStream stream = streams.open(id, ReceiveFlow.STREAM_WINDOW, send.initialWindow(), responder.now());
        stream.method = head.call();
        stream.weirClient = head.weirClient();
        stream.traceParent = head.traceParent();
        stream.envoyNode = head.envoyNode();
        lasting += stream.method.lasting() ? 1 : 0;
        stream.lengthLeft = head.contentLength();
        stream.remoteEnded = end;
        unfinished += end ? 0 : 1;
        if (head.timeoutMicros() >= 0) {
            stream.deadlineMicros = stream.beganMicros + head.timeoutMicros();
        }
        boolean refused = !head.grpc() || !head.post() || head.call() == GrpcMethod.UNKNOWN || !head.plain();
        if (refused || head.timeoutMicros() == RequestHead.BAD_TIMEOUT) {
            stream.discarding = true;
            responder.refuse(stream, head);
        } else if (stream.method.lasting() && lasting > maxLasting) {
            responder.fail(
                    stream,
                    GrpcStatus.RESOURCE_EXHAUSTED,
                    "too many streams of health watches, reflection and quotas (expected: <= " + maxLasting + ")");
        }
        if (end) {
            ended(stream);
        }
    }

    /** Whether {@code id} opens a stream. If not, the stream was reset here, or the peer breaks the protocol. */
    private boolean isNew(int id) throws Http2Exception {
        if ((id & 1) == 0) {
            throw Http2Exception.connectionError(PROTOCOL_ERROR, "stream %d: clients must open odd ids", id);
        }
        if (id > streams.last()) {
            return true;
        }
        if (streams.wasReset(id)) {
            floods.control("HEADERS");
            return false;
        }
        throw streams.skipped(id)
                ? Http2Exception.connectionError(PROTOCOL_ERROR, "stream %d: below the last one opened", id)
                : Http2Exception.connectionError(STREAM_CLOSED, "stream %d: HEADERS after its end", id);
    }

    private void trailers(GrpcStream stream, RequestHead head, boolean end) throws Http2Exception {
        if (stream.remoteEnded) {
            throw Http2Exception.streamError(stream.id, STREAM_CLOSED, "HEADERS after the end of the request");
        }
        String fault = head.faultOfTrailers();
        if (fault != null || !end) {
            throw Http2Exception.streamError(
                    stream.id, PROTOCOL_ERROR, fault == null ? "trailers without END_STREAM" : fault);
        }
        remoteEnded(stream);
        ended(stream);
    }

    @Override
    public void data(int id, byte[] in, int index, int length, int padding, boolean end) throws Http2Exception {
        receive.received(length + padding);
        GrpcStream stream = streams.get(id);
        if (stream == null) {
            dataWithoutStream(id);
            return;
        }
        if (stream.remoteEnded) {
            throw Http2Exception.streamError(id, STREAM_CLOSED, "DATA after the end of the request");
        }
        if (length == 0 && !end) {
            floods.control("empty DATA");
        }
        receive.received(stream, length + padding);
        if (stream.lengthLeft != RequestHead.NO_LENGTH) {
            stream.lengthLeft -= length;
            if (stream.lengthLeft < 0) {
                throw Http2Exception.streamError(id, PROTOCOL_ERROR, "more data than content-length says");
            }
        }
        if (end) {
            remoteEnded(stream);
            checkLength(stream);
        }
        if (stream.discarding) {
            discard(stream, length);
        } else if (end) {
            messages.last(stream, in, index, length);
        } else {
            messages.more(stream, in, index, length);
            if (!stream.discarding) {
                receive.topUp(stream);
            }
        }
    }

    private void remoteEnded(GrpcStream stream) {
        stream.remoteEnded = true;
        unfinished--;
    }

    private void dataWithoutStream(int id) throws Http2Exception {
        if (id > streams.last() || (id & 1) == 0) {
            throw Http2Exception.connectionError(PROTOCOL_ERROR, "stream %d: DATA before HEADERS", id);
        }
        floods.control("DATA");
        if (!streams.wasReset(id)) {
            throw Http2Exception.streamError(id, STREAM_CLOSED, "DATA after the end of the stream");
        }
    }

    /** Discards the body of a refused request, up to a bound. */
    private void discard(GrpcStream stream, int length) throws Http2Exception {
        stream.discarded += length;
        if (stream.discarded > MAX_REFUSED_BODY) {
            throw Http2Exception.streamError(stream.id, NO_ERROR, "refused request with too long a body");
        }
        if (!stream.remoteEnded) {
            receive.topUp(stream);
        } else if (stream.refusal != null) {
            responder.http(stream);
        }
    }

    /** Handles the end of a request by a frame other than DATA. */
    private void ended(GrpcStream stream) throws Http2Exception {
        checkLength(stream);
        if (!stream.discarding) {
            messages.ended(stream);
        } else if (stream.refusal != null) {
            responder.http(stream);
        }
    }

    private static void checkLength(GrpcStream stream) throws Http2Exception {
        if (stream.lengthLeft > 0) {
            throw Http2Exception.streamError(stream.id, PROTOCOL_ERROR, "less data than content-length says");
        }
    }

    /** Cancels a stream that the peer has reset. */
    void cancelled(int id) throws Http2Exception {
        GrpcStream stream = streams.get(id);
        if (stream != null) {
            if (stream.remoteEnded) {
                floods.cancelled();
            } else {
                floods.reset();
            }
            close(stream);
        } else if (id > streams.last() || (id & 1) == 0) {
            throw Http2Exception.connectionError(PROTOCOL_ERROR, "stream %d: RST_STREAM before HEADERS", id);
        } else {
            floods.control("RST_STREAM");
        }
    }

    /** Resets a stream that broke the protocol or timed out. */
    void reset(int id, Http2Error error) throws Http2Exception {
        streams.used(id);
        streams.reset(id);
        output.reset(id, error);
        GrpcStream stream = streams.get(id);
        if (stream != null) {
            close(stream);
        }
        if (error == REFUSED_STREAM) {
            floods.control("refused HEADERS"); // the peer may not have received the stream limit yet
        } else {
            floods.reset();
        }
    }

    /** Charges for the streams that stay open at the end of a read, and refuses those that exceed the bound. */
    void settle() {
        if (!receive.settle(unfinished, lasting)) {
            GrpcCallException full = receive.boundExceeded();
            streams.each(stream -> {
                boolean charged = !stream.remoteEnded || stream.method.lasting();
                if (stream.id > lastSettled && charged && stream.trailers == null) {
                    responder.fail(stream, full);
                }
            });
            receive.settle(unfinished, lasting);
        }
        lastSettled = streams.last();
    }

    /** Ends a call early. */
    void end(GrpcStream stream, GrpcStatus status, String text) {
        if (stream.trailers == null && stream.refusal == null) {
            responder.end(stream, status, text);
        }
    }

    /** Ignores new streams from now on. */
    void closeToNew() {
        closedToNew = true;
    }

    /** Closes every stream without an answer, because the connection is closed. */
    void closeAll() {
        streams.each(this::close);
        settle();
    }

    private void done(GrpcStream stream) {
        if (!stream.remoteEnded) {
            // RFC 9113, 8.1: the answer is complete, so the peer need not send the rest of the request.
            streams.reset(stream.id);
            output.reset(stream.id, NO_ERROR);
        }
        floods.answered();
        close(stream);
    }

    private void close(GrpcStream stream) {
        lasting -= stream.method.lasting() ? 1 : 0;
        unfinished -= stream.remoteEnded ? 0 : 1;
        receive.discharge(stream, stream.charged);
        send.drop(stream);
        streams.close(stream);
    }
}
