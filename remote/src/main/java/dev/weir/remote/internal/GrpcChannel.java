package dev.weir.remote.internal;

import dev.weir.StoreFailure;
import dev.weir.internal.tls.Pem;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.KnownLength;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.util.concurrent.FastThreadLocalThread;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection to one server, or to all servers that share a name: gRPC calls whose messages are bytes. All calls share
 * its thread, and the requests that wait for the thread leave with one flush.
 */
final class GrpcChannel implements AutoCloseable {
    private static final MethodDescriptor<byte[], byte[]> SHOULD_RATE_LIMIT =
            method("envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit", MethodType.UNARY);
    private static final MethodDescriptor<byte[], byte[]> DECISIONS =
            method("weir.v1.Decisions/Decide", MethodType.SERVER_STREAMING);
    private static final MethodDescriptor<byte[], byte[]> RULES =
            method("weir.v1.RuleCatalog/Describe", MethodType.UNARY);
    private static final MethodDescriptor<byte[], byte[]> HEALTH =
            method("grpc.health.v1.Health/Check", MethodType.UNARY);
    private static final Metadata.Key<String> CLIENT =
            Metadata.Key.of("x-weir-client", Metadata.ASCII_STRING_MARSHALLER);
    private static final byte[] HEALTHY = {8, 1};
    private static final int MOST_ANSWER = 8 << 20;
    private static final int NEVER_IDLE_DAYS = 365;

    private final EventLoopGroup loop;
    private final ManagedChannel channel;

    /** Receives the answer of a call, once, on the thread of the connection. */
    interface Answer {
        void answered(byte[] message);

        /** The call failed; {@code refused} has the server's text if it refused the request for what it asks. */
        void failed(StoreFailure failure, @Nullable String refused);
    }

    /** Receives the answers of a call with several requests, on the thread of the connection. */
    interface Answers {
        void some(byte[] message);

        /** The call has ended; {@code failure} is that of the requests without an answer. */
        void ended(StoreFailure failure);

        /** The server does not know such calls, and has done nothing. */
        void unknown();
    }

    /** The thread of a connection, on which nobody may wait for an answer. */
    static final class LoopThread extends FastThreadLocalThread {
        LoopThread(Runnable work, String name) {
            super(work, name);
            setDaemon(true);
        }
    }

