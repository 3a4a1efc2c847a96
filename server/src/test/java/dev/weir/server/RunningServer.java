package dev.weir.server;

import dev.weir.server.settings.SettingsReader;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A whole server on free ports, and callers of every kind. */
public final class RunningServer implements AutoCloseable {
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

    public final WeirServer server;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ManagedChannel channel;

    private RunningServer(WeirServer server) {
        this.server = server;
        channel = NettyChannelBuilder.forAddress("127.0.0.1", server.grpc().port())
                .usePlaintext()
                .build();
    }

    /** Starts with {@code rules}; {@code settings} are names and values in turn. */
    public static RunningServer with(Path rules, String... settings) throws Exception {
        return new RunningServer(WeirServer.start(SettingsReader.read(flags(rules, settings), Map.of(), rules)));
    }

    static Map<String, String> flags(Path rules, String... settings) {
        Map<String, String> flags = new HashMap<>(Map.of(
                "rules", rules.toString(),
                "host", "127.0.0.1",
                "http_port", "0",
                "grpc_port", "0",
                "admin_port", "0",
                "warm_up", "0s",
                "drain_delay", "0s",
                "drain_timeout", "2s"));
        for (int i = 0; i < settings.length; i += 2) {
            flags.put(settings[i], settings[i + 1]);
        }
        return flags;
    }

    public String url() {
        return "http://" + server.http();
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create(url() + path)).build());
    }

    HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create(url() + path))
                .POST(BodyPublishers.ofString(body))
                .build());
    }

    HttpResponse<String> admin(String method, String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create("http://" + server.admin() + path))
                .method(method, BodyPublishers.noBody())
                .build());
    }

    HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, BodyHandlers.ofString());
    }

    /** Asks over gRPC with a descriptor of one entry; the overall code, 1 for OK and 2 for OVER_LIMIT. */
    int grpc(String domain, String key, String value) {
        byte[] entry = concat(field(1, text(key)), field(2, text(value)));
        byte[] request = concat(field(1, text(domain)), field(2, field(1, entry)));
        byte[] answer = ClientCalls.blockingUnaryCall(channel, SHOULD_RATE_LIMIT, CallOptions.DEFAULT, request);
        return answer[1];
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] field(int number, byte[] content) {
        return concat(new byte[] {(byte) (number << 3 | 2), (byte) content.length}, content);
    }

    private static byte[] concat(byte[] first, byte[] second) {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(first);
        both.writeBytes(second);
        return both.toByteArray();
    }

    @Override
    public void close() {
        channel.shutdownNow();
        server.close();
    }
}
