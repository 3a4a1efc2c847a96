package dev.weir.server.conformance;

import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.ListeningService;
import dev.weir.testkit.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * envoyproxy/ratelimit beside a Redis of its own, to ask it where its documentation is silent: a {@code service_cmd} built by Go.
 */
final class ReferenceService implements ListeningService {
    private final int httpPort = FreePorts.free();
    private final int grpcPort = FreePorts.free();
    private final RedisProcess redis;
    private final Process service;

    /** Starts it on the files in {@code folder/config}. */
    ReferenceService(Path binary, Path folder, Map<String, String> variables) throws IOException {
        Path log = Files.createTempFile("reference", ".log");
        redis = RedisProcess.start();
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
        environment.put("REDIS_URL", redis.address());
        environment.put("PORT", String.valueOf(httpPort));
        environment.put("GRPC_PORT", String.valueOf(grpcPort));
        environment.put("DEBUG_PORT", String.valueOf(FreePorts.free()));
        environment.putAll(variables);
        service = builder.start();
        try {
            awaitPort(grpcPort);
            awaitPort(httpPort);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public int httpPort() {
        return httpPort;
    }

    @Override
    public int grpcPort() {
        return grpcPort;
    }

    /** Its counters of a domain: {@code key_value} without the start of the window, which the reference appends. */
    Map<String, Long> counters(String domain) {
        Map<String, Long> counters = new TreeMap<>();
        List<?> keys = (List<?>) Objects.requireNonNull(redis.cli("KEYS", domain + "_*"));
        for (Object each : keys) {
            String key = String.valueOf(each);
            String name = key.substring(domain.length() + 1, key.lastIndexOf('_'));
            counters.put(name, Long.valueOf(String.valueOf(redis.cli("GET", key))));
        }
        return counters;
    }

    @Override
    public void close() {
        service.destroyForcibly().onExit().join();
        redis.close();
    }

    private static void awaitPort(int port) {
        await().atMost(Duration.ofSeconds(20)).ignoreExceptions().until(() -> {
            new Socket(InetAddress.getLoopbackAddress(), port).close();
            return true;
        });
    }
}
