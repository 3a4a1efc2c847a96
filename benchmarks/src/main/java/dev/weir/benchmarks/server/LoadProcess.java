package dev.weir.benchmarks.server;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Weir's load generator in a JVM of its own: it asks a rate limiter over four connections. */
public final class LoadProcess implements AutoCloseable {
    /** Seconds at the start of each load that it does not count. */
    static final int WARM = 1;

    private static final int CONNECTIONS = 4;
    private static final int WARM_UP_SECONDS = 10;
    private static final int WARM_UP_ROUNDS = 6;

    private final Process process;
    private final BufferedReader results;
    private final Writer loads;

    private LoadProcess(Process process) {
        this.process = process;
        this.results = process.inputReader(StandardCharsets.UTF_8);
        this.loads = process.outputWriter(StandardCharsets.UTF_8);
    }

    /** Starts {@link LoadClient} with the class path and Java of this process. */
    public static LoadProcess start() throws IOException {
        List<String> command = List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-Xms256m",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                LoadClient.class.getName());
        return new LoadProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /**
     * A load: at most {@code inFlight} requests in flight on each connection, or {@code rate} per second if that is not
     * 0; latency counts then from when a request was due.
     */
    public record Load(int inFlight, double rate) {
        public static final Load FULL = new Load(64, 0);

        static Load at(double rate) {
            return new Load(64, rate);
        }
    }

    /** Loads the gRPC server on {@code port} whose process is {@code pid}. */
    public JsonObject load(int port, long pid, int keys, int seconds, Load load) throws IOException {
        JsonObject asked = new JsonObject()
                .put("target", "grpc://127.0.0.1:" + port)
                .put("pid", pid)
                .put("connections", CONNECTIONS)
                .put("in_flight", load.inFlight())
                .put("rate", load.rate())
                .put("keys", keys)
                .put("warm", WARM)
                .put("seconds", seconds);
        loads.write(asked.encode() + "\n");
        loads.flush();
        String result = results.readLine();
        if (result == null) {
            throw new IOException("the load generator ended (expected: a line of JSON)");
        }
        return new JsonObject(result);
    }

    /** Warms JVMs up until their hot code is compiled; how long that takes depends on the load of other processes. */
    public void warmUp(int port, long pid, int keys) throws IOException {
        double before = 0;
        for (int i = 0; i < WARM_UP_ROUNDS; i++) {
            double now = load(port, pid, keys, WARM_UP_SECONDS, Load.FULL).getDouble("per_cpu_s");
            if (now < before * 1.1) {
                return;
            }
            before = now;
        }
    }

    /** Roughly the number of decisions of a load, including those of the warm-up, which it does not count but others do. */
    public static double decisions(JsonObject line, int seconds) {
        double counted = line.getLong("allowed") + line.getLong("denied") + line.getLong("errors");
        return counted * (seconds + WARM) / seconds;
    }

    @Override
    public void close() {
        process.destroy();
    }
}
