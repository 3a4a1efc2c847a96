package dev.weir.server.remote;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.Weir;
import dev.weir.remote.RemoteWeir;
import dev.weir.server.RunningServer;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.HandlerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerMethodDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that asks a server of a version that knows no calls with several requests. */
class OlderServerTest {
    private static final String DECISIONS = "weir.v1.Decisions/";

    @TempDir
    Path folder;

    @Test
    void getsEachRequestAlone() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), """
                domain: api
                rules:
                  - name: per user
                    key_by: user_id
                    limit: { requests: 20, window: 30d, algorithm: fixed_window }
                """);
        Queue<String> asked = new ConcurrentLinkedQueue<>();
        try (RunningServer real = RunningServer.with(rules)) {
            ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", real.grpcPort())
                    .usePlaintext()
                    .build();
            Server older = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .fallbackHandlerRegistry(new Forwarding(channel, asked))
                    .build()
                    .start();
            try (Weir weir = RemoteWeir.at("grpc://127.0.0.1:" + older.getPort())
                    .deadline(Duration.ofSeconds(20))
                    .open()) {
                for (int round = 0; round < 2; round++) {
                    assertThat(passed(weir, "user " + round)).isEqualTo(20);
                }
                assertThat(asked).anyMatch(each -> each.startsWith(DECISIONS));
                assertThat(asked.stream().filter(each -> each.endsWith("/ShouldRateLimit")))
                        .hasSize(100);
            } finally {
                older.shutdownNow().awaitTermination();
                channel.shutdownNow();
            }
        }
    }

    /** How many of fifty requests at a time pass; none is decided by {@code on_fail}. */
    private static long passed(Weir weir, String user) {
        List<CompletableFuture<Decision>> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            all.add(weir.decideAsync(Request.to("api").with("user_id", user)).toCompletableFuture());
        }
        assertThat(all).noneMatch(each -> each.join().degraded());
        return all.stream().filter(each -> each.join().allowed()).count();
    }

    /** Passes calls on to a server, unless they are of the unknown service. */
    private static final class Forwarding extends HandlerRegistry {
        private final Channel channel;
        private final Queue<String> asked;

        Forwarding(Channel channel, Queue<String> asked) {
            Metadata headers = new Metadata();
            headers.put(Metadata.Key.of("x-weir-client", Metadata.ASCII_STRING_MARSHALLER), "1");
            this.channel = ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers));
            this.asked = asked;
        }

        @Override
        @SuppressWarnings("NullAway") // null says that there is no such method
        public ServerMethodDefinition<?, ?> lookupMethod(String name, String authority) {
            asked.add(name);
            if (name.startsWith(DECISIONS)) {
                return null;
            }
            MethodDescriptor<byte[], byte[]> method = MethodDescriptor.<byte[], byte[]>newBuilder(
                            new Bytes(), new Bytes())
                    .setType(MethodType.UNARY)
                    .setFullMethodName(name)
                    .build();
            return ServerMethodDefinition.create(
                    method,
                    ServerCalls.asyncUnaryCall((request, answer) ->
                            ClientCalls.asyncUnaryCall(channel.newCall(method, CallOptions.DEFAULT), request, answer)));
        }
    }

    /** Messages as they are. */
    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
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
    }
}
