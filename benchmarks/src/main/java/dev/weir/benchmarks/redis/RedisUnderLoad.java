package dev.weir.benchmarks.redis;

import dev.weir.benchmarks.BenchmarkOptions;
import dev.weir.redis.testkit.RedisProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The Redis that all sides of a run share: a bounded process of its own, or the one that {@code --redis HOST:PORT}
 * names.
 */
final class RedisUnderLoad implements AutoCloseable {
    private final @Nullable RedisProcess process;
    private final RedisURI uri;
    private final RedisClient client;
    private final RedisCommands<String, String> commands;

    private RedisUnderLoad(@Nullable RedisProcess process, RedisURI uri) {
        this.process = process;
        this.uri = uri;
        client = RedisClient.create(uri);
        commands = client.connect().sync();
    }

    static RedisUnderLoad start(BenchmarkOptions options) {
        String given = options.text("--redis", "");
        if (!given.isEmpty()) {
            return new RedisUnderLoad(null, RedisURI.create("redis://" + given));
        }
        RedisProcess process = RedisProcess.start("maxmemory 2gb", "maxmemory-policy noeviction");
        return new RedisUnderLoad(process, RedisURI.create(process.uri()));
    }

    RedisURI uri() {
        return uri;
    }

    String address() {
        return uri.getHost() + ":" + uri.getPort();
    }

    /** A connection for statistics. */
    RedisCommands<String, String> commands() {
        return commands;
    }

    /** A line of {@code INFO}. */
    String info(String section, String field) {
        return commands.info(section)
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1))
                .findFirst()
                .orElse("?");
    }

    /** The conditions that a figure depends on: Redis, Java, cores, and the load of other processes. */
    String conditions() {
        return String.format(
                Locale.ROOT,
                "Redis %s on loopback, Java %s, %d cores, load average %.1f",
                info("server", "redis_version"),
                System.getProperty("java.version"),
                Runtime.getRuntime().availableProcessors(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    @Override
    public void close() {
        client.shutdown();
        if (process != null) {
            process.close();
        }
    }
}
