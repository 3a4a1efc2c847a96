package dev.weir.server.conformance;

import dev.weir.server.conformance.Reply.Refusal;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/** The service as grpc-java sees it, with messages written and read by hand so that the server's own codec is not its judge. */
final class OverGrpc implements RateLimitServiceUnderTest {
    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };

    private static final MethodDescriptor<byte[], byte[]> SHOULD_RATE_LIMIT =
            MethodDescriptor.<byte[], byte[]>newBuilder()
                    .setType(MethodDescriptor.MethodType.UNARY)
                    .setFullMethodName("envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit")
                    .setRequestMarshaller(BYTES)
                    .setResponseMarshaller(BYTES)
                    .build();

    private final ManagedChannel channel;

    OverGrpc(String host, int port) {
        this.channel = NettyChannelBuilder.forAddress(host, port).usePlaintext().build();
    }

    @Override
    public Reply ask(String domain, Ask ask) throws IOException {
        try {
            return RlsWire.read(call(RlsWire.write(domain, ask)));
        } catch (StatusRuntimeException e) {
            String message = e.getStatus().getDescription();
            return new Refusal(e.getStatus().getCode().name(), message == null ? "" : message);
        }
    }

    /** Sends a message as it stands. */
    byte[] call(byte[] message) {
        CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS);
        return ClientCalls.blockingUnaryCall(channel, SHOULD_RATE_LIMIT, options, message);
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
