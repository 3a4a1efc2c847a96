package dev.weir.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.RuleSet;
import dev.weir.Verdict;
import dev.weir.Weir;
import dev.weir.http.HttpLimiter;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.catalina.util.ServerInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever a call does, its permit is held until it has ended, and is back then. */
class AsyncCallsTest {
    private final Weir weir = Weir.open(RuleSet.builder("app")
            .rule("in-flight", Limit.concurrency(1, Duration.ofMinutes(5)))
            .build());
    private final ExecutorService later = Executors.newSingleThreadExecutor();
    private final AsyncServlet servlet = new AsyncServlet(this::free, later);
    private final HttpClient client = HttpClient.newHttpClient();

    @FunctionalInterface
    private interface Start {
        Container of(Filter filter, Map<String, HttpServlet> servlets) throws Exception;
    }

    @AfterEach
    void close() {
        later.shutdownNow();
        weir.close();
    }

    @Test
    @Tag("tomcat")
    void onTomcat() throws Exception {
        assertThat(ServerInfo.getServerNumber()).startsWith(System.getProperty("tomcat.major", "10") + ".");
        everyWay(Container::tomcat, HttpClient.Version.HTTP_1_1);
    }

    @Test
    @Tag("tomcat")
    void onTomcatOverHttp2() throws Exception {
        everyWay(Container::tomcat, HttpClient.Version.HTTP_2);
    }

    @Test
    void onJetty() throws Exception {
        everyWay(Container::jetty, HttpClient.Version.HTTP_1_1);
    }

    private void everyWay(Start start, HttpClient.Version version) throws Exception {
        Map<String, HttpServlet> servlets = new LinkedHashMap<>();
        servlets.put("/call", servlet);
        servlets.put("/end", servlet);
        try (Container container =
                start.of(new WeirFilter(HttpLimiter.builder(weir).build()), servlets)) {
            for (AsyncServlet.Way way : AsyncServlet.Way.values()) {
                String path = "/call?way=" + way;
                call(container.port(), path, version);
                backAgain(way.name());
            }
        }
        assertThat(servlet.early)
                .as("calls that ran on after their permit was gone")
                .isZero();
    }

    private void backAgain(String after) {
        await(after).atMost(Duration.ofSeconds(20)).until(() -> free() == 1);
    }

    private void call(int port, String path, HttpClient.Version version) throws Exception {
        try {
            // A GET whose connection is cut would be sent again by the client itself, while the first holds the permit.
            HttpResponse<byte[]> response = client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                            .version(version)
                            .POST(HttpRequest.BodyPublishers.noBody())
                            .build(),
                    HttpResponse.BodyHandlers.ofByteArray());
            assertThat(response.version()).isEqualTo(version);
            assertThat(response.statusCode()).as(path).isNotEqualTo(429);
            // Tomcat resets the response when it dispatches a call after an error.
            if (!path.endsWith(AsyncServlet.Way.THROWS_IN_ITS_THREAD_AND_DISPATCHES.name())) {
                assertThat(response.headers().firstValue("RateLimit")).as(path).isPresent();
            }
        } catch (IOException e) {
            // A container may cut the connection of a call that threw after it had begun to answer.
            assertThat(path).containsAnyOf("THROWS", "TIMES_OUT");
        }
    }

    private long free() {
        Verdict binding = weir.decide(
                        Request.to("app").with("endpoint", "GET /call").takeNothing())
                .binding();
        return Objects.requireNonNull(binding).remaining();
    }
}
