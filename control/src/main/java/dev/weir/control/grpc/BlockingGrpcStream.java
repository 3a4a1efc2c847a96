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
 * A stream both ways, for a thread that waits for what comes next. One message is asked for at a time: a server that talks
 * faster than it is listened to has to wait.
 */
public final class BlockingGrpcStream<Q, A> implements AutoCloseable {
    private final ClientCall<Q, A> call;
    private final BlockingQueue<Heard<A>> heard = new LinkedBlockingQueue<>();

    /** A message, or the end. */
    private record Heard<A>(@Nullable A message, @Nullable Status end) {}

    public BlockingGrpcStream(Channel channel, MethodDescriptor<Q, A> method, Metadata headers) {
        call = channel.newCall(method, CallOptions.DEFAULT);
        call.start(
                new ClientCall.Listener<A>() {
                    @Override
                    public void onMessage(A message) {
                        heard.add(new Heard<>(message, null));
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        heard.add(new Heard<>(null, status));
                    }
                },
                headers);
        call.request(1);
    }

    public void send(Q message) {
        call.sendMessage(message);
    }

    /**
     * What comes next, or null if nothing does in time.
     *
     * @throws StatusException when the stream is over
     */
    public @Nullable A next(long millis) throws InterruptedException, StatusException {
        Heard<A> next = heard.poll(millis, TimeUnit.MILLISECONDS);
        if (next == null) {
            return null;
        }
        Status end = next.end();
        if (end != null) {
            throw (end.isOk() ? Status.UNAVAILABLE.withDescription("the server has ended the stream") : end)
                    .asException();
        }
        call.request(1);
        return next.message();
    }

    @Override
    public void close() {
        call.cancel("done", null);
    }
}
