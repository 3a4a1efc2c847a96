package dev.weir.server.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Request;
import dev.weir.control.testkit.Etcd;
import dev.weir.control.testkit.Postgres;
import dev.weir.redis.testkit.PemFiles;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Alerts and dashboard in a real Prometheus that scrapes two real servers: a shared one (Redis, PostgreSQL, etcd, TLS, a
 * ban list) and one that counts in memory. An alert counts as raised once Prometheus finds its expression to hold; how
 * long it must hold is tested by {@link PromtoolTest}. {@code -Dweir.alerts.long=true} also makes every fault; {@code
 * .ci/long alerts} does.
 */
class LivePrometheusTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Pattern ALERT = Pattern.compile("(?m)^ +- alert: (\\w+)$");
    private static final String TRACED = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    private static final String CHECK = "POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";

    @TempDir
    Path folder;

    private final ScheduledExecutorService callers = Executors.newSingleThreadScheduledExecutor();
    private final Set<String> raised = new TreeSet<>();
    private Etcd etcd;
    private EmbeddedPostgres postgres;
    private RedisProcess redis;
    private RunningServer shared;
    private RunningServer memory;
    private PrometheusProcess prometheus;
    private Path memoryRules;
    private Path banList;
    private Path certificate;
    private Path key;
    private volatile boolean leases = true;

    @BeforeEach
    void start() throws Exception {
        etcd = Etcd.in(Files.createDirectory(folder.resolve("etcd")));
        etcd.writer().put("/weir/api", """
                domain: api
                key_by: user_id
                rules:
                  - { name: exact, match: { endpoint: /exact }, limit: { requests: 1000000, window: 1h } }
                  - name: leased
                    match: { endpoint: /leased }
                    consistency: leased
                    lease_interval: 10s # long enough that much is held when Redis dies
                    limit: { requests: 1000000, window: 1h, algorithm: fixed_window } # nothing refills what is lost
                  - { name: watched, shadow: true, limit: { requests: 1, window: 1h } }
                """);
        postgres = Postgres.server(folder.resolve("pg"), 0);
        redis = RedisProcess.start();
        banList = Files.writeString(folder.resolve("bans.txt"), "192.0.2.0/24\n");
        certificate = folder.resolve("tls.crt");
        key = folder.resolve("tls.key");
        install(PemFiles.validFor(folder, "long", 90));
        shared = RunningServer.with(
                Map.of("WEIR_FLEET_SECRET", "a secret that all servers of the fleet share"),
                folder,
                "rules",
                etcd.url("/weir"),
                "store",
                redis.uri(),
                "deadline", // nothing is late on a busy machine
                "5s",
                "db",
                Postgres.url(postgres.getPort(), Postgres.database(postgres)),
                "ban_lists",
                banList.toString(),
                "grpc_tls_cert",
                certificate.toString(),
                "grpc_tls_key",
                key.toString());
        memoryRules = Files.writeString(folder.resolve("web.yaml"), """
                domain: web
                key_by: user_id
                rules:
                  - { name: wide, match: { endpoint: /wide }, limit: { requests: 1000000, window: 1h } }
                  - { name: one, match: { endpoint: /one }, limit: { requests: 1000000, window: 1h } }
                  - { name: tight, match: { endpoint: /tight }, limit: { requests: 5, window: 1h } }
                """);
        memory = RunningServer.with(memoryRules, "max_keys", "1024", "event_loops", "1");
        var unused = callers.scheduleWithFixedDelay(this::call, 0, 5, TimeUnit.MILLISECONDS);
        prometheus = PrometheusProcess.scraping(
                Files.createDirectory(folder.resolve("prometheus")), shared.httpPort(), memory.httpPort());
    }

    /** Traffic that nothing is wrong with: of two hundred callers, and of four that spend what is leased for them. */
    private void call() {
        String user = "u_" + ThreadLocalRandom.current().nextInt(200);
        String busy = "b_" + ThreadLocalRandom.current().nextInt(4);
        ask(shared, "api", busy, leases ? "/leased" : "/none");
        ask(shared, "api", user, "/exact");
        ask(memory, "web", user, "/wide");
    }

    private static void ask(RunningServer server, String domain, String user, String endpoint) {
        var unused = server.server
                .limiter()
                .decideAsync(
                        Request.to(domain).descriptor().with("user_id", user).with("endpoint", endpoint));
    }

    @AfterEach
    void stop() throws Exception {
        callers.shutdownNow();
        for (AutoCloseable each : new AutoCloseable[] {prometheus, memory, shared, redis, postgres, etcd}) {
            if (each != null) {
                each.close();
            }
        }
    }

    private void awaitFirstRecords() {
        await().atMost(LONG).until(() -> prometheus.query("up == 1").size() == 2);
        await().atMost(LONG)
                .until(() ->
                        prometheus.query("job:ratelimit_errors:ratio_rate3d").size() == 1);
    }

    @Test
    void everyQueryOfTheDashboardReturnsDataAndNoAlertIsRaised() throws Exception {
        awaitFirstRecords();
        for (Dashboard.Query each : Dashboard.read().queries()) {
            String expression = each.expression()
                    .replace("$job", ".+")
                    .replace("$instance", ".+")
                    .replace("$__rate_interval", "1m");
            await(each.panel() + ": " + expression)
                    .atMost(LONG)
                    .untilAsserted(() -> assertThat(prometheus.query(expression))
                            .isNotEmpty()
                            .extracting(sample -> sample.getJsonArray("value").getString(1))
                            .doesNotContain("NaN"));
        }
        for (int i = 0; i < 6; i++) {
            memory.http.post(
                    "/v1/ratelimit/check", "{\"user_id\":\"traced\",\"endpoint\":\"/tight\"}", "traceparent", TRACED);
        }
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(prometheus.exemplars("ratelimit_denied_total{rule=\"tight\"}"))
                        .contains("\"trace_id\":\"4bf92f3577b34da6a3ce929d0e0e4736\""));
        assertThatNothingIsWrong();
    }

    private void assertThatNothingIsWrong() {
        // A rule whose first checks were of one caller is found to be well only after some more.
        await().atMost(LONG).untilAsserted(() -> assertThat(prometheus.alerts()).isEmpty());
    }

    @Test
    @EnabledIfSystemProperty(named = "weir.alerts.long", matches = "true")
    void everyAlertIsRaisedByItsFaultAndNotBefore() throws Exception {
        awaitFirstRecords();
        assertThatNothingIsWrong();
        etcd.kill();
        postgres.close();
        Files.writeString(banList, "192.0.2.0/33\n");
        Files.writeString(memoryRules, "domain: web\nrules: [{ name: wide, limit: { requests: many, window: 1h } }]\n");
        install(PemFiles.validFor(folder, "short", 2));
        forge();
        raised(
                "WeirRuleSourceUnreachable",
                "WeirDatabaseUnreachable",
                "WeirBanListsOld",
                "WeirRulesNotCurrent",
                "WeirCertificateExpires",
                "WeirNotesForged");
        for (int i = 0; i < 50_000; i++) {
            ask(memory, "web", "flood_" + i, "/wide");
            ask(memory, "web", "proxy", "/one");
            ask(memory, "web", "eager", "/tight");
        }
        raised("WeirEvictions", "WeirOneKeyForAll", "WeirRuleDeniesMost");
        await().atMost(LONG).until(() -> {
            overload();
            return prometheus.alerts().contains("WeirShedding");
        });
        raised("WeirShedding");

        leases = false; // nobody spends them any more, and nobody can take them back
        redis.kill();
        raised("WeirCircuitOpen", "WeirErrorBudgetBurn", "WeirLeaseStranding");
        redis.restart();
        raised("WeirRedisFailover");

        memory.close();
        raised("WeirInstanceDown");
        callers.shutdownNow();
        shared.close();
        raised("WeirAbsent");
        assertThat(raised).isEqualTo(documented());
    }

    private void raised(String... names) {
        await().atMost(LONG).untilAsserted(() -> assertThat(prometheus.alerts()).contains(names));
        raised.addAll(Set.of(names));
    }

    private static Set<String> documented() throws IOException {
        return ALERT.matcher(Files.readString(Dashboard.MONITORING.resolve("alerts/weir.yaml")))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private void install(PemFiles files) throws IOException {
        Files.copy(files.key(), key, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(files.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Writes a switch to Redis as somebody does who does not know the fleet's secret. */
    private void forge() {
        String notes = "weir:{AAAAAAAAAAA}/notes:switches";
        long stamp = System.currentTimeMillis();
        redis.cli(
                "HSET",
                notes,
                "all",
                stamp + " {\"domain\":\"\",\"rule\":\"all\",\"state\":\"off\",\"stamp\":" + stamp
                        + ",\"via\":\"redis\",\"who\":\"root\",\"from\":\"10.0.0.1\",\"reason\":\"\"}");
        redis.cli("HINCRBY", notes, "", "1");
    }

    /** More requests than an event loop takes on at once, each caller in one write. */
    private void overload() throws IOException {
        byte[] burst = CHECK.repeat(3_000).getBytes(StandardCharsets.US_ASCII);
        try (Socket caller = new Socket(InetAddress.getLoopbackAddress(), memory.httpPort())) {
            Thread reader = new Thread(() -> {
                try {
                    caller.getInputStream().transferTo(OutputStream.nullOutputStream());
                } catch (IOException closed) {
                    // the answers do not matter
                }
            });
            reader.start();
            caller.getOutputStream().write(burst);
            caller.shutdownOutput();
            reader.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
