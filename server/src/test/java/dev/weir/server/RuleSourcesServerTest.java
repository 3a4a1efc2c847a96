package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Limit;
import dev.weir.control.testkit.Etcd;
import dev.weir.control.testkit.XdsServer;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.redis.testkit.PemFiles;
import dev.weir.server.lifecycle.StartException;
import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole servers whose rules come from etcd and xDS. */
class RuleSourcesServerTest {
    private static final int CHANGES = 1_000;
    private static final Duration BETWEEN = Duration.ofMillis(10);
    private static final Duration BUDGET = Duration.ofSeconds(2);

    @TempDir
    Path folder;

    @Test
    void aHundredChangesASecondUnderLoadTearNothingFailNothingAndTheLastWinsEverywhere(@TempDir Path etcdFolder)
            throws Exception {
        try (Etcd etcd = Etcd.in(etcdFolder)) {
            etcd.writer().putAll(both(1));
            String[] settings = {"rules", etcd.url("/weir"), "merge_domains", "true"};
            AtomicBoolean over = new AtomicBoolean();
            AtomicInteger torn = new AtomicInteger();
            Queue<String> failed = new ConcurrentLinkedQueue<>();
            AtomicLong asked = new AtomicLong();
            try (RunningServer one = RunningServer.with(folder, settings);
                    RunningServer two = RunningServer.with(folder, settings)) {
                List<Thread> load = List.of(
                        thread(over, () -> ask(one, failed, asked)),
                        thread(over, () -> ask(two, failed, asked)),
                        thread(over, () -> {
                            torn.addAndGet(isTorn(one) + isTorn(two));
                            LockSupport.parkNanos(100_000);
                        }));
                long start;
                long written;
                long settled;
                try {
                    List<CompletableFuture<?>> writing = new ArrayList<>();
                    start = System.nanoTime();
                    for (int i = 1; i < CHANGES; i++) {
                        // Whatever the order in which they arrive, the last is the last.
                        writing.add(etcd.writer().putAllSoon(both(i)));
                        long next = start + i * BETWEEN.toNanos();
                        while (System.nanoTime() < next) {
                            LockSupport.parkNanos(next - System.nanoTime());
                        }
                    }
                    CompletableFuture.allOf(writing.toArray(CompletableFuture[]::new))
                            .join();
                    etcd.writer().putAll(both(CHANGES));
                    written = System.nanoTime();
                    await().atMost(BUDGET).until(() -> requests(one, 0) == CHANGES && requests(two, 0) == CHANGES);
                    settled = System.nanoTime();
                } finally {
                    over.set(true);
                    for (Thread each : load) {
                        each.join();
                    }
                }
                System.out.printf(
                        "%d changes in %.1f s, %d requests beside them; the last is in force on both after %d ms%n",
                        CHANGES, (written - start) / 1e9, asked.get(), (settled - written) / 1_000_000);
                assertThat(metric(one, "ratelimit_rules_source_errors_total{reason=\"invalid\""))
                        .isEqualTo("0.0");
            }
            assertThat(torn).hasValue(0);
            assertThat(failed).isEmpty();
            assertThat(asked.get()).isGreaterThan(100); // a busy machine does few, but each is answered
        }
    }

    @Test
    void anEtcdThatIsAwayIsNotNoticedByCallersNorByAStart(@TempDir Path etcdFolder) throws Exception {
        String data = folder.resolve("data").toString();
        try (Etcd etcd = Etcd.in(etcdFolder)) {
            etcd.writer().put("/weir/api", "{domain: api, rules: [{name: r, limit: {requests: 42, window: 1h}}]}");
            String[] settings = {"rules", etcd.url("/weir"), "data", data};
            try (RunningServer running = RunningServer.with(folder, settings)) {
                assertThat(limit(running)).isEqualTo(42);
                etcd.kill();
                await().until(() ->
                        metric(running, "ratelimit_rules_source_connected").equals("0.0"));
                assertThat(limit(running)).isEqualTo(42);
                assertThat(running.get("/healthcheck").statusCode()).isEqualTo(200);
                JsonObject source = sources(running).getJsonObject(0);
                assertThat(source.getString("source")).isEqualTo("etcd:/weir");
                assertThat(source.getBoolean("connected")).isFalse();
                assertThat(source.getString("problem")).isNotEmpty();
            }
            try (RunningServer restarted = RunningServer.with(folder, settings)) {
                assertThat(limit(restarted)).isEqualTo(42);
                assertThat(metric(restarted, "ratelimit_rules_source_connected"))
                        .isEqualTo("0.0");
                etcd.start();
                await().until(() ->
                        metric(restarted, "ratelimit_rules_source_connected").equals("1.0"));
            }
            etcd.kill();
            String elsewhere = folder.resolve("elsewhere").toString();
            for (int i = 0; i < 2; i++) { // the folder is free again after a start that failed
                assertThatThrownBy(() -> RunningServer.with(
                                folder, "rules", etcd.url("/weir"), "data", elsewhere, "rules_wait", "100ms"))
                        .isInstanceOf(StartException.class)
                        .hasMessageContaining("no rules from etcd:/weir");
            }
        }
    }

