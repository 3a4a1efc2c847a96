package dev.weir.server.stores;

import dev.weir.StoreFailure;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.model.Rule;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.runtime.RejectedNotes;
import dev.weir.internal.store.SharedStore;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.redis.internal.connection.LettuceSetup;
import dev.weir.redis.internal.node.NodeHealth;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.metrics.ServerMetrics;
import dev.weir.server.settings.Settings.Regions;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The stores of this server: its own memory, and every shared store that the settings name. */
public final class ServerStores implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ServerStores.class.getName());

    private final int maxKeys;
    private final MemoryStore memory;
    private final StoreOutageLog outages;
    private final Map<String, RedisSharedStore> redis = new TreeMap<>();
    private final String homeName;
    /** The stores of other regions whose counts this server only reads. */
    private final Set<String> readOnly;

    private final @Nullable HomeGate home;
    private final @Nullable HomeEpochs epochs;
    private final RejectedNotes rejectedNotes = new RejectedNotes("epochs");

    /**
     * Opens all stores on {@code loops}; they connect in the background.
     *
     * @param secret signs the epoch of home that servers note in Redis; null if there is none
     * @param degradedChecks how many checks {@code on_fail} has decided so far
     * @param lastFailure the most recent failure of a store; null if there was none
     */
    public ServerStores(
            int maxKeys,
            Map<String, RedisSettings> named,
            Regions regions,
            @Nullable FleetSecret secret,
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
        homeName = regions.homeStore();
        readOnly = new TreeSet<>(regions.others().values());
        readOnly.remove(homeName);
        RedisSharedStore ofHome = redis.get(homeName);
        RedisSharedStore ofRegion = redis.getOrDefault(Rule.DEFAULT_STORE, ofHome);
        home = ofHome == null ? null : new HomeGate(ofHome, System::nanoTime);
        epochs = ofHome == null || ofRegion == null || home == null
                ? null
                : new HomeEpochs(epochNotes(ofHome, secret), epochNotes(ofRegion, secret), regions, home);
        outages = new StoreOutageLog(this::degraded, degradedChecks, lastFailure);
    }

    private EpochNotes epochNotes(RedisSharedStore store, @Nullable FleetSecret secret) {
        return new EpochNotes(store.notes("home"), secret, rejectedNotes);
    }

    private static void checkTls(String name, RedisSettings settings) throws StartException {
        if (settings.address().tls()) {
            try {
                LettuceSetup.check(settings.tls());
            } catch (IOException e) {
                throw new StartException("store " + name + ": cannot set up TLS: " + e.getMessage(), e);
            }
        }
    }

    public MemoryStore memory() {
        return memory;
    }

    public Map<String, RedisSharedStore> redis() {
        return redis;
    }

    /**
     * The store through which servers pass notes to each other: the default store, else the first; null if there is
     * none.
     */
    @Nullable
    public RedisSharedStore noteStore() {
        RedisSharedStore store = redis.get(Rule.DEFAULT_STORE);
        return store != null || redis.isEmpty()
                ? store
                : redis.values().iterator().next();
    }

    public SharedStores shared() {
        if (redis.isEmpty()) {
            return SharedStores.none();
        }
        Map<String, SharedStore> all = new TreeMap<>(redis);
        if (home != null) {
            all.put(homeName, home);
        }
        return SharedStores.of(all);
    }

    /** Compares the epoch of home with that of other servers; to be called about once a second. */
    public void compareEpochs() {
        if (epochs != null) {
            epochs.update();
        }
    }

    /**
     * Describes, for people, each store with a server that is not asked or with counters that no server holds; empty if
     * there is none.
     */
    public String degraded() {
        List<String> degraded = new ArrayList<>();
        redis.forEach((name, store) -> {
            if (readOnly.contains(name)) {
                return; // nothing is decided without it; metrics tell that its region is silent
            }
            List<NodeHealth> nodes = store.health();
            String unserved = store.unserved();
            if (!unserved.isEmpty() && nodes.stream().allMatch(NodeHealth::serves)) {
                degraded.add("store " + name + ": " + unserved);
            }
            nodes.stream().filter(node -> !node.serves()).forEach(node -> degraded.add(describe(name, node)));
        });
        String old = epochs == null ? "" : epochs.problem();
        if (!old.isEmpty()) {
            degraded.add(old);
        }
        return String.join("; ", degraded);
    }

    private static String describe(String store, NodeHealth node) {
        String why = node.down() == null
                ? node.reason().isEmpty() ? "failed too often recently" : node.reason()
                : node.down().label() + (node.reason().isEmpty() ? "" : " (" + node.reason() + ")");
        return "store " + store + ", " + node.node() + ": " + why;
    }

    /** Logs the start or the end of an outage; to be called about once a second. */
    public void logOutage() {
        outages.update();
    }

    /** The notes about the epoch of home that were ignored. */
    public RejectedNotes rejectedNotes() {
        return rejectedNotes;
    }

    /** Whether it is known if this server counts global limits at home. */
    public boolean knowsHome() {
        return epochs == null || epochs.isKnown();
    }

    public void addTo(ServerMetrics metrics) {
        metrics.gauge("ratelimit.keys", "Counters in the memory store, including expired ones.", memory::size)
                .gauge(
                        "ratelimit.keys.max",
                        "Counters that fit in the memory store before the least used are evicted.",
                        () -> maxKeys)
                .counter(
                        "ratelimit.evictions",
                        "Counters evicted from the memory store before they expired.",
                        memory::evictions)
                .gauge(
                        "ratelimit.degraded",
                        "1 while a store is unreachable, or was a moment ago: on_fail decides.",
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
