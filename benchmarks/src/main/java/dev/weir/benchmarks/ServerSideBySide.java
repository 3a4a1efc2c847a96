package dev.weir.benchmarks;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Weir beside a Vert.x gRPC handler that answers a constant, asked in turn by {@code h2gen}: decisions per second and per CPU
 * second of the server's process, latency at half of what each can carry, bytes allocated per decision. Medians, and ratios to
 * the constant.
 *
 * <pre>{@code
 * MAIN=ServerSideBySide benchmarks/run --h2gen PATH [--rounds 5] [--seconds 5] [--keys 1000]
 * }</pre>
 */
public final class ServerSideBySide {
    private static final int WARM = 1;

    /** One answer of h2gen, and the garbage of the server meanwhile. */
    private record Run(JsonObject line, double bytesPerDecision) {
        double get(String field) {
            return line.getDouble(field);
        }
    }

    /** A server with what was measured of it. */
    private record Side(ServerProcess server, List<Run> full, List<Run> half) {
        static Side start(String name) throws IOException {
            return new Side(ServerProcess.start(name), new ArrayList<>(), new ArrayList<>());
        }
    }

    private final String h2gen;
    private final int rounds;
    private final int seconds;
    private final String keys;

    private ServerSideBySide(List<String> args) {
        h2gen = option(args, "--h2gen", "h2gen");
        rounds = Integer.parseInt(option(args, "--rounds", "5"));
        seconds = Integer.parseInt(option(args, "--seconds", "5"));
        keys = option(args, "--keys", "1000");
    }

    private static String option(List<String> args, String name, String otherwise) {
        int at = args.indexOf(name);
        return at < 0 ? otherwise : args.get(at + 1);
    }

    public static void main(String[] args) throws Exception {
        new ServerSideBySide(List.of(args)).run();
    }

    private void run() throws IOException, InterruptedException {
        if (!Files.isExecutable(Path.of(h2gen))) {
            System.out.println(
                    "--h2gen: " + h2gen
                            + " (expected: the load tool, built with Go: cd shared/tools/load && go build -o h2gen .); nothing measured");
            return;
        }
        List<Side> sides = new ArrayList<>();
        try {
            sides.add(Side.start("vertx"));
            sides.add(Side.start("weir"));
            for (Side side : sides) {
                load(side, 10, 0); // a JVM needs ten seconds of load before it shows what it can do
            }
            for (int round = 0; round < rounds; round++) {
                for (Side side : sides) {
                    side.full().add(load(side, seconds, 0));
                }
            }
            for (int round = 0; round < rounds; round++) {
                for (Side side : sides) {
                    side.half().add(load(side, seconds, median(side.full(), run -> run.get("per_s")) / 2));
                }
            }
            report(sides);
        } finally {
            sides.forEach(side -> side.server().close());
        }
    }

    private Run load(Side side, int seconds, double rate) throws IOException, InterruptedException {
        ServerProcess server = side.server();
        List<String> command =
                new ArrayList<>(List.of(h2gen, "-name", server.name(), "-addr", "127.0.0.1:" + server.port()));
        command.addAll(
                List.of("-pid", String.valueOf(server.pid()), "-domain", "bench", "-key", "user", "-keys", keys));
        command.addAll(List.of("-seconds", String.valueOf(seconds), "-warm", String.valueOf(WARM)));
        if (rate > 0) {
            command.addAll(List.of("-rate", String.format(Locale.ROOT, "%.0f", rate), "-inflight", "512"));
        }
        long before = server.allocatedBytes();
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("h2gen: exit " + process.exitValue() + " (expected: 0) " + out);
        }
        JsonObject line = new JsonObject(out);
        double counted = line.getLong("ok") + line.getLong("over") + line.getLong("other");
        // The warming is not in h2gen's count but is in the bytes: scaled by the time that both saw.
        double decisions = counted * (seconds + WARM) / seconds;
        return new Run(line, (server.allocatedBytes() - before) / decisions);
    }

    private static void report(List<Side> sides) {
        System.out.println(
                "server    decisions/s    per CPU s  cores  p50 ms  p99 ms  bytes/decision | at half load: p50   p99  p99.9 ms");
        double base = median(sides.get(0).full(), run -> run.get("per_cpu_s"));
        for (Side side : sides) {
            List<Run> full = side.full();
            List<Run> half = side.half();
            boolean clean = full.stream().allMatch(run -> run.line().getLong("other") == 0);
            System.out.printf(
                    Locale.ROOT,
                    "%-8s %12.0f %12.0f %6.2f %7.2f %7.2f %15.1f | %17.2f %6.2f %6.2f   x%.2f per CPU s%s%n",
                    side.server().name(),
                    median(full, run -> run.get("per_s")),
                    median(full, run -> run.get("per_cpu_s")),
                    median(full, run -> run.get("server_cores")),
                    median(full, run -> run.get("p50_ms")),
                    median(full, run -> run.get("p99_ms")),
                    median(full, Run::bytesPerDecision),
                    median(half, run -> run.get("p50_ms")),
                    median(half, run -> run.get("p99_ms")),
                    median(half, run -> run.get("p999_ms")),
                    median(full, run -> run.get("per_cpu_s")) / base,
                    clean ? "" : "   OTHER ANSWERS");
        }
    }

    private static double median(List<Run> runs, ToDoubleFunction<Run> of) {
        double[] values = runs.stream().mapToDouble(of).sorted().toArray();
        int middle = values.length / 2;
        return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    }
}
