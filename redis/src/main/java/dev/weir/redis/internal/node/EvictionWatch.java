package dev.weir.redis.internal.node;

import dev.weir.redis.internal.connection.PlainCommand;
import dev.weir.redis.internal.connection.ReconnectingConnection;
import io.lettuce.core.protocol.CommandType;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Warns, once for a store, of a Redis that may drop counters when it is full: every limit would start anew. */
public final class EvictionWatch {
    private static final System.Logger LOG = System.getLogger(EvictionWatch.class.getName());

    private final AtomicBoolean warned = new AtomicBoolean();

    /** Asks with INFO, for CONFIG is refused by many who rent out Redis. */
    void look(String node, ReconnectingConnection line) {
        if (warned.get()) {
            return;
        }
        var unused = PlainCommand.run(line, CommandType.INFO, "memory".getBytes(StandardCharsets.US_ASCII))
                .thenAccept(reply -> {
                    String warning = warning(text(reply));
                    if (!warning.isEmpty() && warned.compareAndSet(false, true)) {
                        LOG.log(Level.WARNING, "redis " + node + ": " + warning);
                    }
                });
    }

    /** Why counters may be lost; empty if they will not. */
    public static String warning(String info) {
        String policy = field(info, "maxmemory_policy");
        String most = field(info, "maxmemory");
        boolean bounded = !most.isEmpty() && !most.equals("0");
        return !bounded || policy.isEmpty() || policy.equals("noeviction")
                ? ""
                : "maxmemory-policy is " + policy
                        + ": when memory is full, counters are dropped and their limits start anew"
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
