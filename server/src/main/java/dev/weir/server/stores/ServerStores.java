package dev.weir.server.stores;

import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.redis.internal.connection.LettuceSetup;
import dev.weir.redis.internal.node.NodeHealth;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.server.lifecycle.StartException;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Where the counters of this server live: in its memory, and in every store that the settings name. */
public final class ServerStores implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ServerStores.class.getName());

    private final MemoryStore memory;
    private final Map<String, RedisSharedStore> redis = new TreeMap<>();

    /** Opens all of them on {@code loops}; connections are made in the background. */
    public ServerStores(int maxKeys, Map<String, RedisSettings> named, EventLoopGroup loops) throws StartException {
        for (Map.Entry<String, RedisSettings> each : named.entrySet()) {
            checkTls(each.getKey(), each.getValue());
        }
        memory = new MemoryStore(maxKeys);
        new TreeMap<>(named).forEach((name, settings) -> {
            redis.put(name, RedisSharedStore.open(settings, loops));
            LOG.log(Level.INFO, "store " + name + ": " + settings.address());
        });
    }

    private static void checkTls(String name, RedisSettings settings) throws StartException {
        if (settings.address().tls()) {
            try {
                LettuceSetup.check(settings.tls());
            } catch (IOException e) {
                throw new StartException("store " + name + " cannot speak TLS: " + e.getMessage(), e);
            }
        }
    }

    public MemoryStore memory() {
        return memory;
    }

    public Map<String, RedisSharedStore> redis() {
        return redis;
    }

    /** Where servers leave word for each other: the default store, else the first; null where there is none. */
    @Nullable
    public RedisSharedStore meeting() {
        RedisSharedStore store = redis.get(Rule.DEFAULT_STORE);
        return store != null || redis.isEmpty()
                ? store
                : redis.values().iterator().next();
    }

    public SharedStores shared() {
        return redis.isEmpty() ? SharedStores.none() : SharedStores.of(redis);
    }

    /** Which stores have a server that is not asked, or counters that nobody serves, and why, for people; empty while all are there. */
    public String degraded() {
        List<String> away = new ArrayList<>();
        redis.forEach((name, store) -> {
            List<NodeHealth> nodes = store.health();
            String unserved = store.unserved();
            if (!unserved.isEmpty() && nodes.stream().allMatch(NodeHealth::serves)) {
                away.add("store " + name + ": " + unserved);
            }
            nodes.stream().filter(node -> !node.serves()).forEach(node -> away.add(describe(name, node)));
        });
        return String.join("; ", away);
    }

    private static String describe(String store, NodeHealth node) {
        String why = node.down() == null
                ? node.reason().isEmpty() ? "failed too often of late" : node.reason()
                : node.down().label() + (node.reason().isEmpty() ? "" : " (" + node.reason() + ")");
        return "store " + store + ", " + node.node() + ": " + why;
    }

    /** Whether every server of every store is connected and asked. */
    public boolean allThere() {
        return degraded().isEmpty();
    }

    @Override
    public void close() {
        redis.values().forEach(RedisSharedStore::close);
        memory.close();
    }
}
