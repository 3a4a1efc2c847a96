package dev.weir.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.weir.server.RunningServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two real Envoys share 100 requests a second while their demand moves, and one of them dies. With {@code
 * -Dweir.quota.long=true} also a table beside two fixed divisions, in {@code target/quota-table.md}.
 */
class EnvoyQuotaFleetTest {
    private static final int LIMIT = 100;
    private static final int WINDOW_SECONDS = 5;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final String RULES = """
            domain: front
            rules:
              - name: per user
                match: { user: "ann" }
                key_by: user
                limit: { requests: %d, window: 1s }
            """.formatted(LIMIT);

    @TempDir
    Path folder;

    private final ExecutorService workers = Executors.newFixedThreadPool(2);
    private HttpServer backend;

    @BeforeEach
    void start() throws Exception {
        backend = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        backend.setExecutor(workers);
        backend.createContext("/", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(200, -1);
            }
        });
        backend.start();
    }

    @AfterEach
    void stop() {
        backend.stop(0);
        workers.shutdown();
    }

    private RunningEnvoy envoy(String name, int weir) throws Exception {
        Path place = Files.createDirectories(folder.resolve(name));
        return new RunningEnvoy(
                place, "envoy-quota.yaml", weir, backend.getAddress().getPort());
    }

    private Path rules() throws Exception {
        return Files.writeString(folder.resolve("rules.yaml"), RULES);
    }

    /** The hits that the counter gave out and did not get back. */
    private static long paid(RunningServer weir) throws Exception {
        long paid = 0;
        for (String line : weir.get("/metrics").body().lines().toList()) {
            if (line.startsWith("ratelimit_quota_granted_hits_total ")) {
                paid += Math.round(Double.parseDouble(line.substring(line.indexOf(' '))));
            } else if (line.startsWith("ratelimit_quota_returned_hits_total ")) {
                paid -= Math.round(Double.parseDouble(line.substring(line.indexOf(' '))));
            }
        }
        return paid;
    }

    @Test
    void twoEnvoysUseTheLimitAndNeverMoreAndTheOtherTakesOverFromOneThatDies() throws Exception {
        try (RunningServer weir = RunningServer.with(rules(), "deadline", "5s");
                RunningEnvoy one = envoy("one", weir.grpcPort());
                RunningEnvoy two = envoy("two", weir.grpcPort())) {
            long began = System.nanoTime();
            try (OfferedLoad load = new OfferedLoad(List.of(one, two), 150, 10)) {
                awaitUsed(load, () -> lately(load, 0) >= 4 * lately(load, 1));
                load.offer(10, 150);
                awaitUsed(load, () -> lately(load, 1) >= 4 * lately(load, 0));
                load.offer(150, 150);
                awaitUsed(
                        load,
                        () -> lately(load, 0) * 10 >= 8 * lately(load, 1)
                                && lately(load, 1) * 10 >= 8 * lately(load, 0));
                two.kill();
                load.offer(150, 0);
                awaitUsed(load, () -> lately(load, 1) == 0);
                long paid = paid(weir);
                double seconds = (System.nanoTime() - began) / 1e9;
                long passed = load.passed(-1, 0, Integer.MAX_VALUE);
                // The account of the counter: its bucket was full, and refills 100 a second.
                assertThat((double) paid).isLessThanOrEqualTo(LIMIT + LIMIT * (seconds + 1));
                assertThat(passed).as("of %d hits that were paid for", paid).isLessThanOrEqualTo(paid);
            }
        }
    }

    /** Waits until at least 95 % of the limit were used for some seconds, in the way that is expected. */
    private static void awaitUsed(OfferedLoad load, BooleanSupplier asExpected) {
        int from = load.bin();
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> load.bin() - from > window()
                        && lately(load, -1) >= 0.95 * LIMIT * WINDOW_SECONDS
                        && asExpected.getAsBoolean());
    }

    private static int window() {
        return WINDOW_SECONDS * OfferedLoad.BINS_PER_SECOND;
    }

    /** The requests that passed in the last seconds. */
    private static long lately(OfferedLoad load, int envoy) {
        int now = load.bin();
        return load.passed(envoy, now - window(), now);
    }

    @Test
    @EnabledIfSystemProperty(named = "weir.quota.long", matches = "true")
    void theTableBesideFixedDivisions() throws Exception {
        List<String> table = new ArrayList<>();
        table.add("| division | 150 and 10 | 10 and 150 | 150 and 150 | worst 5 s |");
        table.add("|---|---|---|---|---|");
        for (int share : new int[] {LIMIT, LIMIT / 2}) {
            try (TestGrpcServer fixed =
                    new TestGrpcServer(new CountingDecider(1), GrpcServerSettings.defaults(), new FixedQuota(share))) {
                table.add(row(share == LIMIT ? "the full quota to each" : "half to each", fixed.port()));
            }
        }
        try (RunningServer weir = RunningServer.with(rules(), "deadline", "5s")) {
            table.add(row("Weir", weir.grpcPort()));
        }
        Files.write(Path.of("target", "quota-table.md"), table);
        System.out.println(table.stream().collect(Collectors.joining("\n")));
    }

    /** Twenty seconds of each demand; the figures are of the last ten. */
    private String row(String name, int port) throws Exception {
        List<String> cells = new ArrayList<>();
        try (RunningEnvoy one = envoy(name + " 1", port);
                RunningEnvoy two = envoy(name + " 2", port);
                OfferedLoad load = new OfferedLoad(List.of(one, two), 150, 10)) {
            for (int[] demand : new int[][] {{150, 10}, {10, 150}, {150, 150}}) {
                load.offer(demand);
                TimeUnit.SECONDS.sleep(10);
                int from = load.bin();
                TimeUnit.SECONDS.sleep(10);
                int to = load.bin();
                double used = load.passed(-1, from, to) * 10.0 / (to - from) / LIMIT;
                cells.add(String.format(Locale.ROOT, "%.0f %%", 100 * used));
            }
            cells.add(Long.toString(load.most(WINDOW_SECONDS)));
        }
        return "| " + name + " | " + String.join(" | ", cells) + " |";
    }
}
