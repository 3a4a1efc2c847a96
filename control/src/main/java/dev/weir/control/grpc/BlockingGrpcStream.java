package dev.weir.control.grpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A bidirectional stream that a thread reads by blocking. It requests one message at a time, so a fast server has to
 * wait for the reader.
 */
public final class BlockingGrpcStream<Q, A> implements AutoCloseable {
    private final ClientCall<Q, A> call;
    private final BlockingQueue<Received<A>> received = new LinkedBlockingQueue<>();

    /** A message, or the status that ended the stream. */
    private record Received<A>(
            @Nullable A message, @Nullable Status end) {}

    public BlockingGrpcStream(Channel channel, MethodDescriptor<Q, A> method, Metadata headers) {
        call = channel.newCall(method, CallOptions.DEFAULT);
        call.start(
                new ClientCall.Listener<A>() {
                    @Override
                    public void onMessage(A message) {
                        received.add(new Received<>(message, null));
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        received.add(new Received<>(null, status));
                    }
                },
                headers);
        call.request(1);
    }

    public void send(Q message) {
        call.sendMessage(message);
    }

    /**
     * Waits for the next message; null if none arrives in time.
     *
     * @throws StatusException when the stream has ended
     */
    public @Nullable A next(long millis) throws InterruptedException, StatusException {
        Received<A> next = received.poll(millis, TimeUnit.MILLISECONDS);
        if (next == null) {
            return null;
        }
        Status end = next.end();
        if (end != null) {
            throw (end.isOk() ? Status.UNAVAILABLE.withDescription("the server ended the stream") : end).asException();
        }
        call.request(1);
        return next.message();
    }

    @Override
    public void close() {
        call.cancel("done", null);
    }
}
