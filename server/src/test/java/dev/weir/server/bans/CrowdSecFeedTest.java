package dev.weir.server.bans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.weir.Request;
import dev.weir.internal.ban.BanTable;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.server.settings.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Follows a small server that speaks the protocol of CrowdSec's local API. */
class CrowdSecFeedTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String FIRST = """
            {"new": [
              {"id": 1, "origin": "cscli", "type": "ban", "scope": "Ip", "value": "192.0.2.1", "duration": "3h59m57.5s",
               "scenario": "ssh-bf", "simulated": false, "more": {"a": [1]}},
              {"id": 2, "type": "ban", "scope": "Range", "value": "198.51.100.0/24", "duration": "1h", "simulated": true},
              {"id": 3, "type": "captcha", "scope": "Ip", "value": "192.0.2.3", "duration": "1h"},
              {"id": 4, "type": "ban", "scope": "Ip", "value": "nonsense", "duration": "1h"},
              {"id": 5, "type": "ban", "scope": "Ip", "value": "192.0.2.5", "duration": "-1h2m"},
              {"id": 6, "type": "ban", "scope": "Username", "value": "mallory", "duration": "10m"}
            ], "deleted": null}
            """;

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final AtomicInteger status = new AtomicInteger(200);
    private volatile String later = "{\"new\": null, \"deleted\": null}";
    private HttpServer server;
    private CrowdSecFeed feed;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/decisions/stream", exchange -> {
            String query = String.valueOf(exchange.getRequestURI().getQuery());
            asked.add(query + " " + exchange.getRequestHeaders().getFirst("X-Api-Key"));
            byte[] body = (query.equals("startup=true") ? FIRST : later).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status.get(), body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        feed = new CrowdSecFeed(new Settings.CrowdSec(url, "secret"), Duration.ofMillis(20));
    }

    @AfterEach
    void stop() {
        feed.close();
        server.stop(0);
    }

    @Test
    void allDecisionsComeFirstThenWhatIsNewAndDeleted() {
        feed.follow(() -> {});
        await().atMost(LONG).until(() -> asked.size() > 3);
        assertThat(asked.get(0)).isEqualTo("startup=true secret");
        assertThat(asked.get(1)).isEqualTo("null secret");
        assertThat(kind("ip", "192.0.2.1")).isEqualTo(BanKind.BAN);
        assertThat(kind("ip", "198.51.100.9")).as("simulated").isEqualTo(BanKind.WATCH);
        assertThat(kind("username", "mallory")).isEqualTo(BanKind.BAN);
        assertThat(kind("ip", "192.0.2.3")).as("captcha").isNull();
        assertThat(kind("ip", "192.0.2.5")).as("expired").isNull();
        later = "{\"new\": [{\"type\": \"ban\", \"scope\": \"Ip\", \"value\": \"2001:db8::1\", \"duration\": \"4h\"}],"
                + " \"deleted\": [{\"type\": \"ban\", \"scope\": \"Ip\", \"value\": \"192.0.2.1\"}]}";
        await().atMost(LONG).until(() -> kind("ip", "192.0.2.1") == null);
        assertThat(kind("ip", "2001:db8::1")).isEqualTo(BanKind.BAN);
        assertThat(kind("username", "mallory")).isEqualTo(BanKind.BAN);
    }

    @Test
    void afterAFailureTheKnownDecisionsHoldAndAllAreAskedForAgain() {
        feed.follow(() -> {});
        await().atMost(LONG).until(() -> asked.size() > 2);
        status.set(500);
        await().atMost(LONG)
                .until(() -> asked.stream()
                                .filter(each -> each.startsWith("startup"))
                                .count()
                        > 2);
        assertThat(kind("ip", "192.0.2.1")).isEqualTo(BanKind.BAN);
        status.set(200);
        int before = asked.size();
        await().atMost(LONG)
                .until(() -> asked.subList(before, asked.size()).stream().anyMatch(each -> each.startsWith("null")));
    }

    @Test
    void aDurationIsReadAsGoWritesIt() {
        assertThat(CrowdSecFeed.micros("3h59m57.5s")).isEqualTo(14_397_500_000L);
        assertThat(CrowdSecFeed.micros("1.5ms")).isEqualTo(1_500);
        assertThat(CrowdSecFeed.micros("-1h")).isZero();
        assertThat(CrowdSecFeed.micros("soon")).isZero();
        assertThat(CrowdSecFeed.micros("")).isZero();
        assertThat(CrowdSecFeed.micros("9".repeat(300) + "h")).isZero();
    }

    private @Nullable BanKind kind(String attribute, String value) {
        Ban found = new BanTable(List.of(feed.set()))
                .find(Request.to("d").with(attribute, value), System.currentTimeMillis() * 1_000, true);
        return found == null ? null : found.kind();
    }
}
