package dev.weir.benchmarks.server;

import dev.weir.benchmarks.BenchmarkOptions;
import dev.weir.benchmarks.Median;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures Weir beside a Vert.x gRPC handler that returns a constant, in turns, with Weir's own load generator: decisions per
 * second and per CPU second of the server's process, bytes allocated per decision, and latency at about half of the
 * server's capacity. Latency is measured once with an eighth as many requests in flight, and once at a fixed rate;
 * there it counts from when a request was due, and so the generator's own lateness too. Prints medians, and ratios to
 * the constant.
 *
 * <pre>{@code
 * MAIN=ServerSideBySide benchmarks/run [--rounds 5] [--seconds 5] [--keys 1000]
 * }</pre>
 */
public final class ServerSideBySide {
    private static final LoadProcess.Load FEW = new LoadProcess.Load(8, 0);

    /** One result of a load, and the garbage of the server meanwhile. */
    private record Run(JsonObject line, double bytesPerDecision) {
        double get(String field) {
            return line.getDouble(field);
        }
    }

    /** A server with its measurements. */
    private record Side(ServerProcess server, List<Run> full, List<Run> few, List<Run> half) {
        static Side start(String name) throws IOException {
            return new Side(ServerProcess.start(name), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }
    }

    private final LoadProcess generator;
    private final int rounds;
    private final int seconds;
    private final int keys;

    private ServerSideBySide(BenchmarkOptions options, LoadProcess generator) {
        this.generator = generator;
        rounds = options.number("--rounds", 5);
        seconds = options.number("--seconds", 5);
        keys = options.number("--keys", 1_000);
    }

    public static void main(String[] args) throws Exception {
        try (LoadProcess generator = LoadProcess.start()) {
            new ServerSideBySide(new BenchmarkOptions(List.of(args)), generator).run();
        }
    }

    private void run() throws IOException {
        List<Side> sides = new ArrayList<>();
        try {
            sides.add(Side.start("vertx"));
            sides.add(Side.start("weir"));
            for (Side side : sides) {
                generator.warmUp(side.server().port(), side.server().pid(), keys);
            }
            for (int round = 0; round < rounds; round++) {
                for (Side side : sides) {
                    side.full().add(load(side, LoadProcess.Load.FULL));
                    side.few().add(load(side, FEW));
                }
            }
            for (int round = 0; round < rounds; round++) {
                for (Side side : sides) {
                    side.half()
                            .add(load(side, LoadProcess.Load.at(Median.of(side.full(), run -> run.get("per_s")) / 2)));
                }
            }
            report(sides);
        } finally {
            sides.forEach(side -> side.server().close());
        }
    }

    private Run load(Side side, LoadProcess.Load load) throws IOException {
        ServerProcess server = side.server();
        long before = server.allocatedBytes();
        JsonObject line = generator.load(server.port(), server.pid(), keys, seconds, load);
        return new Run(line, (server.allocatedBytes() - before) / LoadProcess.decisions(line, seconds));
    }

    private static void report(List<Side> sides) {
        System.out.println(
                "server    decisions/s    per CPU s  cores  p50 ms  p99 ms  bytes/decision | 8 under way:   per s    p50    p99 | at half rate: p50    p99");
        double base = Median.of(sides.get(0).full(), run -> run.get("per_cpu_s"));
        for (Side side : sides) {
            List<Run> full = side.full();
            List<Run> half = side.half();
            boolean clean = full.stream().allMatch(run -> run.line().getLong("errors") == 0);
            System.out.printf(
                    Locale.ROOT,
                    "%-8s %12.0f %12.0f %6.2f %7.2f %7.2f %15.1f | %20.0f %6.2f %6.2f | %17.2f %6.2f   x%.2f per CPU s%s%n",
                    side.server().name(),
                    Median.of(full, run -> run.get("per_s")),
                    Median.of(full, run -> run.get("per_cpu_s")),
                    Median.of(full, run -> run.get("server_cores")),
                    Median.of(full, run -> run.get("p50_ms")),
                    Median.of(full, run -> run.get("p99_ms")),
                    Median.of(full, Run::bytesPerDecision),
                    Median.of(side.few(), run -> run.get("per_s")),
                    Median.of(side.few(), run -> run.get("p50_ms")),
                    Median.of(side.few(), run -> run.get("p99_ms")),
                    Median.of(half, run -> run.get("p50_ms")),
                    Median.of(half, run -> run.get("p99_ms")),
                    Median.of(full, run -> run.get("per_cpu_s")) / base,
                    clean ? "" : "   OTHER ANSWERS");
        }
    }
}
