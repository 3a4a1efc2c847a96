package dev.weir.server.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.queue.RequestQueues;
import dev.weir.internal.queue.WaitTimer;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.server.health.Health;
import dev.weir.server.http.ConnectionGuardSettings;
import dev.weir.server.http.DirectHandler;
import dev.weir.server.http.GuardedTransport;
import dev.weir.server.http.HttpAnswer;
import dev.weir.server.http.PortHandler;
import dev.weir.server.listener.HttpListeners;
import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.memory.MemoryLimits;
import dev.weir.server.rls.RlsSettings;
import dev.weir.server.settings.ListenAddress;
import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A check that is answered without the HTTP server gets the very bytes that the HTTP server would send. */
class DirectCheckTest {
    private static final String RULES = """
            domain: api
            key_by: user
            rules:
              - { name: few, limit: { requests: 3, window: 1h, algorithm: fixed_window } }
              - { name: slow, match: { endpoint: "/slow" }, limit: { requests: 2, window: 1m, burst: 5 }, deny_as: 503 }
              - { name: calls, match: { endpoint: "/calls" }, limit: { requests: 2, algorithm: concurrency, permit_ttl: 10s } }
              - { name: "ümläut, \\"quoted\\"", match: { endpoint: "/odd" }, limit: { requests: 9, window: 1s } }
              - { name: from, key_by: ip, match: { endpoint: "/ip" }, limit: { requests: 2, window: 1s } }
              - { name: tried, shadow: true, limit: { requests: 1, window: 1h } }
            """;

    private static final Vertx VERTX = Vertx.builder()
            .withTransport(GuardedTransport.of(
                    new ConnectionGuardSettings(100, 100, Duration.ofSeconds(30)),
                    new MemoryBudget(MemoryLimits.ofThisProcess())))
            .build();

    private final Side direct = new Side(true);
    private final Side usual = new Side(false);

    /** A port with a limiter of its own, on a clock that stands still. */
    private static final class Side {
        private final TimeSource time = () -> 1_798_761_600_000_000L;
        private final MemoryStore store = new MemoryStore(1_000);
        private final Health health = new Health();
        private final WaitTimer waits = new WaitTimer();
        private final HttpListeners listeners = new HttpListeners(VERTX);
        private final AtomicInteger taken = new AtomicInteger();
        private final int port;

        Side(boolean isDirect) {
            Limiter limiter = new Limiter(
                    RuleLoader.parse("rules", RULES).orThrow(),
                    store,
                    time,
                    LimiterSettings.defaults(),
                    new LimiterObserver() {});
            RequestQueues queues = new RequestQueues(limiter, time, new LimiterObserver() {}, waits);
            RestApi api =
                    new RestApi(limiter, queues, time, health, RestKit.settings(Duration.ZERO), RlsSettings.defaults());
            health.set(Health.State.SERVING);
            port = listeners
                    .listen(
                            new ListenAddress("127.0.0.1", 0),
                            RestApi.serverOptions(),
                            null,
                            1,
                            () -> new PortHandler(api.routes(VERTX), isDirect ? counting(api.direct()) : null))
                    .await()
                    .port();
        }

        private DirectHandler counting(DirectHandler handler) {
            return new DirectHandler() {
                @Override
                public String path() {
                    return handler.path();
                }

                @Override
                public int longestBody() {
                    return handler.longestBody();
                }

                @Override
                public boolean isOpen() {
                    return handler.isOpen();
                }

                @Override
                public @Nullable HttpAnswer answer(ChannelHandlerContext connection, byte[] body) {
                    HttpAnswer answer = handler.answer(connection, body);
                    taken.addAndGet(answer == null ? 0 : 1);
                    return answer;
                }
            };
        }

