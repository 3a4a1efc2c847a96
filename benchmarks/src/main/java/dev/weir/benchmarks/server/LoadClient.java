package dev.weir.benchmarks.server;

import dev.weir.server.bench.LoadGenerator;
import dev.weir.server.bench.LoadReport;
import dev.weir.server.bench.LoadRequest;
import dev.weir.server.bench.LoadSettings;
import dev.weir.server.bench.LoadTarget;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The process that loads: it reads one load a line as JSON, runs Weir's load generator, and prints the result as one line. One
 * process runs all loads of a benchmark, so that its own code is compiled after the first.
 */
public final class LoadClient {
    private LoadClient() {}

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(run(new JsonObject(line)).encode());
        }
    }

    private static JsonObject run(JsonObject asked) throws Exception {
        LoadSettings settings = new LoadSettings(
                LoadTarget.of(asked.getString("target")),
                new LoadRequest("bench", List.of(List.of(Map.entry("user", "u{key}")))),
                asked.getDouble("rate"),
                asked.getInteger("connections"),
                asked.getInteger("in_flight"),
                asked.getInteger("keys"),
                0,
                1);
        long pid = asked.getLong("pid");
        try (LoadGenerator generator = new LoadGenerator(settings)) {
            generator.warmUp(Duration.ofSeconds(asked.getInteger("warm")));
            Duration before = cpu(pid);
            LoadReport report = generator.measure(Duration.ofSeconds(asked.getInteger("seconds")), point -> {});
            double spent = cpu(pid).minus(before).toNanos() / 1e9;
            return new JsonObject()
                    .put("allowed", report.allowed())
                    .put("denied", report.denied())
                    .put("errors", report.errors())
                    .put("problem", report.problem())
                    .put("per_s", report.throughput())
                    .put("per_cpu_s", report.answered() / spent)
                    .put("server_cores", spent / report.seconds())
                    .put("own_cores", report.cpuSeconds() / report.seconds())
                    .put("p50_ms", report.percentile(50) / 1e3)
                    .put("p99_ms", report.percentile(99) / 1e3)
                    .put("p999_ms", report.percentile(99.9) / 1e3);
        }
    }

    /** The CPU time of a process; on Linux to 10 ms. */
    private static Duration cpu(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(each -> each.info().totalCpuDuration())
                .orElseThrow(() -> new IllegalStateException("no CPU time of process " + pid));
    }
}
