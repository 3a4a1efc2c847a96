package dev.weir.server.shedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.LoadShedder;
import dev.weir.TimeSource;
import dev.weir.internal.match.pattern.TrustedProxies;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.metrics.RuleMetrics;
import dev.weir.server.metrics.ServerMetrics;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Shedders of 20 requests in flight before a real HTTP server with one event loop. Their clock stands still, so that they
 * learn no other limit, however slow the machine is.
 */
class LoadSheddingTest {
    private static final Vertx VERTX = Vertx.vertx();
    private static final int BURST = 30;
    private static final TimeSource STILL = new TimeSource() {
        @Override
        public long micros() {
            return 0;
        }

        @Override
        public long nanos() {
            return 0;
        }
    };

    private final List<HttpServer> servers = new ArrayList<>();
    private final AtomicInteger served = new AtomicInteger();

    @AfterEach
    void close() {
        servers.forEach(each -> each.close().await());
    }

    @AfterAll
    static void closeAll() {
        VERTX.close().await();
    }

    @Test
    void whatALoopTakesOnAtOnceIsBounded() throws Exception {
        int port = listen(shedding(TrustedProxies.NONE).onLoop(this::answer));
        String answers = burst(port, "POST /check", "");
        assertThat(count(answers, "HTTP/1.1 200")).isEqualTo(18);
        assertThat(count(answers, "HTTP/1.1 503")).isEqualTo(BURST - 18);
        assertThat(answers)
                .contains("application/problem+json")
                .contains("\"type\":\"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity\"")
                .contains("\"status\":503")
                .containsPattern("(?i)retry-after: [123]\r\n");
        assertThat(count(burst(port, "GET /status", ""), "HTTP/1.1 200"))
                .as("in the next round, reads have 80 % of 20")
                .isEqualTo(16);
    }

    @Test
    void metricsCountWhatIsRefusedByPriority() throws Exception {
        LoadShedding shedding = shedding(TrustedProxies.NONE);
        int port = listen(shedding.onLoop(this::answer));
        try (ServerMetrics metrics = new ServerMetrics(new RuleMetrics(TimeSource.system(), false, null))) {
            shedding.addTo(metrics);
            assertThat(metrics.scrape()).contains("ratelimit_shed_total{port=\"http\",priority=\"write\"} 0.0");
            burst(port, "POST /check", "");
            burst(port, "GET /status", "");
            assertThat(metrics.scrape())
                    .contains("ratelimit_shed_total{port=\"http\",priority=\"write\"} 12.0")
                    .contains("ratelimit_shed_total{port=\"http\",priority=\"read\"} 14.0")
                    .contains("ratelimit_shed_total{port=\"admin\",priority=\"write\"} 0.0")
                    .contains("ratelimit_shedder_limit{port=\"http\"} 20.0");
        }
    }

    @Test
    void healthChecksAndMetricsPass() throws Exception {
        int port = listen(shedding(TrustedProxies.NONE).onLoop(this::answer));
        assertThat(count(burst(port, "GET /healthcheck", ""), "HTTP/1.1 200")).isEqualTo(BURST);
        assertThat(count(burst(port, "GET /metrics", ""), "HTTP/1.1 200")).isEqualTo(BURST);
    }

    @Test
    void aHeaderLowersAPriorityAndRaisesItForTrustedPeersOnly() throws Exception {
        int port = listen(shedding(TrustedProxies.NONE).onLoop(this::answer));
        assertThat(count(burst(port, "POST /check", "X-Weir-Priority: Test\r\n"), "HTTP/1.1 200"))
                .isEqualTo(12);
        assertThat(count(burst(port, "POST /check", "X-Weir-Priority: critical\r\n"), "HTTP/1.1 200"))
                .isEqualTo(18);
        assertThat(count(burst(port, "POST /check", "X-Weir-Priority: urgent\r\n"), "HTTP/1.1 200"))
                .isEqualTo(18);
        TrustedProxies local = TrustedProxies.of(List.of("127.0.0.0/8"), TrustedProxies.Header.X_FORWARDED_FOR);
        int trusting = listen(shedding(local).onLoop(this::answer));
        assertThat(count(burst(trusting, "POST /check", "X-Weir-Priority: critical\r\n"), "HTTP/1.1 200"))
                .isEqualTo(BURST);
    }

