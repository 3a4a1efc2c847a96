package dev.weir.benchmarks.redis;

import dev.weir.benchmarks.BenchmarkOptions;
import dev.weir.benchmarks.Median;
import dev.weir.benchmarks.server.LoadProcess;
import dev.weir.benchmarks.server.RateLimitProcess;
import dev.weir.benchmarks.server.ServerProcess;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Measures Weir beside envoyproxy/ratelimit on the same Redis with the same rules (a fixed window that never fills), in
 * turns, with Weir's own load generator: decisions per CPU second of the server's process, latency at full speed, Redis commands
 * per decision.
 *
 * <pre>{@code
 * MAIN=RedisServers benchmarks/run [--ratelimit PATH] [--keys 1,100000] [--rounds 5] [--seconds 5]
 *     [--deadline 10ms] [--redis HOST:PORT]
 * }</pre>
 */
public final class RedisServers {

    /** A running server: its port, its process, and the port of its metrics, 0 if it has none. */
    private record Server(String name, int port, long pid, int metricsPort) {
        /** Decisions so far that a failure policy made because Redis did not answer in time; they are not measured. */
        double degraded() throws IOException {
            if (metricsPort == 0) {
                return 0;
            }
            URL metrics =
                    URI.create("http://127.0.0.1:" + metricsPort + "/metrics").toURL();
            try (InputStream in = metrics.openStream()) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> line.startsWith("ratelimit_degraded_total"))
                        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                        .sum();
            }
        }
    }

    /** One load of one server, and the work of Redis meanwhile. */
    private record Run(JsonObject line, double degraded, double commands, double redisMicros) {
        double get(String field) {
            return line.getDouble(field);
        }
    }

    private final RedisUnderLoad redis;
    private final LoadProcess generator;
    private final BenchmarkOptions options;
    private final int seconds;

    private RedisServers(RedisUnderLoad redis, LoadProcess generator, BenchmarkOptions options) {
        this.redis = redis;
        this.generator = generator;
        this.options = options;
        this.seconds = options.number("--seconds", 5);
    }

    public static void main(String[] args) throws Exception {
        BenchmarkOptions options = new BenchmarkOptions(List.of(args));
        Path ratelimit = RateLimitProcess.find(options);
        int metricsPort = ServerProcess.freePort();
        String deadline = options.text("--deadline", "10ms");
        try (RedisUnderLoad redis = RedisUnderLoad.start(options);
                ServerProcess weir = ServerProcess.start(
                        "weir",
                        "store=redis://" + redis.address(),
                        "http_port=" + metricsPort,
                        "deadline=" + deadline);
                RateLimitProcess reference = start(ratelimit, redis);
                LoadProcess generator = LoadProcess.start()) {
            List<Server> servers = new ArrayList<>(List.of(new Server("weir", weir.port(), weir.pid(), metricsPort)));
            if (reference != null) {
                servers.add(new Server("ratelimit", reference.port(), reference.pid(), 0));
            }
            System.out.println(redis.conditions());
            new RedisServers(redis, generator, options).run(servers);
        }
    }

    private static @Nullable RateLimitProcess start(@Nullable Path binary, RedisUnderLoad redis) throws IOException {
        return binary == null ? null : RateLimitProcess.start(binary, redis.address());
    }

    private void run(List<Server> servers) throws IOException {
        System.out.println("server         keys  decisions/s    per CPU s  cores  p50 ms  p99 ms  commands/decision"
                + "  Redis us/decision  degraded  weir is times, per CPU s");
        for (String number : options.text("--keys", "1,100000").split(",", -1)) {
            int keys = Integer.parseInt(number);
            for (Server server : servers) {
                generator.warmUp(server.port(), server.pid(), keys);
            }
            List<List<Run>> measured =
                    servers.stream().<List<Run>>map(s -> new ArrayList<>()).toList();
            for (int round = 0; round < options.number("--rounds", 5); round++) {
                for (int i = 0; i < servers.size(); i++) {
                    measured.get(i).add(load(servers.get(i), keys));
                }
            }
            for (int i = 0; i < servers.size(); i++) {
                report(servers.get(i), keys, measured.get(i), measured.get(0));
            }
        }
    }

    private Run load(Server server, int keys) throws IOException {
        double degraded = server.degraded();
        RedisInfo before = RedisInfo.of(redis.commands());
        JsonObject line = generator.load(server.port(), server.pid(), keys, seconds, LoadProcess.Load.FULL);
        RedisInfo spent = RedisInfo.of(redis.commands()).since(before);
        double decisions = LoadProcess.decisions(line, seconds);
        return new Run(
                line,
                (server.degraded() - degraded) / decisions,
                spent.commands() / decisions,
                spent.cpuSeconds() * 1e6 / decisions);
    }

    private static void report(Server server, int keys, List<Run> runs, List<Run> weir) {
        boolean clean = runs.stream().allMatch(run -> run.get("errors") + run.get("denied") == 0);
        System.out.printf(
                Locale.ROOT,
                "%-10s %8d %12.0f %12.0f %6.2f %7.2f %7.2f %18.4f %18.2f %8.2f%% %12.1f%s%n",
                server.name(),
                keys,
                Median.of(runs, run -> run.get("per_s")),
                Median.of(runs, run -> run.get("per_cpu_s")),
                Median.of(runs, run -> run.get("server_cores")),
                Median.of(runs, run -> run.get("p50_ms")),
                Median.of(runs, run -> run.get("p99_ms")),
                Median.of(runs, Run::commands),
                Median.of(runs, Run::redisMicros),
                100 * Median.of(runs, Run::degraded),
                Median.ofRatios(weir, runs, run -> run.get("per_cpu_s")),
                clean ? "" : "   OTHER ANSWERS");
    }
}