    /**
     * Connects to {@code host} in the background.
     *
     * @throws IllegalArgumentException if a certificate or a key cannot be read
     */
    GrpcChannel(InetSocketAddress host, RemoteOptions options) {
        SslContext tls;
        try {
            tls = options.address.tls() ? tls(options) : null;
        } catch (IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        loop = loop();
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(host.getHostString(), host.getPort())
                .eventLoopGroup(loop)
                .channelType(NioSocketChannel.class, InetSocketAddress.class)
                .directExecutor()
                .disableRetry()
                .defaultLoadBalancingPolicy("round_robin")
                .keepAliveTime(30, TimeUnit.SECONDS)
                .keepAliveTimeout(5, TimeUnit.SECONDS)
                .idleTimeout(NEVER_IDLE_DAYS, TimeUnit.DAYS)
                .maxInboundMessageSize(MOST_ANSWER);
        channel = (tls == null ? builder.usePlaintext() : builder.sslContext(tls)).build();
    }

    @SuppressWarnings("deprecation") // its successor is not in every Netty that gRPC shades
    private static EventLoopGroup loop() {
        return new NioEventLoopGroup(1, (ThreadFactory) work -> new LoopThread(work, "weir-remote"));
    }

    private static SslContext tls(RemoteOptions options) throws IOException {
        SslContextBuilder tls = GrpcSslContexts.forClient();
        if (options.trust != null) {
            tls.trustManager(Pem.certificates(options.trust));
        }
        if (options.chain != null && options.key != null) {
            X509Certificate[] chain = Pem.certificates(options.chain);
            tls.keyManager(Pem.key(options.key, chain[0], options.chain), chain);
        }
        return tls.build();
    }

    /** Sends a request for a decision, and returns what cancels it. */
    Runnable ask(byte[] message, Answer answer) {
        return call(SHOULD_RATE_LIMIT, CallOptions.DEFAULT, message, answer);
    }

    /** Sends a {@link BatchMessage}, and returns what cancels the call. */
    Runnable askTogether(byte[] message, Answers answers) {
        ClientCall<byte[], byte[]> call = channel.newCall(DECISIONS, CallOptions.DEFAULT);
        return start(call, new BatchListener(answers), Integer.MAX_VALUE, message);
    }

    /** Runs {@code task} on the thread of the connection. */
    void execute(Runnable task) {
        loop.execute(task);
    }

    /** Asks whether a server takes requests, waiting for the connection; an answer other than yes is a failure. */
    Runnable health(long timeoutNanos, Answer answer) {
        CallOptions options =
                CallOptions.DEFAULT.withWaitForReady().withDeadlineAfter(timeoutNanos, TimeUnit.NANOSECONDS);
        return call(HEALTH, options, new byte[0], new Answer() {
            @Override
            public void answered(byte[] message) {
                if (Arrays.equals(message, HEALTHY)) {
                    answer.answered(message);
                } else {
                    answer.failed(StoreFailure.UNAVAILABLE, null);
                }
            }

            @Override
            public void failed(StoreFailure failure, @Nullable String refused) {
                answer.failed(failure, refused);
            }
        });
    }

    /** Asks for the rules; {@code message} has the checksum of those that are known. */
    Runnable rules(byte[] message, long timeoutNanos, Answer answer) {
        return call(RULES, CallOptions.DEFAULT.withDeadlineAfter(timeoutNanos, TimeUnit.NANOSECONDS), message, answer);
    }

    private Runnable call(MethodDescriptor<byte[], byte[]> method, CallOptions options, byte[] message, Answer answer) {
        // A second answer would be an error, which gRPC then reports.
        return start(channel.newCall(method, options), new Listener(answer), 2, message);
    }

    private static Runnable start(
            ClientCall<byte[], byte[]> call, ClientCall.Listener<byte[]> listener, int most, byte[] message) {
        Metadata headers = new Metadata();
        headers.put(CLIENT, "1");
        call.start(listener, headers);
        call.request(most);
        call.sendMessage(message);
        call.halfClose();
        return () -> call.cancel("past its deadline", null);
    }

    /** Connects again now, in place of waiting for as long as the last failures say. */
    void reconnect() {
        if (channel.getState(true) == ConnectivityState.TRANSIENT_FAILURE) {
            channel.resetConnectBackoff();
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
        var unused = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
        return MethodDescriptor.<byte[], byte[]>newBuilder(BytesMarshaller.INSTANCE, BytesMarshaller.INSTANCE)
                .setType(type)
                .setFullMethodName(name)
                .build();
    }

    /** Passes the message of a call on when the call has ended well. */
    private static final class Listener extends ClientCall.Listener<byte[]> {
        private final Answer answer;
        private byte @Nullable [] message;

        Listener(Answer answer) {
            this.answer = answer;
        }

        @Override
        public void onMessage(byte[] received) {
            message = received;
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            byte[] received = message;
            if (status.isOk() && received != null) {
                answer.answered(received);
                return;
            }
            boolean refused = status.getCode() == Status.Code.INVALID_ARGUMENT;
            answer.failed(
                    failure(status), refused ? Objects.requireNonNullElse(status.getDescription(), "refused") : null);
        }
    }

    private static StoreFailure failure(Status status) {
        return switch (status.getCode()) {
            case UNAVAILABLE -> StoreFailure.UNREACHABLE;
            case DEADLINE_EXCEEDED, CANCELLED -> StoreFailure.TIMEOUT;
            case RESOURCE_EXHAUSTED -> StoreFailure.OVERLOADED;
            case UNAUTHENTICATED, PERMISSION_DENIED -> StoreFailure.REFUSED;
            default -> StoreFailure.BROKEN;
        };
    }

    /** Passes each message of a call on as it comes. */
    private static final class BatchListener extends ClientCall.Listener<byte[]> {
        private final Answers answers;

        BatchListener(Answers answers) {
            this.answers = answers;
        }

        @Override
        public void onMessage(byte[] received) {
            answers.some(received);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            if (status.getCode() == Status.Code.UNIMPLEMENTED) {
                answers.unknown();
            } else {
                answers.ended(failure(status));
            }
        }
    }

    private enum BytesMarshaller implements MethodDescriptor.Marshaller<byte[]> {
        INSTANCE;

        @Override
        public InputStream stream(byte[] value) {
            return new KnownBytes(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Lets gRPC write the length of a message before it. */
    private static final class KnownBytes extends ByteArrayInputStream implements KnownLength {
        KnownBytes(byte[] bytes) {
            super(bytes);
        }
    }
}