    /** As requests do whose Redis is slow or dead. */
    @Test
    void requestsThatWaitForTheirAnswerAreNotInFlight() throws Exception {
        int port = listen(shedding(TrustedProxies.NONE).onLoop(request -> served.incrementAndGet()));
        List<Socket> callers = new ArrayList<>();
        try {
            for (int i = 1; i <= 2 * BURST; i++) {
                Socket caller = new Socket(InetAddress.getLoopbackAddress(), port);
                callers.add(caller);
                caller.getOutputStream().write(request("POST /check", ""));
                int number = i;
                await().until(() -> served.get() == number);
            }
        } finally {
            for (Socket each : callers) {
                each.close();
            }
        }
    }

    @Test
    void operatorsWhoWaitForAThreadAreInFlight() throws Exception {
        Promise<String> database = Promise.promise();
        LoadShedding shedding = shedding(TrustedProxies.NONE);
        int port = listen(request -> {
            served.incrementAndGet();
            shedding.forOperator(request, database::future)
                    .onSuccess(done -> request.response().end(done))
                    .onFailure(refused -> request.response()
                            .setStatusCode(((HttpProblemException) refused).status())
                            .end());
        });
        HttpClient client = HttpClient.newHttpClient();
        List<CompletableFuture<Integer>> waiting = new ArrayList<>();
        for (int i = 0; i < 18; i++) {
            waiting.add(status(client, port, "/admin/v1/quotas/k"));
        }
        await().until(() -> served.get() == 18);
        assertThat(status(client, port, "/admin/v1/quotas/k").get()).isEqualTo(503);
        var switched = status(client, port, "/admin/v1/switches/all");
        await().until(() -> served.get() == 20);
        assertThat(switched).isNotDone();
        database.complete("done");
        assertThat(switched.get()).isEqualTo(200);
        for (var each : waiting) {
            assertThat(each.get()).isEqualTo(200);
        }
        assertThat(status(client, port, "/admin/v1/quotas/k").get()).isEqualTo(200);
    }

    @Test
    void switchedOffNothingIsRefused() throws Exception {
        LoadShedding off = new LoadShedding(false, TrustedProxies.NONE, LoadShedder::create, LoadShedder.create());
        int port = listen(off.onLoop(this::answer));
        assertThat(count(burst(port, "POST /check", ""), "HTTP/1.1 200")).isEqualTo(BURST);
        List<Future<String>> waiting = new ArrayList<>();
        int operators = listen(request -> {
            waiting.add(off.forOperator(request, () -> Promise.<String>promise().future()));
            answer(request);
        });
        assertThat(count(burst(operators, "PUT /admin/v1/quotas/k", ""), "HTTP/1.1 200"))
                .isEqualTo(BURST);
        assertThat(waiting).noneMatch(Future::failed);
    }

    private static LoadShedding shedding(TrustedProxies proxies) {
        return new LoadShedding(true, proxies, LoadSheddingTest::shedder, shedder());
    }

    private static LoadShedder shedder() {
        return LoadShedder.create(Duration.ZERO, STILL);
    }

    private void answer(HttpServerRequest request) {
        var unused = request.response().end("ok");
    }

    private int listen(Handler<HttpServerRequest> handler) {
        HttpServer server = VERTX.createHttpServer()
                .requestHandler(handler)
                .listen(0, "127.0.0.1")
                .await();
        servers.add(server);
        return server.actualPort();
    }

    private static CompletableFuture<Integer> status(HttpClient client, int port, String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .version(HttpClient.Version.HTTP_1_1)
                .PUT(BodyPublishers.noBody())
                .build();
        return client.sendAsync(request, BodyHandlers.ofString()).thenApply(HttpResponse::statusCode);
    }

    private static byte[] request(String line, String headers) {
        return (line + " HTTP/1.1\r\nHost: weir\r\n" + headers + "Content-Length: 0\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** Sends requests in one write, so that the loop reads them in one round; returns the answers. */
    private static String burst(int port, String line, String headers) throws IOException {
        byte[] one = request(line, headers);
        byte[] all = new byte[one.length * BURST];
        for (int i = 0; i < BURST; i++) {
            System.arraycopy(one, 0, all, i * one.length, one.length);
        }
        StringBuilder answers = new StringBuilder();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(all);
            byte[] buffer = new byte[8192];
            while (count(answers.toString(), "HTTP/1.1 ") < BURST) {
                int read = socket.getInputStream().read(buffer);
                assertThat(read).as("%s", answers).isPositive();
                answers.append(new String(buffer, 0, read, StandardCharsets.US_ASCII));
            }
        }
        return answers.toString();
    }

    private static int count(String text, String what) {
        return text.split(what, -1).length - 1;
    }
}
