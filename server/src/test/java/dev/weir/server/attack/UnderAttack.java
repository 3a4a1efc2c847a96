package dev.weir.server.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.server.GrpcCaller;
import dev.weir.server.HttpCaller;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server that is attacked. Throughout, the well-behaved caller is answered within a second; afterwards memory is back, the
 * process is the same, a metric has counted the connections that were closed, and the log has a few lines about it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class UnderAttack {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /** How long it takes at most to see enough answers: each must come in time, on a busy machine later. */
    private static final Duration ANSWERED = Duration.ofSeconds(60);

    private static final int RULES = 1_000;
    private static final int ADDRESSES = 8;
    private static final long HEAP_SLACK = 24L << 20;
    private static final long CONTAINER = 512L << 20;
    /** One for each reason, and five of one text, after which the log is throttled. */
    private static final int MOST_LINES = 8;

    /** What one case does; the sockets stay open while the well-behaved caller is watched. */
    interface Attack {
        List<HostileSockets> begin() throws Exception;
    }

    private final String heap;
    private final int scale;
    private final long directSlack;
    private Path rules = Path.of("");

    @SuppressWarnings("NullAway.Init") // started before each case
    AttackedServer server;

    @SuppressWarnings("NullAway.Init") // likewise
    private SteadyCaller caller;

    private String name = "";

    UnderAttack(String heap, int scale) {
        // With a heap above 512 MiB, Netty's pool gives direct memory back only as more is allocated.
        this.directSlack = scale == 1 ? HEAP_SLACK : 200L << 20;
        this.heap = heap;
        this.scale = scale;
    }

    @BeforeAll
    void writeRules(@TempDir Path folder) throws Exception {
        String each = IntStream.range(0, RULES)
                .mapToObj(i -> "  - name: rule_" + i + "\n    match: {endpoint: \"/r/" + i
                        + "\"}\n    key_by: [user_id]\n    limit: {requests: 1000000, window: 1m}\n")
                .collect(Collectors.joining());
        rules = Files.writeString(folder.resolve("rules.yaml"), "domain: d\nrules:\n" + each + CostlyRequests.RULES);
    }

    @BeforeEach
    void startUnlessItRuns(TestInfo test) throws Exception {
        name = test.getDisplayName();
        // What shipped before may not have recovered from the last case.
        boolean before = System.getProperty("weir.attack.class-path") != null;
        if (server == null || !server.isAlive() || before) {
            stop();
            server = AttackedServer.start(heap, rules, flags().toArray(String[]::new));
            caller = SteadyCaller.of(server, grpc());
            await().atMost(PATIENCE).until(() -> caller.answers() > 40);
        }
    }

    /** Flags of the server beside those that every case needs. */
    List<String> flags() throws Exception {
        return List.of("--head-timeout=2s");
    }

    /** How the well-behaved caller asks over gRPC. */
    GrpcCaller grpc() throws Exception {
        return new GrpcCaller(server.grpc);
    }

    @AfterAll
    void stop() {
        if (caller != null) {
            caller.close();
        }
        if (server != null) {
            server.close();
        }
    }

    final List<HostileSockets> sending(int port, int count, byte[] bytes) {
        HostileSockets sockets = connect(port, count);
        sockets.send(bytes);
        return List.of(sockets);
    }

    final HostileSockets connect(int port, int count) {
        return HostileSockets.to(port, count * scale, port == server.admin ? 1 : ADDRESSES);
    }

    final void underAttack(boolean closes, Attack attack) throws Exception {
        AttackedServer.Memory before = server.memory();
        double closedBefore = closed();
        int logged = server.log().size();
        long waitedBefore = server.waitedForProcessor();
        caller.reset();
        List<HostileSockets> sockets = attack.begin();
        int answered = caller.answers();
        long waited = 0;
        try {
            await().atMost(ANSWERED).until(() -> !server.isAlive() || caller.answers() > answered + 40);
        } finally {
            waited = server.isAlive() ? TimeUnit.NANOSECONDS.toMillis(server.waitedForProcessor() - waitedBefore) : 0;
            note("attacked: " + caller + " waited for a processor " + waited + " ms");
            sockets.forEach(HostileSockets::close);
        }
        assertThat(server.isAlive()).as("the process is the same: %s", tail()).isTrue();
        assertThat(caller.failures())
                .as("asked while under attack: %s %s", caller, tail())
                .isEmpty();
        assertThat(caller.slowestMillis())
                .as("slowest answer in ms: %s", caller)
                .isLessThan(1_000 + caller.stallMillis() + waited);
        AttackedServer.Memory[] now = new AttackedServer.Memory[1];
        await().atMost(PATIENCE).untilAsserted(() -> {
            now[0] = server.memory();
            assertThat(now[0].heap())
                    .as("heap, before %s, now %s", before, now[0])
                    .isLessThan(before.heap() + HEAP_SLACK);
            assertThat(now[0].direct())
                    .as("direct, before %s, now %s", before, now[0])
                    .isLessThan(before.direct() + directSlack);
        });
        List<String> lines = server.log().subList(logged, server.log().size());
        double counted = closed() - closedBefore;
        note("memory before " + before + ", after " + now[0] + ", peak resident " + (server.peakResident() >> 20)
                + " MiB, closed " + counted + ", log lines " + lines.size());
        for (String line : lines) {
            note("  " + line);
        }
        if (heap.equals("256m")) {
            assertThat(server.peakResident()).as("resident at most").isLessThan(CONTAINER);
        }
        assertThat(lines).as("log lines").hasSizeLessThanOrEqualTo(MOST_LINES);
        if (closes && scale == 1) { // a large heap may hold all of it
            assertThat(counted).as("connections closed, by the metric").isPositive();
            assertThat(server.log()).as("log").anyMatch(line -> line.contains("closed or refused"));
        }
    }

    /** Connections that the server has closed because they went past a bound. */
    private double closed() throws Exception {
        return metric("ratelimit_connections_closed_total");
    }

    /** The sum of a metric's time series. */
    final double metric(String metric) throws Exception {
        String page = new HttpCaller(server.http).get("/metrics").body();
        return page.lines()
                .filter(line -> line.startsWith(metric))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    private String tail() {
        List<String> lines = server.log();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
    }

    private void note(String text) throws Exception {
        Files.writeString(
                Path.of("target", "attack-suite.txt"),
                heap + " " + name + ": " + text + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }
}
