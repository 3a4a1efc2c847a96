package dev.weir.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class GrpcJavaTest {
    static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
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
    static final MethodDescriptor<byte[], byte[]> CALL = MethodDescriptor.newBuilder(BYTES, BYTES)
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit")
            .build();

    @Test
    void a_call_is_answered() {
        try (LaneRig rig = new LaneRig(new CountingDecider(1))) {
            ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", rig.port())
                    .usePlaintext()
                    .build();
            byte[] request = "\n\001d\022\012\012\010\012\001k\022\003abc".getBytes(StandardCharsets.ISO_8859_1);
            byte[] first = ClientCalls.blockingUnaryCall(channel, CALL, CallOptions.DEFAULT, request);
            byte[] second = ClientCalls.blockingUnaryCall(channel, CALL, CallOptions.DEFAULT, request);
            assertThat(first).startsWith(8, 1);
            assertThat(second).startsWith(8, 2);
            channel.shutdownNow();
        }
    }
}
