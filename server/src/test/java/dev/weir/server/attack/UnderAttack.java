package dev.weir.server.attack;

import static dev.weir.server.grpc.RawPeer.join;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.server.GrpcCaller;
import dev.weir.server.HttpCaller;
import dev.weir.server.grpc.RawPeer;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
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

    /** The attack of one case; its sockets stay open while the well-behaved caller is watched. */
    interface Attack {
        List<HostileSockets> begin() throws Exception;
    }

    private final String heap;
    private final int scale;
    private final long directSlack;
    private Path folder = Path.of("");
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
        this.folder = folder;
        String each = IntStream.range(0, RULES)
                .mapToObj(i -> "  - name: rule_" + i + "\n    match: {endpoint: \"/r/" + i
                        + "\"}\n    key_by: [user_id]\n    limit: {requests: 1000000, window: 1m}\n")
                .collect(Collectors.joining());
        rules = Files.writeString(
                folder.resolve("rules.yaml"), "domain: d\nrules:\n" + each + CostlyRequests.RULES + rules());
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

    /** A folder for this class, which is deleted afterwards. */
    final Path folder() {
        return folder;
    }

    /** Rules beside those that every case needs, as lines of a rule file. */
    String rules() {
        return "";
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

    /** Attacks; returns the milliseconds that an answer may have taken meanwhile on this machine. */
    final long underAttack(boolean closes, Attack attack) throws Exception {
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
        long most = 1_000 + caller.stallMillis() + waited;
        assertThat(caller.slowestMillis())
                .as("slowest answer in ms: %s", caller)
                .isLessThan(most);
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
        assertThat(lines).as("log").noneMatch(line -> line.contains("memory ran out"));
        assertThat(lines).as("log lines").hasSizeLessThanOrEqualTo(MOST_LINES);
        if (closes && scale == 1) { // a large heap may hold all of it
            assertThat(counted).as("connections closed, by the metric").isPositive();
            assertThat(server.log()).as("log").anyMatch(line -> line.contains("closed or refused"));
        }
        return most;
    }

    /** Connections that the server has closed because they went past a bound. */
    private double closed() throws Exception {
        return metric("ratelimit_connections_closed_total");
    }

    /** The sum of a metric's time series. */
    final double metric(String metric) throws Exception {
        return metric(metric, "");
    }

    /** The sum of those of a metric's time series whose line contains {@code label}. */
    final double metric(String metric, String label) throws Exception {
        String page = new HttpCaller(server.http).get("/metrics").body();
        return page.lines()
                .filter(line -> line.startsWith(metric) && line.contains(label))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    /** Sends these one after the other, a few at a time: what they leave behind is the attack, and not how fast they come. */
    final void asking(List<byte[]> requests) {
        int atOnce = 40;
        try (HostileSockets socket = HostileSockets.to(server.http, 1, 1)) {
            for (int i = 0; i < requests.size(); i += atOnce) {
                int sent = Math.min(i + atOnce, requests.size());
                socket.send(join(requests.subList(i, sent).toArray(byte[][]::new)));
                await().atMost(ANSWERED)
                        .pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> socket.received("HTTP/1.1 ") >= sent);
            }
        }
    }

    static List<byte[]> repeatedly(byte[] request, int times) {
        return Collections.nCopies(times, request);
    }

    static String body(String user, String endpoint) {
        return new JsonObject()
                .put("domain", "d")
                .put("user_id", user)
                .put("endpoint", endpoint)
                .encode();
    }

    static byte[] post(String path, String body) {
        return ("POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body)
                .getBytes(US_ASCII);
    }

    static byte[] repeated(byte[] bytes, int times) {
        byte[][] all = new byte[times][];
        Arrays.fill(all, bytes);
        return RawPeer.join(all);
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
