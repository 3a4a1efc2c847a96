package dev.weir.server;

import dev.weir.server.settings.SettingsReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A whole server on free ports, and callers of every kind. */
public final class RunningServer implements ListeningService {
    public final WeirServer server;
    public final HttpCaller http;
    public final HttpCaller admin;
    private final GrpcCaller grpc;

    private RunningServer(WeirServer server) {
        this.server = server;
        http = new HttpCaller(server.http().port());
        admin = new HttpCaller(server.admin().port());
        grpc = new GrpcCaller(server.grpc().port());
    }

    /** Starts with {@code rules}; {@code settings} are names and values in turn. */
    public static RunningServer with(Path rules, String... settings) throws Exception {
        return start(rules, flags(rules, settings), Map.of());
    }

    /** Starts with {@code rules} and {@code settings} under these environment variables, which may hold secrets. */
    public static RunningServer with(Map<String, String> variables, Path rules, String... settings) throws Exception {
        return start(rules, flags(rules, settings), variables);
    }

    /** Starts with {@code rules} under these environment variables. */
    public static RunningServer under(Map<String, String> variables, Path rules) throws Exception {
        return start(rules, flags(rules), variables);
    }

    private static RunningServer start(Path rules, Map<String, String> flags, Map<String, String> variables)
            throws Exception {
        return new RunningServer(WeirServer.start(SettingsReader.read(flags, variables, rules)));
    }

    public static Map<String, String> flags(Path rules, String... settings) {
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

    @Override
    public int httpPort() {
        return server.http().port();
    }

    @Override
    public int grpcPort() {
        return server.grpc().port();
    }

    public HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.get(path);
    }

    public HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        return http.post(path, body);
    }

    HttpResponse<String> admin(String method, String path) throws IOException, InterruptedException {
        return admin.send(
                admin.request(path).header("Content-Type", "application/json").method(method, BodyPublishers.noBody()));
    }

    /** Asks over gRPC with a descriptor of one entry; the overall code, 1 for OK and 2 for OVER_LIMIT. */
    public int grpc(String domain, String key, String value, String... headers) {
        byte[] entry = concat(field(1, text(key)), field(2, text(value)));
        return grpc.call(concat(field(1, text(domain)), field(2, field(1, entry))), headers)[1];
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
        grpc.close();
        server.close();
    }
}
