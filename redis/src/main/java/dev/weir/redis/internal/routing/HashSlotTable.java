package dev.weir.redis.internal.routing;

import dev.weir.redis.internal.settings.RedisAddress.HostPort;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads which master serves which hash slot, as one node of a cluster sees it. */
public final class HashSlotTable {
    /** The number of hash slots of every cluster. */
    public static final int SLOTS = 1 << 14;

    private HashSlotTable() {}

    /**
     * Reads the reply to {@code CLUSTER SLOTS}: ranges of hash slots, each with its master first. A node without a host
     * is on the host that was {@code asked}. Null if the reply has another format.
     */
    static @Nullable Map<HostPort, boolean[]> read(List<Object> reply, String asked) {
        Map<HostPort, boolean[]> masters = new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
        for (Object each : reply) {
            if (!(each instanceof List<?> range)
                    || range.size() < 3
                    || !(range.get(0) instanceof Long from)
                    || !(range.get(1) instanceof Long to)
                    || !(range.get(2) instanceof List<?> master)
                    || master.size() < 2
                    || !(master.get(1) instanceof Long port)
                    || from < 0
                    || to >= SLOTS) {
                return null;
            }
            String host = master.get(0) instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : "";
            HostPort server = new HostPort(isUnknown(host) ? asked : host, port.intValue());
            boolean[] slots = masters.computeIfAbsent(server, first -> new boolean[SLOTS]);
            for (int slot = from.intValue(); slot <= to; slot++) {
                slots[slot] = true;
            }
        }
        return masters;
    }

    /** Returns whether a cluster node uses {@code host} for "unknown" or for its own host. */
    static boolean isUnknown(String host) {
        return host.isEmpty() || host.equals("?");
    }
}
