package dev.weir.server.rest;

import dev.weir.Algorithm;
import dev.weir.Cause;
import dev.weir.Limit;
import dev.weir.OnMissing;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.internal.queue.RequestQueues;
import dev.weir.internal.queue.WaitTimer;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.server.HttpCaller;
import dev.weir.server.health.Health;
import dev.weir.server.http.HttpPort;
import dev.weir.server.rls.RlsSettings;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;

/** The HTTP side on a real server, a real limiter and virtual time. */
final class RestKit implements AutoCloseable {
    /** A second of 2027 that begins a minute, an hour and a day. */
    static final long START = 1_798_761_600L;

    /** One for all tests of this JVM: its threads take longer to start than most tests to run. */
    private static final Vertx VERTX = Vertx.vertx();

    final AtomicLong micros = new AtomicLong(START * 1_000_000);
    final Health health = new Health();
    final Limiter limiter;
    final RequestQueues queues;
    private final MemoryStore store = new MemoryStore(10_000);
    private final WaitTimer waits = new WaitTimer();
    private final HttpServer server;
    private final HttpCaller caller;

    RestKit(WrittenRules rules) {
        this(rules, settings(Duration.ZERO), RlsSettings.defaults());
    }

    RestKit(WrittenRules rules, RestSettings settings, RlsSettings rls) {
        limiter = new Limiter(rules, store, micros::get, LimiterSettings.defaults(), new LimiterObserver() {});
        queues = new RequestQueues(limiter, micros::get, new LimiterObserver() {}, waits);
        RestApi api = new RestApi(limiter, queues, micros::get, health, settings, rls);
        server = VERTX.createHttpServer(RestApi.serverOptions())
                .invalidRequestHandler(HttpPort::unparsable)
                .requestHandler(api.routes(VERTX))
                .listen(0, "127.0.0.1")
                .await();
        caller = new HttpCaller(server.actualPort());
    }

    static RestSettings settings(Duration jitter) {
        RestSettings defaults = RestSettings.defaults();
        return new RestSettings(
                defaults.caps(), 11, jitter, defaults.idempotency(), defaults.proxies(), defaults.forward());
    }

    /** Domain {@code api}: two a minute and ten an hour for each user, and odd ones for single endpoints. */
    static WrittenRules weirRules() {
        return WrittenRules.builder().weir("api", weirList()).build();
    }

    static List<WeirRule> weirList() {
        return List.of(
                rule("minute", Limit.fixedWindow(2, Duration.ofMinutes(1)), "/v1/*", KeyBy.of("user_id")),
                rule("hour", Limit.fixedWindow(10, Duration.ofHours(1)), "/v1/*", KeyBy.of("user_id")),
                rule("bucket", Limit.tokenBucket(10, Duration.ofSeconds(10)), "/bucket", KeyBy.of("user_id")),
                rule("lent", Limit.tokenBucket(1, Duration.ofSeconds(10)).withCredit(2), "/lent", KeyBy.of("user_id")),
                rule("shaped", new Limit(Algorithm.LEAKY_BUCKET, 1, 1_000_000, 5, 1), "/shaped", KeyBy.of("user_id")),
                rule("few", Limit.fixedWindow(4, Duration.ofHours(1)), "/shaped", KeyBy.of("user_id")),
                new WeirRule(
                        Rule.builder("api", "login")
                                .name("login")
                                .label("login")
                                .limit(Limit.tokenBucket(5, Duration.ofMinutes(1)))
                                .onMissing(OnMissing.DENY)
                                .build(),
                        List.of(Condition.of("endpoint", "/login")),
                        KeyBy.of("ip")),
                denying("ceiling", 1, "/ceiling", Cause.CAPACITY),
                denying("paid", 0, "/paid", Cause.NOT_ALLOWED),
                new WeirRule(
                        Rule.builder("api", "watched")
                                .label("watched")
                                .limit(Limit.tokenBucket(1, Duration.ofMinutes(1)))
                                .shadow(true)
                                .build(),
                        List.of(Condition.of("endpoint", "/watched")),
                        KeyBy.of("user_id")),
                rule(
                        "caf\u00e9 \"x\"\\\r\nSet-Cookie: a=b",
                        Limit.tokenBucket(7, Duration.ofMillis(1500)),
                        "/odd",
                        KeyBy.of("user_id")));
    }

    private static WeirRule denying(String name, long requests, String endpoint, Cause cause) {
        return new WeirRule(
                Rule.builder("api", name)
                        .name(name)
                        .label(name)
                        .limit(Limit.fixedWindow(requests, Duration.ofMinutes(1)))
                        .denyAs(cause)
                        .build(),
                List.of(Condition.of("endpoint", endpoint)),
                KeyBy.of("user_id"));
    }

    static WeirRule rule(String name, Limit limit, String endpoint, KeyBy keyBy) {
        return new WeirRule(
                Rule.builder("api", name).name(name).label(name).limit(limit).build(),
                List.of(Condition.of("endpoint", endpoint)),
                keyBy);
    }

    /** A node of Envoy's spelling that counts each value of {@code key} apart. */
    static EnvoyDescriptor envoy(String key, Rule rule) {
        return new EnvoyDescriptor(key, "", rule, false, List.of());
    }

    void advance(Duration by) {
        micros.addAndGet(by.toNanos() / 1_000);
    }

    HttpResponse<String> post(String path, String body, String... headers) {
        return answer(() -> caller.post(path, body, headers));
    }

    HttpResponse<String> check(String body, String... headers) {
        return post("/v1/ratelimit/check", body, headers);
    }

    HttpResponse<String> get(String path) {
        return answer(() -> caller.get(path));
    }

    HttpRequest.Builder request(String path) {
        return caller.request(path);
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        return answer(() -> caller.send(request));
    }

    private static HttpResponse<String> answer(Callable<HttpResponse<String>> call) {
        try {
            return call.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** The server's answer to these very bytes, until it closes the connection. */
    String raw(String request) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.actualPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A connection on which nothing was sent yet. */
    Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), server.actualPort());
    }

    static JsonObject json(HttpResponse<String> response) {
        return new JsonObject(response.body());
    }

    static String header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    @Override
    public void close() {
        server.close().await();
        waits.close();
        store.close();
    }
}
