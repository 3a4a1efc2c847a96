package dev.weir.benchmarks.server;

import dev.weir.benchmarks.BenchmarkOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The reference, envoyproxy/ratelimit, with its defaults and the same rules as Weir. */
public final class RateLimitProcess implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 20;

    private final Path folder;
    private final Process process;
    private final int port;

    private RateLimitProcess(Path folder, Process process, int port) {
        this.folder = folder;
        this.process = process;
        this.port = port;
    }

    /**
     * Finds its binary: the option {@code --ratelimit}, or where {@code go install} puts it; prints a hint and returns
     * null if missing.
     */
    public static @Nullable Path find(BenchmarkOptions options) {
        String given = options.text("--ratelimit", "");
        Path path =
                given.isEmpty() ? Path.of(System.getProperty("user.home"), "go", "bin", "service_cmd") : Path.of(given);
        if (Files.isExecutable(path)) {
            return path;
        }
        System.out.println(
                "--ratelimit: " + path
                        + " (expected: go install github.com/envoyproxy/ratelimit/src/service_cmd@latest); Weir is measured alone");
        return null;
    }

    public static RateLimitProcess start(Path binary, String redisAddress) throws IOException {
        Path folder = Files.createTempDirectory("ratelimit");
        Path config = Files.createDirectories(folder.resolve("bench").resolve("config"));
        Files.writeString(config.resolve("bench.yaml"), ServerUnderLoad.RULES);
        int port = ServerProcess.freePort();
        ProcessBuilder builder = new ProcessBuilder(List.of(binary.toString()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(folder.resolve("log").toFile());
        builder.environment()
                .putAll(Map.of(
                        "RUNTIME_ROOT", folder.toString(),
                        "RUNTIME_SUBDIRECTORY", "bench",
                        "RUNTIME_WATCH_ROOT", "false",
                        "USE_STATSD", "false",
                        "BACKEND_TYPE", "redis",
                        "REDIS_SOCKET_TYPE", "tcp",
                        "REDIS_URL", redisAddress));
        builder.environment()
                .putAll(Map.of(
                        "HOST", "127.0.0.1",
                        "GRPC_HOST", "127.0.0.1",
                        "DEBUG_HOST", "127.0.0.1",
                        "PORT", String.valueOf(ServerProcess.freePort()),
                        "GRPC_PORT", String.valueOf(port),
                        "DEBUG_PORT", String.valueOf(ServerProcess.freePort()),
                        "LOG_LEVEL", "error"));
        RateLimitProcess started = new RateLimitProcess(folder, builder.start(), port);
        started.awaitPort();
        return started;
    }

    private void awaitPort() throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (process.isAlive() && System.nanoTime() - end < 0) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
                return;
            } catch (IOException e) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
        String log = Files.readString(folder.resolve("log"));
        close();
        throw new IOException("envoyproxy/ratelimit does not start: " + log);
    }

    public int port() {
        return port;
    }

    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroy();
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            // A temporary folder stays behind.
        }
    }
}
