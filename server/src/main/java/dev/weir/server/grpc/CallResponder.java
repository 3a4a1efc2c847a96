package dev.weir.server.grpc;

import dev.weir.Request;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.store.RequestTooCostlyException;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Answers the requests of a connection: decides them, passes them to another gRPC service, or refuses them. */
final class CallResponder implements WaiterSupplier {
    private static final int PREFIX = 5;

    /** The unsent bytes of a connection above which it gets no outline of the rules: one waits at a time. */
    private static final int MOST_UNSENT = 64 << 10;
    /** The same for descriptions of services, of which a tool may ask for several at a time. */
    private static final int MOST_UNSENT_REFLECTION = 256 << 10;
    /** The same for batches of requests, of which a caller sends many at a time. */
    private static final int MOST_UNSENT_BATCHES = 1 << 20;
    /** A longer message waits as it is, and not in a copy. */
    private static final int MOST_COPIED = 16 << 10;

    private static final byte[] NO_TRAILERS = {};
    private static final byte[] HTTP_415 = AnswerHeaderBlocks.http(415);
    private static final byte[] HTTP_405 = AnswerHeaderBlocks.http(405);
    private static final byte[] HTTP_BODY =
            "This port speaks gRPC: POST with content-type application/grpc.\n".getBytes(StandardCharsets.US_ASCII);

    private final GrpcServerContext context;
    private final FrameOutput output;
    private final SendFlow flow;
    private final StreamTable streams;
    private final GrpcConnection connection;
    private final EventLoopBuffers buffers;
    private @Nullable GrpcStream deciding;

    CallResponder(
            GrpcServerContext context,
            FrameOutput output,
            SendFlow flow,
            StreamTable streams,
            GrpcConnection connection) {
        this.context = context;
        this.output = output;
        this.flow = flow;
        this.streams = streams;
        this.connection = connection;
        this.buffers = context.buffers();
    }

    long now() {
        return connection.now();
    }

    /** Decides the request in the message, now or, if the decider answers later, then. */
    void decide(GrpcStream stream, byte[] in, int index, int length) {
        stream.discarding = true;
        long now = connection.now();
        if (now >= stream.deadlineMicros) {
            fail(stream, GrpcStatus.DEADLINE_EXCEEDED, "deadline exceeded before the request was read");
            return;
        }
        try {
            buffers.reader.read(in, index, index + length, buffers.request);
            if (stream.weirClient) {
                buffers.reader.readDetails(in, index, index + length, buffers.request);
            }
            deciding = stream;
            if (context.decider().decide(buffers.request, now, buffers.decision, this)) {
                answer(stream, buffers.request, buffers.reader.hitsAddend(), buffers.decision);
            }
        } catch (GrpcCallException e) {
            fail(stream, refusal(stream, e.status()), e.text());
        } catch (RequestTooCostlyException e) {
            fail(stream, refusal(stream, GrpcStatus.RESOURCE_EXHAUSTED), e.text());
        } catch (RuntimeException e) {
            context.observer().failed(e);
            fail(stream, GrpcStatus.INTERNAL, "internal error while deciding");
        }
    }

    /** The status of a request that is refused for what it asks; weir-remote must not take it for an overload. */
    private static GrpcStatus refusal(GrpcStream stream, GrpcStatus usual) {
        return stream.weirClient ? GrpcStatus.INVALID_ARGUMENT : usual;
    }

    private void answer(GrpcStream stream, Request request, long hitsAddend, MutableDecision decision) {
        AnswerFrames frames = buffers.answer;
        CharSequence trace = stream.traceParent;
        if (trace != null && (!decision.allowed() || context.observer().tracesPasses())) {
            context.observer().traced(trace, decision);
        }
        if (stream.weirClient) {
            buffers.writer.writeDetailed(request, decision, frames.message());
        } else {
            buffers.writer.write(request, hitsAddend, decision, frames.message());
        }
        if (!output.needsTableSizeUpdate() && flow.take(stream, frames.length())) {
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
        GrpcStream stream = deciding;
        if (stream == null) {
            throw new IllegalStateException("no request is being decided");
        }
        long timeout =
                stream.deadlineMicros == Long.MAX_VALUE ? Long.MAX_VALUE : stream.deadlineMicros - connection.now();
        return new WaitingCall(this, stream.id, buffers.reader.hitsAddend(), timeout);
    }

    /** The executor for answers that come later: the connection's event loop. */
    Executor executor() {
        return connection.executor();
    }

    /** Answers a call that waited for its decision. The call or the connection may have ended meanwhile. */
    void answerLater(int id, Request request, long hitsAddend, MutableDecision decision) {
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
            // One failure must not affect the other calls that are answered in the same batch.
            context.observer().failed(e);
            fail(stream, GrpcStatus.INTERNAL, "internal error while answering");
        }
        connection.flushSoon();
    }

