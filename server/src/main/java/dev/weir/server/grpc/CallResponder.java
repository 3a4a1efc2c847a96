package dev.weir.server.grpc;

import dev.weir.Request;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.model.MutableDecision;
import dev.weir.server.grpc.http2.AnswerHeaderBlocks;
import dev.weir.server.grpc.http2.FrameOutput;
import dev.weir.server.grpc.http2.RequestHead;
import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcMethod;
import dev.weir.server.grpc.protocol.GrpcStatus;
import dev.weir.server.grpc.service.GrpcServiceCall;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What becomes of a request: it is decided, handed to a service beside, or refused; and its answer is written. */
final class CallResponder implements WaiterSupplier {
    private static final int PREFIX = 5;

    private static final byte[] NO_TRAILERS = {};
    private static final byte[] HTTP_415 = AnswerHeaderBlocks.http(415);
    private static final byte[] HTTP_405 = AnswerHeaderBlocks.http(405);
    private static final byte[] HTTP_BODY =
            "This port speaks gRPC: POST with content-type application/grpc.\n".getBytes(StandardCharsets.US_ASCII);

    private final GrpcServerContext lane;
    private final FrameOutput output;
    private final SendFlow flow;
    private final StreamTable streams;
    private final GrpcConnection connection;
    private final EventLoopBuffers scratch;
    private @Nullable GrpcStream inHand;

    CallResponder(
            GrpcServerContext lane, FrameOutput output, SendFlow flow, StreamTable streams, GrpcConnection connection) {
        this.lane = lane;
        this.output = output;
        this.flow = flow;
        this.streams = streams;
        this.connection = connection;
        this.scratch = lane.scratch();
    }

    long now() {
        return connection.now();
    }

    /** Decides the request in the message, here and now or, if the decider takes its time, later. */
    void decide(GrpcStream stream, byte[] in, int index, int length) {
        stream.deaf = true;
        long now = connection.now();
        if (now >= stream.deadlineMicros) {
            fail(stream, GrpcStatus.DEADLINE_EXCEEDED, "the deadline had passed when the request was read");
            return;
        }
        try {
            scratch.reader.read(in, index, index + length, scratch.request);
            inHand = stream;
            if (lane.decider().decide(scratch.request, now, scratch.decision, this)) {
                answer(stream, scratch.request, scratch.reader.hitsAddend(), scratch.decision);
            }
        } catch (GrpcCallException e) {
            fail(stream, e);
        } catch (RuntimeException e) {
            lane.observer().failed(e);
            fail(stream, GrpcStatus.INTERNAL, "the server failed to decide");
        }
    }

    private void answer(GrpcStream stream, Request request, long hitsAddend, MutableDecision decision) {
        AnswerFrames frames = scratch.answer;
        scratch.writer.write(request, hitsAddend, decision, frames.message());
        if (!output.owesTableSize() && flow.take(stream, frames.length())) {
            frames.writeTo(output, stream.id);
            flow.finish(stream);
            return;
        }
        output.headers(stream.id, AnswerHeaderBlocks.HEAD, false);
        stream.headSent = true;
        stream.trailers = AnswerHeaderBlocks.TRAILERS_OK;
        ByteBuf waiting = Unpooled.buffer(frames.length());
        frames.writeContentTo(waiting);
        flow.enqueue(stream, waiting);
        flow.pump(stream);
    }

    @Override
    public Waiter waiter() {
        GrpcStream stream = inHand;
        if (stream == null) {
            throw new IllegalStateException("no request is being decided");
        }
        long patience =
                stream.deadlineMicros == Long.MAX_VALUE ? Long.MAX_VALUE : stream.deadlineMicros - connection.now();
        return new WaitingCall(this, stream.id, scratch.reader.hitsAddend(), patience);
    }

    /** Where late answers are to be given. */
    Executor home() {
        return connection.executor();
    }

