package dev.weir.benchmarks.server;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The load generator: asks a gRPC rate limiter over four connections and prints the result as one line of JSON. */
public record H2gen(String path) {
    /** Seconds at the start of each load that it does not count. */
    static final int WARM = 1;

    private static final int WARM_UP_SECONDS = 10;
    private static final int WARM_UP_ROUNDS = 6;

    /** Whether it is installed; prints what is missing if not. */
    public boolean found() {
        boolean found = Files.isExecutable(Path.of(path));
        if (!found) {
            System.out.println("--h2gen: " + path
                    + " (expected: a load generator as docs/performance.md describes it); nothing measured");
        }
        return found;
    }

    /**
     * A load: at most {@code underWay} requests in flight on each connection, and {@code rate} per second if that is
     * not 0.
     */
    public record Load(int underWay, double rate) {
        public static final Load FULL = new Load(64, 0);

        /** A load at a fixed rate; latency counts from when a request was due. */
        static Load at(double rate) {
            return new Load(512, rate);
        }
    }

    public JsonObject load(String name, int port, long pid, String keys, int seconds, Load load)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(path, "-name", name, "-addr", "127.0.0.1:" + port));
        command.addAll(List.of("-pid", String.valueOf(pid), "-domain", "bench", "-key", "user", "-keys", keys));
        command.addAll(List.of("-seconds", String.valueOf(seconds), "-warm", String.valueOf(WARM)));
        command.addAll(List.of("-inflight", String.valueOf(load.underWay())));
        if (load.rate() > 0) {
            command.addAll(List.of("-rate", String.format(Locale.ROOT, "%.0f", load.rate())));
        }
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("h2gen: exit " + process.exitValue() + " (expected: 0) " + out);
        }
        return new JsonObject(out);
    }

    /** Warms a JVM up until its hot code is compiled; how long that takes depends on the load of other processes. */
    public void warmUp(String name, int port, long pid, String keys) throws IOException, InterruptedException {
        double before = 0;
        for (int i = 0; i < WARM_UP_ROUNDS; i++) {
            double now = load(name, port, pid, keys, WARM_UP_SECONDS, Load.FULL).getDouble("per_cpu_s");
            if (now < before * 1.1) {
                return;
            }
            before = now;
        }
    }

    /**
     * Roughly the number of decisions of a load, including those of the warm-up, which h2gen does not count but others
     * do.
     */
    public static double decisions(JsonObject line, int seconds) {
        double counted = line.getLong("ok") + line.getLong("over") + line.getLong("other");
        return counted * (seconds + WARM) / seconds;
    }
}
