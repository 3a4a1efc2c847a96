package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.FaultProxy;
import dev.weir.redis.testkit.RedisProcess;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole servers in three regions, each with a real Redis; the others reach that of the home region over a slow line. */
class RegionServersTest {
    private static final List<String> REGIONS = List.of("eu", "us", "ap");
    private static final String HOME = "eu";
    private static final int LIMIT = 600;
    /** Windows of so many days do not end meanwhile. */
    private static final int DAYS = SteadyCalendar.daysOfAWindow();

    private static final long WINDOW_SECONDS = Duration.ofDays(DAYS).toSeconds();
    private static final String RULES = """
        domain: api
        rules:
          - name: everywhere
            match: { kind: global }
            scope: global
            deadline: 1s
            on_fail: deny
            limit: { requests: 600, window: %1$dd, algorithm: fixed_window }
          - name: hasty
            match: { kind: hasty }
            scope: global
            on_fail: deny
            limit: { requests: 600, window: %1$dd, algorithm: fixed_window }
          - name: parts
            match: { kind: parts }
            scope: { slices: { eu: 0.5, us: 0.3, ap: 0.2 } }
            limit: { requests: 11, window: %1$dd, algorithm: fixed_window }
        """.formatted(DAYS);

    private static final Map<String, RedisProcess> STORES = new HashMap<>();
    private static final Map<String, FaultProxy> LINES = new HashMap<>();

    @TempDir
    Path folder;

    private final Map<String, RunningServer> servers = new HashMap<>();

    @BeforeAll
    static void startStores() {
        REGIONS.forEach(each -> STORES.put(each, RedisProcess.start()));
        for (String each : REGIONS) {
            FaultProxy line = FaultProxy.before(redis(HOME).port());
            LINES.put(each, line);
        }
    }

    @AfterAll
    static void stopStores() {
        LINES.values().forEach(FaultProxy::close);
        STORES.values().forEach(RedisProcess::close);
    }

    @AfterEach
    void close() {
        servers.values().forEach(RunningServer::close);
        LINES.values().forEach(FaultProxy::flow);
        STORES.values().forEach(each -> each.cli("FLUSHALL"));
    }

    @Test
    void aGlobalLimitHoldsOverAllRegionsAlsoWhenOneIsCutOff() throws Exception {
        startServers();
        assertThat(passUntilDenied(() -> line("ap").blackHole())).isBetween(LIMIT / 2, LIMIT);
        line("ap").flow();
        assertThat(Objects.requireNonNull(redis(HOME).keysWithoutNotes()))
                .as("global counters are at home")
                .isNotEmpty();
        assertThat(redis("us").keysWithoutNotes()).isEmpty();
    }

    /** Sends to all regions at once until each denies for good; {@code fault} happens on the way. */
    private int passUntilDenied(Runnable fault) throws Exception {
        AtomicInteger passed = new AtomicInteger();
        AtomicInteger faults = new AtomicInteger();
        List<Callable<Void>> callers = new ArrayList<>();
        for (RunningServer each : servers.values()) {
            callers.add(() -> {
                for (int denied = 0; denied < 10; ) {
                    if (each.grpc("api", "kind", "global") == 1) {
                        denied = 0;
                        if (passed.incrementAndGet() > LIMIT / 2 && faults.getAndIncrement() == 0) {
                            fault.run();
                        }
                    } else {
                        denied++;
                    }
                }
                return null;
            });
        }
        ExecutorService threads = Executors.newFixedThreadPool(callers.size());
        try {
            for (Future<Void> each : threads.invokeAll(callers)) {
                each.get();
            }
        } finally {
            threads.shutdown();
        }
        return passed.get();
    }

    @Test
    void aServerWithoutHomeSaysSoAndStillServesItsRegion() throws Exception {
        startServers();
        RunningServer us = server("us");
        assertThat(us.grpc("api", "kind", "global")).isEqualTo(1);
        line("us").refuse();
        await().untilAsserted(
                        () -> assertThat(us.get("/healthcheck").body()).startsWith("OK, degraded: store region:eu"));
        assertThat(check(us, "parts").statusCode()).isEqualTo(200);
        line("us").flow();
    }

