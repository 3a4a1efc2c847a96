package dev.weir.server.stores;

import dev.weir.StoreFailure;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.redis.RedisSettings;
import dev.weir.redis.internal.node.NodeHealth;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.metrics.ServerMetrics;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where the counters of this server live: in its memory, and in every store that the settings name. */
public final class ServerStores implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ServerStores.class.getName());

    private final int maxKeys;
    private final MemoryStore memory;
    private final StoreOutageLog outages;
    private final Map<String, RedisSharedStore> redis = new TreeMap<>();

    /**
     * Opens all stores on {@code loops}; they connect in the background.
     *
     * @param degradedChecks how many checks {@code on_fail} has decided so far
     * @param lastFailure the most recent failure of a store; null if there was none
     */
    public ServerStores(
            int maxKeys,
            Map<String, RedisSettings> named,
            EventLoopGroup loops,
            LongSupplier degradedChecks,
            Supplier<@Nullable StoreFailure> lastFailure)
            throws StartException {
        for (Map.Entry<String, RedisSettings> each : named.entrySet()) {
            checkTls(each.getKey(), each.getValue());
        }
        this.maxKeys = maxKeys;
        memory = new MemoryStore(maxKeys);
        new TreeMap<>(named).forEach((name, settings) -> {
            redis.put(name, RedisSharedStore.open(settings, loops));
            LOG.log(Level.INFO, "store " + name + ": " + settings.address());
        });
        outages = new StoreOutageLog(this::degraded, degradedChecks, lastFailure);
    }

    private static void checkTls(String name, RedisSettings settings) throws StartException {
        if (settings.address().tls()) {
            try {
                settings.tls().check();
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

    /** Logs the begin or the end of an outage; to be called about once a second. */
    public void logOutage() {
        outages.look();
    }

    public void addTo(ServerMetrics metrics) {
        metrics.gauge("ratelimit.keys", "Counters in the memory store, expired ones among them.", memory::size)
                .gauge("ratelimit.keys.max", "Counters that fit before the least used make room.", () -> maxKeys)
                .counter(
                        "ratelimit.evictions",
                        "Counters forgotten before they expired, for want of room.",
                        memory::evictions)
                .gauge(
                        "ratelimit.degraded",
                        "1 while a store is away, or was just now: rules follow their on_fail.",
                        () -> outages.isDegraded() ? 1 : 0);
    }

    /** Whether every server of every store is connected and asked. */
    public boolean allConnected() {
        return degraded().isEmpty();
    }

    @Override
    public void close() {
        redis.values().forEach(RedisSharedStore::close);
        memory.close();
    }
}
