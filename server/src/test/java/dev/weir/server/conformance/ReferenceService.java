package dev.weir.server.conformance;

import static org.awaitility.Awaitility.await;

import dev.weir.server.Listening;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * envoyproxy/ratelimit beside a Redis of its own, to ask it where its documentation is silent:
 * {@code -Dweir.conformance.reference=PATH} of a {@code service_cmd} built by Go, with {@code redis-server} on the path.
 */
final class ReferenceService implements Listening {
    private final int httpPort = freePort();
    private final int grpcPort = freePort();
    private final Process redis;
    private final Process service;

    /** Starts it on the files in {@code folder/config}. */
    ReferenceService(Path binary, Path folder, Map<String, String> variables) throws IOException {
        int redisPort = freePort();
        Path log = Files.createTempFile("reference", ".log");
        redis = new ProcessBuilder("redis-server", "--port", String.valueOf(redisPort), "--save", "")
                .redirectOutput(log.toFile())
                .start();
        awaitPort(redisPort);
        ProcessBuilder builder = new ProcessBuilder(binary.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        Map<String, String> environment = builder.environment();
        environment.put("RUNTIME_ROOT", folder.toString());
        environment.put("RUNTIME_SUBDIRECTORY", ".");
        environment.put("RUNTIME_WATCH_ROOT", "false");
        environment.put("USE_STATSD", "false");
        environment.put("BACKEND_TYPE", "redis");
        environment.put("REDIS_SOCKET_TYPE", "tcp");
        environment.put("REDIS_URL", "127.0.0.1:" + redisPort);
        environment.put("PORT", String.valueOf(httpPort));
        environment.put("GRPC_PORT", String.valueOf(grpcPort));
        environment.put("DEBUG_PORT", String.valueOf(freePort()));
        environment.putAll(variables);
        service = builder.start();
        awaitPort(grpcPort);
        awaitPort(httpPort);
    }

    @Override
    public int httpPort() {
        return httpPort;
    }

    @Override
    public int grpcPort() {
        return grpcPort;
    }

    @Override
    public void close() {
        for (Process process : new Process[] {service, redis}) {
            process.destroyForcibly();
            try {
                process.waitFor(5, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitPort(int port) {
        await().atMost(Duration.ofSeconds(20)).ignoreExceptions().until(() -> {
            new Socket(InetAddress.getLoopbackAddress(), port).close();
            return true;
        });
    }
}