    /** The decision that a call waited for; by now the call may be over, and the connection too. */
    void late(int id, Request request, long hitsAddend, MutableDecision decision) {
        if (connection.isClosing()) {
            return;
        }
        GrpcStream stream = streams.get(id);
        if (stream == null || stream.trailers != null) {
            return;
        }
        try {
            answer(stream, request, hitsAddend, decision);
        } catch (RuntimeException e) {
            // It must not reach those that are answered in the same batch.
            lane.observer().failed(e);
            fail(stream, GrpcStatus.INTERNAL, "the server failed to answer");
        }
        connection.flushSoon();
    }

    /** A message for one of the services beside. */
    void aside(GrpcStream stream, byte[] message) {
        stream.deaf = stream.method.oneMessage();
        try {
            lane.service(stream.method).message(call(stream), stream.method, message);
        } catch (GrpcCallException e) {
            fail(stream, e);
        }
    }

    /** The caller of a stream of messages has sent its last. */
    void streamEnded(GrpcStream stream) {
        stream.deaf = true;
        lane.service(stream.method).ended(call(stream));
    }

    private GrpcServiceCall call(GrpcStream stream) {
        int id = stream.id;
        return new GrpcServiceCall() {
            @Override
            public void send(byte[] message) {
                connection.run(() -> with(id, open -> CallResponder.this.send(open, message)));
            }

            @Override
            public void end(GrpcStatus status, String text) {
                connection.run(() -> with(id, open -> CallResponder.this.end(open, status, text)));
            }

            @Override
            public void onGone(Runnable gone) {
                stream.onGone = gone;
            }
        };
    }

    private void with(int id, Consumer<GrpcStream> action) {
        GrpcStream open = streams.get(id);
        if (open != null && open.trailers == null) {
            action.accept(open);
        }
    }

    private void send(GrpcStream stream, byte[] message) {
        if (!stream.headSent) {
            stream.headSent = true;
            output.headers(stream.id, AnswerHeaderBlocks.HEAD, false);
        }
        ByteBuf bytes = Unpooled.buffer(PREFIX + message.length);
        flow.enqueue(stream, bytes.writeByte(0).writeInt(message.length).writeBytes(message));
        flow.pump(stream);
    }

    /** Ends a call that was answered as far as it could be. */
    void end(GrpcStream stream, GrpcStatus status, String text) {
        end(
                stream,
                status,
                stream.headSent
                        ? AnswerHeaderBlocks.trailers(status, text)
                        : AnswerHeaderBlocks.trailersOnly(status, text));
    }

    private void end(GrpcStream stream, GrpcStatus status, byte[] trailers) {
        stream.deaf = true;
        lane.observer().ended(status);
        stream.trailers = trailers;
        flow.pump(stream);
    }

    void fail(GrpcStream stream, GrpcCallException error) {
        end(stream, error.status(), error.text());
    }

    void fail(GrpcStream stream, GrpcStatus status, String text) {
        end(stream, status, text);
    }

    /** The head alone says that this cannot be answered: gRPC is told at once, plain HTTP when its request has ended. */
    void refuse(GrpcStream stream, RequestHead head) {
        if (!head.grpc() || !head.post()) {
            byte[] block = head.grpc() ? HTTP_405 : HTTP_415;
            stream.refusal = block;
            stream.bodiless = head.bodiless();
        } else if (head.call() == GrpcMethod.UNKNOWN) {
            fail(stream, GrpcStatus.UNIMPLEMENTED, "unknown service or method");
        } else if (!head.plain()) {
            end(stream, GrpcStatus.UNIMPLEMENTED, AnswerHeaderBlocks.OTHER_ENCODING);
        } else {
            fail(stream, GrpcStatus.INVALID_ARGUMENT, "grpc-timeout (expected: up to 8 digits and one of H M S m u n)");
        }
    }

    /** Sends the plain HTTP refusal. */
    void http(GrpcStream stream) {
        byte[] head = stream.refusal;
        if (head == null) {
            return;
        }
        lane.observer().ended(GrpcStatus.UNIMPLEMENTED);
        stream.refusal = null;
        stream.headSent = true;
        stream.trailers = NO_TRAILERS;
        output.headers(stream.id, head, stream.bodiless);
        if (!stream.bodiless) {
            flow.enqueue(stream, Unpooled.wrappedBuffer(HTTP_BODY));
        }
        flow.pump(stream);
    }
}