        /** Sends {@code requests} on one connection, the first of them alone, and returns all answers. */
        String send(List<String> requests) throws IOException {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setSoTimeout(20_000);
                String first = "GET /healthcheck HTTP/1.1\r\nHost: a\r\n\r\n";
                socket.getOutputStream().write(first.getBytes(StandardCharsets.UTF_8));
                StringBuilder answers = new StringBuilder();
                byte[] buffer = new byte[1 << 14];
                while (!answers.toString().endsWith("OK")) {
                    answers.append(
                            new String(buffer, 0, socket.getInputStream().read(buffer), StandardCharsets.ISO_8859_1));
                }
                String last = "GET /healthcheck HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
                socket.getOutputStream().write((String.join("", requests) + last).getBytes(StandardCharsets.UTF_8));
                answers.append(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1));
                return answers.toString();
            }
        }

        void close() {
            listeners.shutdown(Duration.ZERO).await();
            waits.close();
            store.close();
        }
    }

    @AfterEach
    void close() {
        direct.close();
        usual.close();
    }

    @AfterAll
    static void end() {
        VERTX.close().await();
    }

    private static String check(String body) {
        return "POST /v1/ratelimit/check HTTP/1.1\r\nHost: localhost:1\r\nContent-Type: application/json\r\nContent-Length: "
                + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body;
    }

    private void sameAnswers(int taken, String... requests) throws IOException {
        int before = direct.taken.get();
        assertThat(direct.send(List.of(requests))).isEqualTo(usual.send(List.of(requests)));
        assertThat(direct.taken.get() - before)
                .as("answered without the HTTP server")
                .isEqualTo(taken);
    }

    @Test
    void admissionsAndDenialsAreTheSame() throws IOException {
        String ask = check("{\"user\":\"a\"}");
        sameAnswers(5, ask, ask, ask, ask, ask);
        String slow = check("{\"user\":\"b\",\"endpoint\":\"/slow\",\"cost\":2}");
        sameAnswers(3, slow, slow, slow);
    }

    @Test
    void soAreUnusualDecisions() throws IOException {
        sameAnswers(
                7,
                check("{\"user\":\"c\",\"cost\":0}"),
                check("{\"user\":\"c\",\"cost\":100}"),
                check("{\"user\":\"c\",\"endpoint\":\"/odd\"}"),
                check("{\"user\":\"d\",\"endpoint\":\"/calls\"}"),
                check("{\"user\":\"über \\u0007\",\"costs\":{\"tokens\":3}}"),
                check("{\"domain\":\"other\",\"user\":\"e\"}"),
                check("{\"usr\":\"e\",\"ip\":\"auto\",\"endpoint\":\"/ip\"}"));
    }

    @Test
    void mistakesAreAnsweredByTheRoute() throws IOException {
        // A request that the route must answer takes the rest of its read with it.
        for (String body : List.of("", "{", "[]", "{\"user\":1}", "{\"cost\":-1}", "{\"domain\":\"\"}", "\u0000")) {
            sameAnswers(0, check(body));
        }
    }

    @Test
    void requestsWithMoreThanThePlainestHeadAreTheRoutes() throws IOException {
        String body = "{\"user\":\"f\"}";
        String keyed = check(body).replace("Host:", "Idempotency-Key: k\r\nHost:");
        sameAnswers(0, keyed);
        sameAnswers(0, keyed);
        sameAnswers(1, check(body), check(body).replace("Host:", "X-Weir-Priority: critical\r\nHost:"));
        sameAnswers(0, check(body).replace("POST", "GET"));
    }

    @Test
    void aServerThatIsShuttingDownLeavesThemToTheRoute() throws IOException {
        String ask = check("{\"user\":\"g\"}");
        sameAnswers(1, ask);
        direct.health.set(Health.State.NOT_SERVING);
        usual.health.set(Health.State.NOT_SERVING);
        int before = direct.taken.get();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), direct.port)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write((ask + ask).getBytes(StandardCharsets.UTF_8));
            assertThat(socket.getInputStream().read()).isEqualTo('H');
        }
        assertThat(direct.taken.get()).isEqualTo(before);
    }
}