    @Test
    void healthWaitsForTheFirstRulesIfItDependsOnThem(@TempDir Path etcdFolder) throws Exception {
        try (Etcd etcd = Etcd.in(etcdFolder)) {
            etcd.writer().put("/weir/api", "{domain: api, rules: [{name: r, limit: {requests: 42, window: 1h}}]}");
            etcd.kill();
            try (RunningServer running = RunningServer.with(
                    Map.of("HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED", "true"),
                    folder,
                    "rules",
                    etcd.url("/weir"),
                    "rules_required",
                    "false",
                    "rules_wait",
                    "0s")) {
                assertThat(running.get("/healthcheck").statusCode()).isEqualTo(500);
                assertThat(running.get("/healthcheck").body()).isEqualTo("NOT SERVING: no rules are in force");
                etcd.start();
                await().until(() -> running.get("/healthcheck").statusCode() == 200);
            }
        }
    }

    @Test
    void sourcesLieOverEachOtherInAFixedOrderThatIsShown(@TempDir Path etcdFolder) throws Exception {
        Path file = Files.writeString(
                folder.resolve("api.yaml"),
                "{domain: api, rules: [{name: r, limit: {requests: 1, window: 1h}},"
                        + " {name: mine, match: {endpoint: /x}, limit: {requests: 9, window: 1h}}]}");
        try (Etcd etcd = Etcd.in(etcdFolder);
                XdsServer xds = XdsServer.start()) {
            etcd.writer().put("/weir/api", "{domain: api, rules: [{name: r, limit: {requests: 2, window: 1h}}]}");
            etcd.writer().put("/weir/envoy", "{domain: gateway, descriptors: [{key: old}]}");
            xds.set("v1", XdsServer.hourly("gateway", "user", 3));
            String rules = "xds://127.0.0.1:" + xds.port() + "," + etcd.url("/weir") + "," + file;
            try (RunningServer running = RunningServer.with(
                    folder, "rules", rules, "data", folder.resolve("data").toString())) {
                assertThat(limit(running)).isEqualTo(2);
                JsonObject rule = rule(running, "r");
                assertThat(rule.getString("source")).isEqualTo("etcd:/weir/api:1:30");
                assertThat(rule.getString("hides")).endsWith("api.yaml:1:30");
                assertThat(rule(running, "mine").getString("hides")).isNull();
                assertThat(running.grpc("gateway", "user", "u1")).isEqualTo(1);
                assertThat(sources(running).stream().map(each -> ((JsonObject) each).getString("source")))
                        .containsExactly(file.toString(), "etcd:/weir", "xds:127.0.0.1:" + xds.port(), "database");
                assertThat(sources(running).getJsonObject(0).getInteger("hidden"))
                        .isEqualTo(1);

                running.admin.put(
                        "/v1/ratelimit/config/r",
                        "{\"domain\": \"api\", \"limit\": {\"requests\": 4, \"window\": \"1h\"}}");
                assertThat(limit(running)).isEqualTo(4);
                assertThat(rule(running, "r").getString("hides")).isEqualTo("etcd:/weir/api:1:30");
                running.admin.delete("/v1/ratelimit/config/r");
                assertThat(limit(running)).isEqualTo(2);
                etcd.writer().delete("/weir/api");
                await().until(() -> limit(running) == 1);
            }
        }
    }

