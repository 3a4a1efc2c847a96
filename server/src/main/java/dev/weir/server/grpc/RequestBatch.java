package dev.weir.server.grpc;

import dev.weir.Request;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.store.RequestTooCostlyException;
import dev.weir.server.grpc.codec.ProtobufReader;
import dev.weir.server.grpc.codec.ProtobufWriter;
import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcStatus;
import dev.weir.server.grpc.service.GrpcServiceCall;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.Executor;

/**
 * The requests that {@code weir-remote} sends in one call, which costs both sides less than a call for each. The requests
 * that are decided at once are answered in the first message. Decisions that wait for a store follow, those that arrive in
 * one task of the event loop in one message; so no request waits for the slowest.
 *
 * <p>The request has the field 1, a {@code RateLimitRequest}, once for each request. An answer has the field 1 once for
 * each decision: a message of the request's place, and one of {@code response}, {@code refused} and {@code failed}.
 */
final class RequestBatch {
    /** The most requests of a call: one read of a connection brings about as many calls. */
    static final int MOST = 128;

    private static final int REQUEST = 1 << 3 | ProtobufReader.BYTES;
    private static final int ANSWER = 1 << 3 | ProtobufReader.BYTES;
    private static final int PLACE = 1 << 3 | ProtobufReader.VARINT;
    private static final int RESPONSE = 2 << 3 | ProtobufReader.BYTES;
    private static final int REFUSED = 3 << 3 | ProtobufReader.BYTES;
    private static final int FAILED = 4 << 3 | ProtobufReader.BYTES;
    /** An upper bound on the tags and numbers of an answer. */
    private static final int ROOM = 32;

    private final GrpcServerContext context;
    private final EventLoopBuffers buffers;
    private final GrpcServiceCall call;
    private final Executor loop;
    private final ProtobufWriter one = new ProtobufWriter(512);
    private ProtobufWriter answers = new ProtobufWriter(4_096);
    /** The requests that are not decided yet. */
    private int waiting;

    private boolean sendingSoon;
    private boolean gone;

    RequestBatch(GrpcServerContext context, EventLoopBuffers buffers, GrpcServiceCall call, Executor loop) {
        this.context = context;
        this.buffers = buffers;
        this.call = call;
        this.loop = loop;
    }

    /** Decides the requests in {@code message}. */
    void decide(byte[] message, long nowMicros) throws GrpcCallException {
        int requests = count(message);
        if (requests > MOST) {
            throw new GrpcCallException(
                    GrpcStatus.RESOURCE_EXHAUSTED, "requests of a call: " + requests + " (expected: <= " + MOST + ")");
        }
        call.onGone(() -> gone = true);
        ProtobufReader wire = new ProtobufReader().over(message, 0, message.length);
        int place = 0;
        while (wire.more()) {
            int tag = wire.tag();
            if (tag == REQUEST) {
                int length = wire.length();
                decide(place++, message, wire.position(), length, nowMicros);
                wire.skipBytes(length);
            } else {
                wire.skip(tag);
            }
        }
        send();
    }

    private static int count(byte[] message) throws GrpcCallException {
        ProtobufReader wire = new ProtobufReader().over(message, 0, message.length);
        int requests = 0;
        while (wire.more()) {
            int tag = wire.tag();
            requests += tag == REQUEST ? 1 : 0;
            wire.skip(tag);
        }
        return requests;
    }

    private void decide(int place, byte[] in, int from, int length, long nowMicros) {
        Request request = buffers.request;
        try {
            buffers.reader.read(in, from, from + length, request);
            buffers.reader.readDetails(in, from, from + length, request);
            if (context.decider().decide(request, nowMicros, buffers.decision, () -> waiter(place))) {
                answer(place, request, buffers.decision);
            }
        } catch (GrpcCallException e) {
            text(place, REFUSED, e.text());
        } catch (RequestTooCostlyException e) {
            text(place, REFUSED, e.text());
        } catch (RuntimeException e) {
            context.observer().failed(e);
            text(place, FAILED, "internal error while deciding");
        }
    }

    private Waiter waiter(int place) {
        waiting++;
        return new Waiter() {
            @Override
            public Executor home() {
                return loop;
            }

            @Override
            public void decided(Request request, MutableDecision decision) {
                later(place, request, decision);
            }
        };
    }

    private void later(int place, Request request, MutableDecision decision) {
        waiting--;
        if (gone) {
            return;
        }
        try {
            answer(place, request, decision);
        } catch (RuntimeException e) {
            context.observer().failed(e);
            text(place, FAILED, "internal error while answering");
        }
        if (!sendingSoon) {
            sendingSoon = true;
            loop.execute(this::send);
        }
    }

    private void answer(int place, Request request, MutableDecision decision) {
        one.size(0);
        buffers.writer.writeDetailed(request, decision, one);
        add(place, RESPONSE, one.array(), one.size());
    }

    private void text(int place, int field, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        add(place, field, bytes, bytes.length);
    }

    private void add(int place, int field, byte[] bytes, int length) {
        answers.room(ROOM + length);
        answers.number(ANSWER, 2 + ProtobufReader.sizeOf(place) + ProtobufReader.sizeOf(length) + length);
        answers.number(PLACE, place);
        answers.number(field, length);
        answers.put(bytes, length);
    }

    /** Sends what is decided by now, and ends the call if that is all. */
    private void send() {
        sendingSoon = false;
        if (answers.size() > 0) {
            call.send(Arrays.copyOf(answers.array(), answers.size()));
            answers = new ProtobufWriter(waiting == 0 ? 0 : 1_024);
        }
        if (waiting == 0) {
            call.end(GrpcStatus.OK, "");
        }
    }
}
