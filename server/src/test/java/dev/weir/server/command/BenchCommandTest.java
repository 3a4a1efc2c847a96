package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.RunningServer;
import dev.weir.server.bench.LoadGenerator;
import dev.weir.server.bench.LoadReport;
import dev.weir.server.bench.LoadRequest;
import dev.weir.server.bench.LoadSettings;
import dev.weir.server.bench.LoadTarget;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir bench}: load over both protocols, and what is charged to a service that stalls. */
class BenchCommandTest {
    private static final String RULES = """
        domain: bench
        descriptors:
          - key: user
            rate_limit: { unit: year, requests_per_unit: 10 }
        """;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path folder;

    @Test
    void everyRequestIsAnsweredOverBothProtocols() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        try (RunningServer server = RunningServer.with(rules)) {
            JsonObject grpc = bench("grpc://127.0.0.1:" + server.grpcPort(), "u{key}", "--max");
            assertThat(grpc.getLong("allowed")).isEqualTo(5 * 10);
            assertThat(grpc.getLong("denied")).isPositive();
            assertThat(grpc.getLong("throughput")).isPositive();
            assertThat(grpc.getLong("p50_us")).isPositive().isLessThanOrEqualTo(grpc.getLong("p99_us"));
            assertThat(grpc.getLong("p99_us")).isLessThanOrEqualTo(grpc.getLong("p999_us"));
            JsonObject check = bench("http://127.0.0.1:" + server.httpPort(), "v{key}", "--max");
            assertThat(check.getLong("allowed")).isEqualTo(5 * 10);
            assertThat(check.getLong("denied")).isPositive();
            JsonObject json = bench("http://127.0.0.1:" + server.httpPort() + "/json", "w{key}", "--rate", "200");
            assertThat(json.getLong("allowed")).isEqualTo(5 * 10);
            assertThat(json.getLong("denied")).isPositive();
        }
        assertThat(folder.resolve("plot.svg")).content().startsWith("<svg").contains("latency, ms");
    }

    @Test
    void aServiceThatDrainsConnectionsByTheirAgeIsLoadedOn() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        try (RunningServer server = RunningServer.with(rules, "grpc_max_connection_age", "200ms")) {
            JsonObject found = bench("grpc://127.0.0.1:" + server.grpcPort(), "u{key}", "--max");
            assertThat(found.getLong("allowed")).isEqualTo(5 * 10);
            assertThat(found.getLong("denied")).isPositive();
            assertThat(found.getString("problem")).isNull();
        }
    }

    private JsonObject bench(String target, String value, String... load) {
        out.getBuffer().setLength(0);
        String[] arguments = {
            "bench",
            "--target",
            target,
            "--domain",
            "bench",
            "--descriptor",
            "user=" + value,
            "--keys",
            "5",
            "--duration",
            "1s",
            "--warmup",
            "0s",
            "--json",
            "--svg",
            folder.resolve("plot.svg").toString()
        };
        String[] all =
                Stream.concat(Arrays.stream(arguments), Arrays.stream(load)).toArray(String[]::new);
        assertThat(run(all)).as("%s%s", out, err).isZero();
        JsonObject answer = new JsonObject(out.toString());
        assertThat(answer.getLong("errors")).isZero();
        return answer;
    }

    @Test
    void aServiceThatStallsIsChargedForEveryRequestThatWasDue() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread service = new Thread(() -> serve(listening));
            service.start();
            LoadSettings settings = new LoadSettings(
                    LoadTarget.of("http://127.0.0.1:" + listening.getLocalPort()),
                    new LoadRequest("d", List.of(List.of(Map.entry("user", "u")))),
                    200,
                    1,
                    1,
                    1,
                    0,
                    1);
            LoadReport report;
            try (LoadGenerator generator = new LoadGenerator(settings)) {
                report = generator.measure(Duration.ofSeconds(1), point -> {});
            }
            service.join();
            // It stalls for 300 ms, in which 60 requests are due; those of the first 200 ms wait for 100 ms and more.
            assertThat(report.latencies().getCountBetweenValues(100_000, 60_000_000))
                    .isGreaterThanOrEqualTo(38);
            assertThat(report.latencies().getMaxValue()).isGreaterThanOrEqualTo(290_000);
        }
    }

    /** Answers one connection, and stalls once. */
    private static void serve(ServerSocket listening) {
        try (Socket socket = listening.accept()) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            int answered = 0;
            int length = 0;
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith("Content-Length: ")) {
                    length = Integer.parseInt(line.substring("Content-Length: ".length()));
                } else if (line.isEmpty()) {
                    for (int i = 0; i < length; i++) {
                        int unused = in.read();
                    }
                    if (++answered == 20) {
                        TimeUnit.MILLISECONDS.sleep(300); // the stall itself
                    }
                    socket.getOutputStream()
                            .write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                }
            }
        } catch (IOException | InterruptedException e) {
            return; // the generator has gone
        }
    }

    @Test
    void mistakesAreNamed() {
        assertThat(run("bench", "--target", "grpcs://h", "--domain", "d", "--descriptor", "a=b", "--max"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--target: \"grpcs://h\" (expected: grpc://HOST:PORT");
        assertThat(run("bench", "--target", "grpc://h", "--domain", "d", "--descriptor", "a", "--max"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--descriptor: \"a\" (expected: key=value)");
        assertThat(run("bench", "--target", "grpc://h", "--domain", "d", "--descriptor", "a=b"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--rate N or --max: neither");
        assertThat(run("bench", "--target", "grpc://127.0.0.1:1", "--domain", "d", "--descriptor", "a=b", "--max"))
                .isEqualTo(4);
        assertThat(err.toString()).contains("grpc://127.0.0.1:1 does not answer: ");
    }

    private int run(String... arguments) {
        return WeirCommand.commandLine(Map.of(), arguments)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }
}
