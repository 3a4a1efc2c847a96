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

/** The calls of a connection, from the frame that opens their stream to the one that ends it. */
final class GrpcCalls implements FrameSink {
    private static final int MOST_REFUSED_BODY = 1 << 20;

    private final int mostStreams;
    private final StreamTable streams;
    private final FrameOutput output;
    private final ReceiveFlow receive;
    private final SendFlow send;
    private final FloodProtection floods;
    private final MessageDeframer messages;
    private final CallResponder answers;
    private final int mostLasting;
    private int lasting;
    /** Streams whose requests have not ended. */
    private int unfinished;
    /** The last stream that had been opened when a read was last over. */
    private int settled;

    private boolean closedToNew;

    GrpcCalls(GrpcServerContext lane, FrameOutput output, GrpcConnection connection) {
        this.mostStreams = lane.settings().bounds().streams();
        this.mostLasting = lane.settings().bounds().lasting();
        this.streams = new StreamTable();
        this.output = output;
        this.floods = new FloodProtection(lane.settings().bounds());
        this.receive = new ReceiveFlow(output, lane.buffered(), lane.settings());
        this.send = new SendFlow(output, streams, lane.settings().bounds().unsent(), this::done);
        this.answers = new CallResponder(lane, output, send, streams, connection);
        this.messages = new MessageDeframer(lane.settings().caps(), receive, answers);
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
        if (streams.size() >= mostStreams) {
            throw Http2Exception.streamError(id, REFUSED_STREAM, "streams: more than " + mostStreams);
        }
        if (closedToNew) {
            return; // after the last GOAWAY: the peer knows to ask elsewhere
        }
        GrpcStream stream = streams.open(id, ReceiveFlow.STREAM_WINDOW, send.initialWindow(), answers.now());
        stream.method = head.call();
        lasting += stream.method.lasting() ? 1 : 0;
        stream.lengthLeft = head.contentLength();
        stream.remoteEnded = end;
        unfinished += end ? 0 : 1;
        if (head.timeoutMicros() >= 0) {
            stream.deadlineMicros = stream.beganMicros + head.timeoutMicros();
        }
        boolean refused = !head.grpc() || !head.post() || head.call() == GrpcMethod.UNKNOWN || !head.plain();
        if (refused || head.timeoutMicros() == RequestHead.BAD_TIMEOUT) {
            stream.deaf = true;
            answers.refuse(stream, head);
        } else if (stream.method.lasting() && lasting > mostLasting) {
            answers.fail(stream, GrpcStatus.RESOURCE_EXHAUSTED, "watches and reflection: more than " + mostLasting);
        }
        if (end) {
            ended(stream);
        }
    }

    /** Whether this opens a stream; if not, it is too late for one we reset, or a fault of the peer. */
    private boolean isNew(int id) throws Http2Exception {
        if ((id & 1) == 0) {
            throw Http2Exception.connectionError(PROTOCOL_ERROR, "stream %d: clients open odd ones", id);
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
                    stream.id, PROTOCOL_ERROR, fault == null ? "trailers that do not end the request" : fault);
        }
        remoteEnded(stream);
        ended(stream);
    }

    @Override
    public void data(int id, byte[] in, int index, int length, int padding, boolean end) throws Http2Exception {
        receive.received(length + padding);
        GrpcStream stream = streams.get(id);
        if (stream == null) {
            dataOfNone(id);
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
        if (stream.deaf) {
            discard(stream, length);
        } else if (end) {
            messages.last(stream, in, index, length);
        } else {
            messages.more(stream, in, index, length);
            if (!stream.deaf) {
                receive.topUp(stream);
            }
        }
    }

    private void remoteEnded(GrpcStream stream) {
        stream.remoteEnded = true;
        unfinished--;
    }

    private void dataOfNone(int id) throws Http2Exception {
        if (id > streams.last() || (id & 1) == 0) {
            throw Http2Exception.connectionError(PROTOCOL_ERROR, "stream %d: DATA before HEADERS", id);
        }
        floods.control("DATA");
        if (!streams.wasReset(id)) {
            throw Http2Exception.streamError(id, STREAM_CLOSED, "DATA after the end of the stream");
        }
    }

    /** A refused request may finish in peace, if it is not too long. */
    private void discard(GrpcStream stream, int length) throws Http2Exception {
        stream.discarded += length;
        if (stream.discarded > MOST_REFUSED_BODY) {
            throw Http2Exception.streamError(stream.id, NO_ERROR, "too long for a request that is refused");
        }
        if (!stream.remoteEnded) {
            receive.topUp(stream);
        } else if (stream.refusal != null) {
            answers.http(stream);
        }
    }

    /** The request has ended with a frame that is no DATA. */
    private void ended(GrpcStream stream) throws Http2Exception {
        checkLength(stream);
        if (!stream.deaf) {
            messages.ended(stream);
        } else if (stream.refusal != null) {
            answers.http(stream);
        }
    }

    private static void checkLength(GrpcStream stream) throws Http2Exception {
        if (stream.lengthLeft > 0) {
            throw Http2Exception.streamError(stream.id, PROTOCOL_ERROR, "less data than content-length says");
        }
    }

    /** The peer gave the stream up: whatever it asked for is not done, or not told. */
    void cancelled(int id) throws Http2Exception {
        GrpcStream stream = streams.get(id);
        if (stream != null) {
            if (stream.remoteEnded) {
                floods.givenUp();
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

    /** The stream broke the protocol, or ran out of time. */
    void reset(int id, Http2Error error) throws Http2Exception {
        streams.used(id);
        streams.reset(id);
        output.reset(id, error);
        GrpcStream stream = streams.get(id);
        if (stream != null) {
            close(stream);
        }
        if (error == REFUSED_STREAM) {
            floods.control("refused HEADERS"); // it may not have heard yet how many it may open
        } else {
            floods.reset();
        }
    }

    /** A read is over: what has not ended with it is charged for, and refused where there is no room to keep it. */
    void settle() {
        if (!receive.settle(unfinished)) {
            GrpcCallException full = receive.noRoom();
            streams.each(stream -> {
                if (stream.id > settled && !stream.remoteEnded && stream.trailers == null) {
                    answers.fail(stream, full);
                }
            });
            receive.settle(unfinished);
        }
        settled = streams.last();
    }

    /** Ends a call before its time. */
    void end(GrpcStream stream, GrpcStatus status, String text) {
        if (stream.trailers == null && stream.refusal == null) {
            answers.end(stream, status, text);
        }
    }

    /** From here on new streams are passed over. */
    void closeToNew() {
        closedToNew = true;
    }

    /** Closes every stream without a word, for the connection is gone. */
    void closeAll() {
        streams.each(this::close);
        settle();
    }

    private void done(GrpcStream stream) {
        if (!stream.remoteEnded) {
            // RFC 9113, 8.1: the answer is complete, and the rest of the request is of no use to anybody.
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