    @Test
    void aRegionsPartIsShownBesideTheWhole() throws Exception {
        startServers();
        RunningServer us = server("us");
        HttpResponse<String> answer = check(us, "parts");
        assertThat(answer.headers().firstValue("X-RateLimit-Limit")).contains("3");
        assertThat(answer.headers().firstValue("RateLimit-Policy"))
                .contains("\"parts\";q=3;w=" + WINDOW_SECONDS + ";weir-whole=11");
        int passed = 1;
        for (String each : REGIONS) {
            while (check(server(each), "parts").statusCode() == 200) {
                passed++;
            }
        }
        assertThat(passed).isEqualTo(11);
        JsonObject rule = explained(us, "parts");
        assertThat(rule.getString("scope")).isEqualTo("slices");
        assertThat(rule.getJsonObject("limit").getString("region")).isEqualTo("us");
        assertThat(rule.getJsonObject("limit").getLong("whole")).isEqualTo(11);
    }

    @Test
    void anExplanationTellsWhatAServerHoldsOfAGlobalLimit() throws Exception {
        startServers();
        RunningServer us = server("us");
        await().untilAsserted(() -> {
            assertThat(us.grpc("api", "kind", "global")).isEqualTo(1);
            assertThat(explained(us, "global").getLong("held")).isPositive();
        });
    }