    @Test
    void bothSpeakTlsAndAreShownACertificate(@TempDir Path etcdFolder) throws Exception {
        PemFiles its = PemFiles.in(folder, "its");
        PemFiles ours = PemFiles.in(folder, "ours");
        ServerCredentials credentials = TlsServerCredentials.newBuilder()
                .keyManager(its.certificate().toFile(), its.key().toFile())
                .trustManager(ours.certificate().toFile())
                .clientAuth(TlsServerCredentials.ClientAuth.REQUIRE)
                .build();
        try (Etcd etcd = Etcd.in(
                        etcdFolder,
                        "--cert-file",
                        its.certificate().toString(),
                        "--key-file",
                        its.key().toString(),
                        "--client-cert-auth",
                        "--trusted-ca-file",
                        ours.certificate().toString());
                XdsServer xds = XdsServer.start(credentials)) {
            xds.set("v1", XdsServer.hourly("gateway", "user", 3));
            String[] tls = {
                "rules_tls_ca", its.certificate().toString(),
                "rules_tls_cert", ours.certificate().toString(),
                "rules_tls_key", ours.key().toString(),
                "rules_wait", "20s"
            };
            try (RunningServer running = RunningServer.with(folder, with(tls, "xdss://localhost:" + xds.port()))) {
                assertThat(running.grpc("gateway", "user", "u1")).isEqualTo(1);
            }
            // It is empty, and that it says so is proof enough that we understand each other.
            String etcds = etcd.url("/weir").replace("etcd:", "etcds:");
            assertThatThrownBy(() -> RunningServer.with(folder, with(tls, etcds)))
                    .hasMessageContaining("etcd:/weir: no keys below /weir/");
            assertThatThrownBy(() -> RunningServer.with(
                            folder,
                            "rules",
                            etcds,
                            "rules_tls_ca",
                            its.certificate().toString(),
                            "rules_wait",
                            "2s"))
                    .hasMessageContaining("no rules from etcd:/weir");
        }
    }

    private static String[] with(String[] settings, String rules) {
        String[] all = Arrays.copyOf(settings, settings.length + 2);
        all[settings.length] = "rules";
        all[settings.length + 1] = rules;
        return all;
    }

    private static Map<String, String> both(int requests) {
        return Map.of("/weir/a", document("a", requests), "/weir/b", document("b", requests));
    }

    private static String document(String rule, int requests) {
        return "{domain: api, rules: [{name: " + rule + ", key_by: user_id, limit: {requests: " + requests
                + ", window: 1h}}]}";
    }

    private static Thread thread(AtomicBoolean over, Runnable work) {
        Thread thread = new Thread(() -> {
            while (!over.get()) {
                work.run();
            }
        });
        thread.start();
        return thread;
    }

    private static void ask(RunningServer server, Queue<String> failed, AtomicLong asked) {
        try {
            var answer = server.post("/v1/ratelimit/check", "{\"domain\":\"api\",\"user_id\":\"u\",\"cost\":0}");
            if (answer.statusCode() != 200) {
                failed.add(answer.statusCode() + " " + answer.body());
            }
            asked.incrementAndGet();
        } catch (Exception e) {
            failed.add(String.valueOf(e));
        }
    }

    private static int isTorn(RunningServer server) {
        WrittenRules rules = server.server.limiter().rules();
        return rules.rules().size() == 2 && requests(rules, 0) == requests(rules, 1) ? 0 : 1;
    }

    private static long requests(RunningServer server, int rule) {
        return requests(server.server.limiter().rules(), rule);
    }

    private static long requests(WrittenRules rules, int rule) {
        Limit limit = Objects.requireNonNull(rules.rules().get(rule).limit());
        return limit.requests();
    }

    private static int limit(RunningServer server) throws Exception {
        JsonObject question =
                new JsonObject().put("domain", "api").put("user_id", "u").put("cost", 0);
        return new JsonObject(server.http.check(question).body()).getInteger("limit", -1);
    }

    private static JsonArray sources(RunningServer server) throws Exception {
        return new JsonObject(server.admin.get("/v1/ratelimit/sources").body()).getJsonArray("sources");
    }

    private static JsonObject rule(RunningServer server, String id) throws Exception {
        return new JsonObject(server.admin.get("/v1/ratelimit/config/" + id).body());
    }

    private static String metric(RunningServer server, String begin) throws Exception {
        return server.get("/metrics")
                .body()
                .lines()
                .filter(each -> each.startsWith(begin))
                .map(each -> each.substring(each.lastIndexOf(' ') + 1))
                .findFirst()
                .orElse("");
    }
}
