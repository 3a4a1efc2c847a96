package dev.weir.redis.internal.node;

import dev.weir.redis.internal.connection.PlainCommand;
import dev.weir.redis.internal.connection.ReconnectingConnection;
import io.lettuce.core.protocol.CommandType;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Warns, once per store, of a Redis that evicts keys when its memory is full: evicted counters start again at zero. */
public final class EvictionWatch {
    private static final System.Logger LOG = System.getLogger(EvictionWatch.class.getName());

    private final AtomicBoolean warned = new AtomicBoolean();

    /** Reads the policy with INFO, because many hosted Redis services refuse CONFIG. */
    void check(String node, ReconnectingConnection connection) {
        if (warned.get()) {
            return;
        }
        var unused = PlainCommand.run(connection, CommandType.INFO, "memory".getBytes(StandardCharsets.US_ASCII))
                .thenAccept(reply -> {
                    String warning = warning(text(reply));
                    if (!warning.isEmpty() && warned.compareAndSet(false, true)) {
                        LOG.log(Level.WARNING, "redis " + node + ": " + warning);
                    }
                });
    }

    /** Returns why counters may be evicted; empty if they will not be. */
    public static String warning(String info) {
        String policy = field(info, "maxmemory_policy");
        String maxMemory = field(info, "maxmemory");
        boolean bounded = !maxMemory.isEmpty() && !maxMemory.equals("0");
        return !bounded || policy.isEmpty() || policy.equals("noeviction")
                ? ""
                : "maxmemory-policy is " + policy
                        + ": when memory is full, counters are evicted and their limits start again"
                        + " (expected: noeviction)";
    }

    private static String text(List<Object> reply) {
        return !reply.isEmpty() && reply.get(0) instanceof byte[] bytes
                ? new String(bytes, StandardCharsets.US_ASCII)
                : "";
    }

    private static String field(String info, String name) {
        return info.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }
}
