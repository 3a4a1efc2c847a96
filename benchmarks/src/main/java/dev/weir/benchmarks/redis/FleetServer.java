package dev.weir.benchmarks.redis;

import dev.weir.benchmarks.server.ServerProcess;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Runs {@code ./weir serve} as a user starts it, with counters in a shared Redis. */
final class FleetServer implements AutoCloseable {
    private static final long STARTED_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final Process process;
    private final int port;

    private FleetServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts a server without waiting until it is {@linkplain #awaitReady ready}, so that several can start at once.
     */
    static FleetServer start(String store, Path rules, String deadline) throws IOException {
        int port = ServerProcess.freePort();
        List<String> command = List.of(
                "./weir",
                "serve",
                "--store",
                store,
                "--rules",
                rules.toString(),
                "--deadline",
                deadline,
                "--host",
                "127.0.0.1",
                "--http-port",
                String.valueOf(port),
                "--grpc-port",
                "0",
                "--admin-port",
                "0");
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new FleetServer(process, port);
    }

    int port() {
        return port;
    }

    void awaitReady() {
        long until = System.nanoTime() + STARTED_NANOS;
        while (!isReady()) {
            if (!process.isAlive() || System.nanoTime() > until) {
                throw new IllegalStateException("./weir serve: not ready");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private boolean isReady() {
        try {
            URI health = URI.create("http://127.0.0.1:" + port + "/healthcheck");
            return ((HttpURLConnection) health.toURL().openConnection()).getResponseCode() == 200;
        } catch (IOException e) {
            return false; // it does not listen yet
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
