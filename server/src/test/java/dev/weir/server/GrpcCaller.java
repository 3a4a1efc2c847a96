package dev.weir.server;

import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Calls ShouldRateLimit through grpc-java with messages that the test wrote itself. */
public final class GrpcCaller implements AutoCloseable {
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
    private static final MethodDescriptor<byte[], byte[]> SHOULD_RATE_LIMIT = MethodDescriptor.newBuilder(BYTES, BYTES)
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit")
            .build();

    private final ManagedChannel channel;

    public GrpcCaller(int port) {
        channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    }

    /** Over TLS, to a server that shows {@code certificate}. */
    public GrpcCaller(int port, Path certificate) throws IOException {
        channel = NettyChannelBuilder.forAddress("127.0.0.1", port)
                .overrideAuthority("localhost")
                .sslContext(GrpcSslContexts.forClient()
                        .trustManager(certificate.toFile())
                        .build())
                .build();
    }

    /** Sends a message as it stands; headers are names and values in turn. */
    public byte[] call(byte[] message, String... headers) {
        CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS);
        Metadata metadata = new Metadata();
        for (int i = 0; i < headers.length; i += 2) {
            metadata.put(Metadata.Key.of(headers[i], Metadata.ASCII_STRING_MARSHALLER), headers[i + 1]);
        }
        return ClientCalls.blockingUnaryCall(
                ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(metadata)),
                SHOULD_RATE_LIMIT,
                options,
                message);
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
