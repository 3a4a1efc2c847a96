package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.PemFiles;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.rules.WatchedRuleFiles;
import dev.weir.server.settings.SettingsReader;
import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Filter;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WeirServerTest {
    @TempDir
    Path folder;

    @Test
    void everySurfaceAnswersAndTheyShareTheirCounters() throws Exception {
        try (RunningServer running = RunningServer.with(rules("3"))) {
            assertThat(running.get("/healthcheck").statusCode()).isEqualTo(200);
            assertThat(running.get("/healthcheck").body()).isEqualTo("OK");
            assertThat(check(running, "ann").statusCode()).isEqualTo(200);
            assertThat(running.grpc("demo", "user", "ann")).isEqualTo(1);
            assertThat(running.post("/json", json("ann")).statusCode()).isEqualTo(200);
            assertThat(check(running, "ann").statusCode()).isEqualTo(429);
            assertThat(running.grpc("demo", "user", "ann")).isEqualTo(2);
            assertThat(running.post("/json", json("ann")).statusCode()).isEqualTo(429);
            assertThat(running.grpc("demo", "user", "bob")).isEqualTo(1);
        }
    }

    @Test
    void grpcSpeaksTlsWhereItHasACertificateAndIsWarmedAllTheSame() throws Exception {
        PemFiles pem = PemFiles.in(folder, "server");
        String[] tls = {
            "grpc_tls_cert",
            pem.certificate().toString(),
            "grpc_tls_key",
            pem.key().toString()
        };
        Path rules = rules("3");
        try (RunningServer running = RunningServer.with(rules, tls[0], tls[1], tls[2], tls[3], "warm_up", "200ms")) {
            ManagedChannel channel = NettyChannelBuilder.forAddress(
                            "localhost", running.server.grpc().port())
                    .sslContext(GrpcSslContexts.forClient()
                            .trustManager(pem.certificate().toFile())
                            .build())
                    .build();
            try {
                assertThat(HealthGrpc.newBlockingStub(channel)
                                .withDeadlineAfter(20, TimeUnit.SECONDS)
                                .check(HealthCheckRequest.getDefaultInstance())
                                .getStatus())
                        .isEqualTo(HealthCheckResponse.ServingStatus.SERVING);
            } finally {
                channel.shutdownNow();
            }
        }
        Path missing = folder.resolve("missing.crt");
        assertThatThrownBy(() -> RunningServer.with(rules, tls[0], missing.toString(), tls[2], tls[3]))
                .isInstanceOf(StartException.class)
                .hasMessage("gRPC: cannot set up TLS: " + missing + " (expected: a PEM file): there is no such file");
    }

    @Test
    void requestsAtOnceWithOneIdempotencyKeyAreOneChargeWhicheverEventLoopTheyMeet() throws Exception {
        int callers = 16;
        try (RunningServer running = RunningServer.with(rules("1000"), "event_loops", "4")) {
            ExecutorService threads = Executors.newFixedThreadPool(callers);
            CyclicBarrier together = new CyclicBarrier(callers);
            List<Future<List<Integer>>> answers = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                // A client of its own is a connection of its own.
                HttpCaller caller = new HttpCaller(running.httpPort());
                answers.add(threads.submit(() -> {
                    List<Integer> codes = new ArrayList<>();
                    for (int round = 0; round < 20; round++) {
                        together.await();
                        codes.add(caller.post(
                                        "/v1/ratelimit/check",
                                        "{\"user\":\"ann\"}",
                                        "Idempotency-Key",
                                        "round-" + round)
                                .statusCode());
                    }
                    return codes;
                }));
            }
            for (Future<List<Integer>> each : answers) {
                assertThat(each.get()).hasSize(20).containsOnly(200);
            }
            threads.shutdown();
            assertThat(check(running, "ann").headers().firstValue("X-RateLimit-Remaining"))
                    .hasValue("979");
        }
    }

    @Test
    void metricsTellOfRulesAndACallerCannotMakeASeries() throws Exception {
        try (RunningServer running = RunningServer.with(rules("2"))) {
            List<String> before = names(running);
            assertThat(before)
                    .contains(
                            "ratelimit_decisions_total{domain=\"demo\",rule=\"user\",outcome=\"denied\"}",
                            "ratelimit_rules",
                            "ratelimit_keys",
                            "ratelimit_evictions_total",
                            "ratelimit_rules_reload_failures_total",
                            "ratelimit_grpc_connections")
                    .anyMatch(each -> each.startsWith("jvm_memory_used_bytes"));
            for (int i = 0; i < 5; i++) {
                assertThat(check(running, "ann").statusCode()).isEqualTo(i < 2 ? 200 : 429);
                assertThat(running.grpc("unknown" + i, "key" + i, "value")).isEqualTo(1);
            }
            assertThat(names(running)).containsExactlyElementsOf(before);
            assertThat(running.get("/metrics").body())
                    .contains("ratelimit_decisions_total{domain=\"demo\",rule=\"user\",outcome=\"denied\"} 3\n")
                    .contains("ratelimit_requests_total{outcome=\"unmatched\"} 5\n")
                    .contains("ratelimit_keys 1.0\n");
            assertThat(running.post("/metrics", "").statusCode()).isEqualTo(405);
        }
    }

    @Test
    void changedRulesComeIntoForceUnderLoadAndNoRequestFails() throws Exception {
        Path rules = rules("1000000");
        try (RunningServer running = RunningServer.with(rules)) {
            ConcurrentLinkedQueue<Object> failures = new ConcurrentLinkedQueue<>();
            AtomicBoolean stop = new AtomicBoolean();
            AtomicInteger asked = new AtomicInteger();
            Thread load = new Thread(() -> {
                while (!stop.get()) {
                    try {
                        asked.incrementAndGet();
                        HttpResponse<String> answer = check(running, "load");
                        if (answer.statusCode() != 200 && answer.statusCode() != 429) {
                            failures.add(answer.statusCode() + answer.body());
                        }
                        int code = running.grpc("demo", "user", "load");
                        if (code != 1 && code != 2) {
                            failures.add(code);
                        }
                    } catch (Exception e) {
                        failures.add(e);
                    }
                }
            });
            load.start();
            await().until(() -> remaining(running) > 999_000 && asked.get() > 10);
            write(rules, "5");
            // Whether it takes a second is for ReloadLatency in benchmarks to say: this machine may run other tests
            // beside.
            await().atMost(Duration.ofSeconds(5)).until(() -> remaining(running) <= 5);
            // What was used stays used: the load alone has spent more than the new limit.
            assertThat(check(running, "load").statusCode()).isEqualTo(429);
            stop.set(true);
            load.join();
            assertThat(failures).isEmpty();
        }
    }

    @Test
    void brokenRulesChangeNothingAreCountedAndMendedOnesComeIntoForce() throws Exception {
        Path rules = rules("100");
        try (Logged logged = new Logged();
                RunningServer running = RunningServer.with(rules)) {
            System.gc(); // what is counted must survive it
            replace(rules, "domain: demo\ndescriptors:\n  - key: user\n    rate_limit: {unit: fortnight}\n");
            await().until(() -> running.get("/metrics").body().contains("ratelimit_rules_current 0.0"));
            assertThat(remaining(running)).isBetween(1L, 100L);
            assertThat(running.get("/metrics").body()).contains("ratelimit_rules_reload_failures_total 1.0");
            assertThat(running.get("/healthcheck").statusCode()).isEqualTo(200);
            assertThat(logged.lines)
                    .filteredOn(line -> line.startsWith("SEVERE"))
                    .singleElement(STRING)
                    .startsWith("SEVERE rules changed but do not load; the previous rules stay in force:\n")
                    .contains(rules + ":4:24: unknown unit 'fortnight'");
            write(rules, "7");
            await().until(() -> remaining(running) <= 7);
            await().until(() -> running.get("/metrics").body().contains("ratelimit_rules_current 1.0"));
        }
    }

    @Test
    void wrongRulesAreNoGroundToStartOn() throws Exception {
        Path rules = folder.resolve("rules.yaml");
        Files.writeString(rules, "domain: demo\ndescriptors:\n  - key: user\n    rate_limt: {unit: hour}\n");
        assertThatThrownBy(() -> RunningServer.with(rules))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("rules.yaml:4:5: ");
        assertThatThrownBy(() -> RunningServer.with(folder.resolve("none.yaml")))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("none.yaml");
    }

    @Test
    void noRulesAtAllAreLegalAndLoud() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), "rules: []\n");
        try (Logged logged = new Logged();
                RunningServer running = RunningServer.with(rules)) {
            assertThat(check(running, "anyone").statusCode()).isEqualTo(200);
            assertThat(logged.lines).contains("WARNING rules: none in " + rules + ": NOTHING IS LIMITED");
        }
    }

    @Test
    void aPortThatIsTakenIsNamedWithTheSettingThatWouldHelp() throws Exception {
        Path rules = rules("1");
        try (ServerSocket taken = new ServerSocket(0)) {
            for (String each : List.of("http_port", "grpc_port", "admin_port")) {
                String port = String.valueOf(taken.getLocalPort());
                assertThatThrownBy(() -> RunningServer.with(rules, each, port))
                        .isInstanceOf(StartException.class)
                        .hasMessageContaining("cannot listen on 127.0.0.1:" + port + ": the port is in use (")
                        .hasMessageContaining("--" + each.replace('_', '-'));
            }
        }
    }

    @Test
    void aStartThatIsRefusedLeavesNothingRunning() throws Exception {
        Path rules = rules("1");
        String data = folder.resolve("data").toString();
        try (RunningServer first = RunningServer.with(rules, "data", data)) {
            assertThat(first.get("/healthcheck").statusCode()).isEqualTo(200);
            Set<Thread> before = Thread.getAllStackTraces().keySet();
            String decisions = folder.resolve("decisions.jsonl").toString();
            assertThatThrownBy(() -> RunningServer.with(rules, "data", data, "decisions_file", decisions))
                    .isInstanceOf(StartException.class);
            await().until(() -> Thread.getAllStackTraces().keySet().stream()
                    .filter(each -> !before.contains(each))
                    .noneMatch(each ->
                            each.getName().startsWith("weir-") || each.getName().startsWith("vert.x-")));
        }
    }

    @Test
    void anAddressOfAnotherMachineIsCalledThat() throws Exception {
        Path rules = rules("1");
        for (String each : List.of("http-host", "grpc-host")) {
            String setting = each.replace('-', '_');
            assertThatThrownBy(() -> RunningServer.with(rules, setting, "192.0.2.1"))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining(
                            "cannot listen on 192.0.2.1:0: no interface of this machine has this address (--" + each);
            assertThatThrownBy(() -> RunningServer.with(rules, setting, "no.such.host.invalid"))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("cannot listen on no.such.host.invalid:0: unknown host (--" + each);
        }
    }

    @Test
    void theAdminPortRefusesAnyAddressButLoopbackAndSaysWhy() throws Exception {
        var settings = SettingsReader.read(RunningServer.flags(rules("1"), "admin_host", "0.0.0.0"), Map.of(), folder);
        assertThatThrownBy(() -> WeirServer.start(settings))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("admin_host: \"0.0.0.0\" (expected: a loopback address")
                .hasMessageContaining("ssh -L");
    }

    @Test
    void whileItDrainsItSaysSoAndStillAnswers() throws Exception {
        RunningServer running = RunningServer.with(rules("100"), "drain_delay", "1s", "drain_timeout", "5s");
        Thread closing = new Thread(running.server::close);
        closing.start();
        await().until(() -> running.get("/healthcheck").statusCode() == 500);
        HttpResponse<String> late = check(running, "late");
        assertThat(late.statusCode()).isEqualTo(200);
        assertThat(late.headers().firstValue("Connection")).hasValue("close");
        assertThat(running.grpc("demo", "user", "late")).isEqualTo(1);
        closing.join();
        assertThatThrownBy(() -> running.get("/healthcheck")).isInstanceOf(java.io.IOException.class);
        running.close();
    }

    @Test
    void warmingUpTouchesNothingOfTheUsers() throws Exception {
        try (RunningServer running = RunningServer.with(rules("100"), "warm_up", "500ms")) {
            assertThat(running.get("/metrics").body())
                    .contains("ratelimit_requests_total{outcome=\"allowed\"} 0\n")
                    .contains("ratelimit_requests_total{outcome=\"unmatched\"} 0\n")
                    .contains("ratelimit_keys 0.0\n")
                    .contains("ratelimit_grpc_connections 0.0\n");
        }
    }

    private Path rules(String requests) throws Exception {
        Path rules = folder.resolve("rules.yaml");
        write(rules, requests);
        return rules;
    }

    private static void write(Path rules, String requests) throws Exception {
        replace(
                rules,
                "domain: demo\ndescriptors:\n  - key: user\n    rate_limit: {unit: day, requests_per_unit: " + requests
                        + "}\n");
    }

    /** In one step, as editors do. */
    private static void replace(Path rules, String text) throws Exception {
        Path draft = Files.writeString(rules.resolveSibling("draft"), text);
        Files.move(draft, rules, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static HttpResponse<String> check(RunningServer running, String user) throws Exception {
        return running.post("/v1/ratelimit/check", "{\"user\":\"" + user + "\"}");
    }

    private static String json(String user) {
        return "{\"domain\":\"demo\",\"descriptors\":[{\"entries\":[{\"key\":\"user\",\"value\":\"" + user + "\"}]}]}";
    }

    private static long remaining(RunningServer running) throws Exception {
        return check(running, "watcher")
                .headers()
                .firstValueAsLong("X-RateLimit-Remaining")
                .orElseThrow();
    }

    private static List<String> names(RunningServer running) throws Exception {
        return running.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("ratelimit_") || line.startsWith("jvm_memory"))
                .map(line -> line.substring(0, line.lastIndexOf(' ')))
                .toList();
    }

    /** The log lines about rules while it is open. */
    private static final class Logged implements AutoCloseable {
        final List<String> lines = new CopyOnWriteArrayList<>();
        private final Logger logger = Logger.getLogger(WatchedRuleFiles.class.getName());
        private final Filter before = logger.getFilter();

        Logged() {
            logger.setFilter(record -> lines.add(record.getLevel() + " " + record.getMessage()));
        }

        @Override
        public void close() {
            logger.setFilter(before);
        }
    }
}
