package dev.weir.benchmarks.server;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The load tool: asks a gRPC rate limiter over four connections and tells what came of it in one line of JSON. */
public record H2gen(String path) {
    /** Seconds at the start of each load that it does not count. */
    static final int WARM = 1;

    private static final int WARM_UP_SECONDS = 10;
    private static final int WARM_UP_ROUNDS = 6;

    /** Whether there is one; says what is missing if not. */
    public boolean found() {
        boolean found = Files.isExecutable(Path.of(path));
        if (!found) {
            System.out.println("--h2gen: " + path
                    + " (expected: a load generator as docs/performance.md describes it); nothing measured");
        }
        return found;
    }

    /** How much is asked: so many requests under way on each connection at most, and so many a second if {@code rate} is not 0. */
    public record Load(int underWay, double rate) {
        public static final Load FULL = new Load(64, 0);

        /** Counted from when a request was due. */
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

    /** A JVM shows what it can do once it has compiled its hot code; how long that takes depends on who else wants the CPU. */
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

    /** About how many decisions a load took: the warming is not in the count, but in all that others counted meanwhile. */
    public static double decisions(JsonObject line, int seconds) {
        double counted = line.getLong("ok") + line.getLong("over") + line.getLong("other");
        return counted * (seconds + WARM) / seconds;
    }
}