    private static JsonObject explained(RunningServer server, String kind) throws Exception {
        JsonObject question =
                new JsonObject().put("domain", "api").put("attributes", new JsonObject().put("kind", kind));
        JsonObject explained = new JsonObject(
                server.admin.post("/admin/v1/explain", question.encode()).body());
        return explained.getJsonArray("rules").stream()
                .map(JsonObject.class::cast)
                .filter(each -> each.getBoolean("met"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aSliceShrinksAtOnceAndGrowsWithAWindow() throws Exception {
        startServers();
        assertThat(partOf("eu")).isEqualTo(6);
        assertThat(partOf("us")).isEqualTo(3);
        String changed = RULES.replace("eu: 0.5, us: 0.3", "eu: 0.2, us: 0.6").replace("requests: 11", "requests: 12");
        Files.writeString(folder.resolve("rules.yaml"), changed);
        await().untilAsserted(() -> assertThat(partOf("eu")).isEqualTo(2));
        await().untilAsserted(
                        () -> assertThat(check(server("us"), "parts").headers().firstValue("RateLimit-Policy"))
                                .contains("\"parts\";q=3;w=" + WINDOW_SECONDS + ";weir-whole=12"));
        assertThat(partOf("us")).as("it grows with the next window").isEqualTo(3);
    }

    private long partOf(String region) throws Exception {
        return Long.parseLong(check(server(region), "parts")
                .headers()
                .firstValue("X-RateLimit-Limit")
                .orElseThrow());
    }

    @Test
    void serversOfAnOldHomeStopAndANewOneWaitsForTheWindowsEnd() throws Exception {
        startServers();
        RunningServer old = server("us");
        assertThat(old.grpc("api", "kind", "global")).isEqualTo(1);
        RunningServer next = start("us", "next", "us", "home_epoch", "2");
        await().untilAsserted(() -> assertThat(old.get("/healthcheck").body()).contains("home_epoch 1 is old"));
        assertThat(degraded(old)).as("it asks no home").isTrue();
        assertThat(degraded(next)).as("the window has not ended").isTrue();
        await().untilAsserted(() -> assertThat(next.admin.get("/admin/v1/fleet").body())
                .as("the fleet as operators see it")
                .contains("\"region\":\"us\"", "\"home\":\"eu\",\"home_epoch\":1", "\"home\":\"us\",\"home_epoch\":2"));
        RunningServer forced = start("us", "forced", "us", "home_epoch", "2", "home_at_once", "true");
        assertThat(forced.grpc("api", "kind", "global")).isEqualTo(1);
        assertThat(server("eu").grpc("api", "kind", "global"))
                .as("nobody told this region")
                .isEqualTo(1);
        int here = 1 + passes(forced);
        int there = 2 + passes(server("eu")); // one of them passed at the old server
        assertThat(here).as("each home counts to the limit").isLessThanOrEqualTo(LIMIT);
        assertThat(there).as("each home counts to the limit").isLessThanOrEqualTo(LIMIT);
        assertThat(here + there).as("with two homes").isBetween(LIMIT + 1, 2 * LIMIT);
    }

    /** Asks until ten requests in a row are denied, and returns how many passed. */
    private static int passes(RunningServer server) throws Exception {
        int passed = 0;
        for (int denied = 0; denied < 10; ) {
            if (server.grpc("api", "kind", "global") == 1) {
                denied = 0;
                passed++;
            } else {
                denied++;
            }
        }
        return passed;
    }

    /** The rule that gives home a second waits for it; the one with the usual quarter of a second does not. */
    @Test
    void aHomeThatIsSlowerThanTheDeadlineLeavesTheDecisionToOnFail() throws Exception {
        startServers();
        line("us").latency(Duration.ofMillis(150), Duration.ofMillis(150));
        HttpResponse<String> hasty = check(server("us"), "hasty");
        assertThat(hasty.statusCode()).isEqualTo(503);
        assertThat(new JsonObject(hasty.body()).getString("rule")).isEqualTo("hasty");
        assertThat(check(server("us"), "global").statusCode()).isEqualTo(200);
        assertThat(check(server("eu"), "hasty").statusCode()).as("at home").isEqualTo(200);
    }

    @Test
    void aHomeThatIsKilledStopsGlobalLimitsEverywhereUntilItIsBack() throws Exception {
        startServers();
        for (String each : REGIONS) {
            assertThat(server(each).grpc("api", "kind", "global")).isEqualTo(1);
        }
        redis(HOME).kill();
        try {
            for (String each : REGIONS) {
                assertThat(degraded(server(each))).as(each).isTrue();
            }
            assertThat(check(server("us"), "parts").statusCode())
                    .as("the region's own limits")
                    .isEqualTo(200);
        } finally {
            redis(HOME).restart();
        }
        for (String each : REGIONS) {
            await().until(() -> check(server(each), "global").statusCode() == 200);
        }
    }

    /** Whether {@code on_fail} decides about the next request that no lease covers. */
    private static boolean degraded(RunningServer server) throws Exception {
        for (int i = 0; i < LIMIT; i++) {
            if (check(server, "global").statusCode() == 503) {
                return true;
            }
        }
        return false;
    }

    private void startServers() throws Exception {
        for (String each : REGIONS) {
            start(each, each, HOME);
        }
    }

    private RunningServer start(String each, String name, String home, String... settings) throws Exception {
        Path rules = folder.resolve("rules.yaml");
        Files.writeString(rules, RULES);
        line(each).latency(Duration.ofMillis(50), Duration.ofMillis(50));
        Path config = folder.resolve(name + ".yaml");
        StringBuilder text = new StringBuilder("region: " + each + "\nhome: " + home + "\nregions:\n");
        for (String region : REGIONS) {
            boolean far = region.equals(HOME) && !each.equals(HOME);
            String uri = far ? line(each).uri() : redis(region).uri();
            text.append("  ").append(region).append(": { store: \"").append(uri).append("\" }\n");
        }
        Files.writeString(config, text);
        // A whole test on two cores: the deadline is not what is tested here.
        List<String> all = new ArrayList<>(List.of("config", config.toString(), "deadline", "5s"));
        all.addAll(List.of(settings));
        RunningServer server = RunningServer.with(rules, all.toArray(String[]::new));
        servers.put(name, server);
        return server;
    }

    private RunningServer server(String region) {
        return Objects.requireNonNull(servers.get(region));
    }

    private static RedisProcess redis(String region) {
        return Objects.requireNonNull(STORES.get(region));
    }

    private static FaultProxy line(String region) {
        return Objects.requireNonNull(LINES.get(region));
    }

    private static HttpResponse<String> check(RunningServer server, String kind) throws Exception {
        return server.http.check(new JsonObject().put("kind", kind));
    }
}