    /**
     * Passes a message to a service other than the rate limit service. An outline of all rules may be long, and so may a
     * description of a service and the answers to a batch, and one read may ask for hundreds of them; so unsent answers
     * are counted before there are more.
     */
    void service(GrpcStream stream, byte[] message) {
        stream.discarding = stream.method.oneMessage();
        int mostUnsent = mostUnsent(stream.method);
        if (mostUnsent < Integer.MAX_VALUE && connection.unsent() > mostUnsent) {
            fail(
                    stream,
                    GrpcStatus.RESOURCE_EXHAUSTED,
                    "unsent answers: more than " + mostUnsent + " bytes (expected: a caller that reads its answers)");
            return;
        }
        try {
            if (stream.method == GrpcMethod.DECIDE_BATCH) {
                new RequestBatch(context, buffers, call(stream), executor()).decide(message, now());
            } else {
                context.service(stream.method).message(call(stream), stream.method, message);
            }
        } catch (GrpcCallException e) {
            fail(stream, e);
        }
    }

    private static int mostUnsent(GrpcMethod method) {
        return switch (method) {
            case DESCRIBE_RULES -> MOST_UNSENT;
            case REFLECTION, REFLECTION_ALPHA -> MOST_UNSENT_REFLECTION;
            case DECIDE_BATCH -> MOST_UNSENT_BATCHES;
            default -> Integer.MAX_VALUE;
        };
    }

    /** Handles the end of the caller's messages on a streaming call. */
    void streamEnded(GrpcStream stream) {
        stream.discarding = true;
        context.service(stream.method).ended(call(stream));
    }

    private GrpcServiceCall call(GrpcStream stream) {
        if (stream.call == null) {
            stream.call = newCall(stream);
        }
        return stream.call;
    }

    private GrpcServiceCall newCall(GrpcStream stream) {
        int id = stream.id;
        CharSequence name = stream.envoyNode;
        String peer = name == null ? connection.peer() : name.toString();
        String address = connection.address();
        AtomicLong underWay = new AtomicLong();
        return new GrpcServiceCall() {
            @Override
            public String peer() {
                return peer;
            }

            @Override
            public String address() {
                return address;
            }

            @Override
            public long unsent() {
                return underWay.get() + connection.lastUnsent();
            }

            @Override
            public void measureUnsent() {
                connection.run(() -> {});
            }

            @Override
            public void send(byte[] message) {
                underWay.addAndGet(message.length);
                connection.run(() -> {
                    underWay.addAndGet(-message.length);
                    with(id, open -> CallResponder.this.send(open, message));
                });
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
        boolean shared = message.length > MOST_COPIED;
        ByteBuf bytes = Unpooled.buffer(shared ? PREFIX : PREFIX + message.length);
        bytes.writeByte(0).writeInt(message.length);
        flow.enqueue(stream, shared ? bytes : bytes.writeBytes(message));
        if (shared) {
            flow.enqueue(stream, Unpooled.wrappedBuffer(message));
        }
        flow.pump(stream);
    }

    /** Ends a call after what has been answered so far. */
    void end(GrpcStream stream, GrpcStatus status, String text) {
        end(
                stream,
                status,
                stream.headSent
                        ? AnswerHeaderBlocks.trailers(status, text)
                        : AnswerHeaderBlocks.trailersOnly(status, text));
    }

    private void end(GrpcStream stream, GrpcStatus status, byte[] trailers) {
        stream.discarding = true;
        context.observer().ended(status);
        stream.trailers = trailers;
        flow.pump(stream);
    }

    void fail(GrpcStream stream, GrpcCallException error) {
        end(stream, error.status(), error.text());
    }

    void fail(GrpcStream stream, GrpcStatus status, String text) {
        end(stream, status, text);
    }

    /** Refuses a call by its head alone: a gRPC call at once, a plain HTTP request when it has ended. */
    void refuse(GrpcStream stream, RequestHead head) {
        if (!head.grpc() || !head.post()) {
            byte[] block = head.grpc() ? HTTP_405 : HTTP_415;
            stream.refusal = block;
            stream.bodiless = head.bodiless();
        } else if (head.call() == GrpcMethod.UNKNOWN) {
            fail(stream, GrpcStatus.UNIMPLEMENTED, "unknown service or method");
        } else if (!head.plain()) {
            end(stream, GrpcStatus.UNIMPLEMENTED, AnswerHeaderBlocks.UNSUPPORTED_ENCODING);
        } else {
            fail(
                    stream,
                    GrpcStatus.INVALID_ARGUMENT,
                    "invalid grpc-timeout (expected: up to 8 digits and one of H M S m u n)");
        }
    }

    /** Sends the plain HTTP refusal. */
    void http(GrpcStream stream) {
        byte[] head = stream.refusal;
        if (head == null) {
            return;
        }
        context.observer().ended(GrpcStatus.UNIMPLEMENTED);
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
