package dev.weir.redis.internal.store;

import dev.weir.StoreFailure;
import dev.weir.internal.batching.AskDispatcher;
import dev.weir.internal.batching.AskRouter;
import dev.weir.internal.batching.QueuedAsk;
import dev.weir.internal.counter.CounterName;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.OpenedStore;
import dev.weir.redis.internal.connection.LettuceSetup;
import dev.weir.redis.internal.connection.ScriptCommands;
import dev.weir.redis.internal.inspection.CounterInspector;
import dev.weir.redis.internal.inspection.CounterState;
import dev.weir.redis.internal.node.NodeHealth;
import dev.weir.redis.internal.node.NodeProbe;
import dev.weir.redis.internal.node.RedisNode;
import dev.weir.redis.internal.node.RedisNodeFactory;
import dev.weir.redis.internal.node.RedisStats;
import dev.weir.redis.internal.node.ScriptBatcher;
import dev.weir.redis.internal.notes.HeartbeatNotes;
import dev.weir.redis.internal.notes.NewsStream;
import dev.weir.redis.internal.notes.SharedNotes;
import dev.weir.redis.internal.routing.ClusterRoutes;
import dev.weir.redis.internal.routing.RedisRoutes;
import dev.weir.redis.internal.routing.SingleNodeRoutes;
import dev.weir.redis.internal.script.BatchScript;
import dev.weir.redis.internal.script.RedisKey;
import dev.weir.redis.internal.script.RedisKeyPrefix;
import dev.weir.redis.internal.settings.RedisAddress;
import dev.weir.redis.internal.settings.RedisSettings;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A store of counters in Redis, exact for any number of processes.
 *
 * <p>An ask goes to the {@link ScriptBatcher} of its node. There it waits for the batch in flight, and then shares a
 * script call with all that waited. It never waits past its deadline. A node that fails too often is not asked until a
 * {@link NodeProbe} succeeds. Nothing here blocks or throws: an unreachable store answers so at once.
 */
public final class RedisSharedStore implements OpenedStore {

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final RedisStats stats = new RedisStats();
    private final long deadlineNanos;
    private final RedisKeyPrefix prefix;
    private final @Nullable EventLoopGroup ownLoops;
    private final RedisNodeFactory nodes;
    private final RedisRoutes routes;
    private final CounterInspector counters;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AskDispatcher dispatch = new AskDispatcher(new AskRouter() {
        @Override
        public int slot(Check check) {
            return RedisSharedStore.this.slot(check);
        }

        @Override
        public void send(QueuedAsk pending) {
            RedisSharedStore.this.send(pending);
        }

        @Override
        public void fail(QueuedAsk pending, StoreFailure failure) {
            RedisSharedStore.this.fail(pending, failure);
        }

        @Override
        public void giveBack(QueuedAsk taken) {
            stats.giveBacks.increment();
            RedisSharedStore.this.send(taken);
        }

        @Override
        public long patienceNanos() {
            return deadlineNanos;
        }

        @Override
        public long nanos() {
            return System.nanoTime();
        }
    });

    private RedisSharedStore(RedisSettings settings, EventLoopGroup loops, boolean owned, BatchScript script) {
        this.deadlineNanos = settings.deadline().toNanos();
        this.prefix = new RedisKeyPrefix(settings.keyPrefix());
        this.ownLoops = owned ? loops : null;
        this.nodes = new RedisNodeFactory(settings, stats, loops, new ScriptCommands(script, prefix));
        this.routes = settings.address().kind() == RedisAddress.Kind.CLUSTER
                ? new ClusterRoutes(nodes, settings, loops.next())
                : new SingleNodeRoutes(nodes, settings);
        this.counters = new CounterInspector(routes, prefix);
    }

    /** Connects in the background, on event loops of its own; asks fail until it is connected. */
    public static RedisSharedStore open(RedisSettings settings) {
        return open(settings, BatchScript.load());
    }

    /** Opens a store with another script: on virtual time, in tests. */
    static RedisSharedStore open(RedisSettings settings, BatchScript script) {
        return opened(new RedisSharedStore(settings, LettuceSetup.ownLoops(), true, script));
    }

    /**
     * Opens a store on {@code loops}, which are not closed here. If they are not of Lettuce's transport (epoll if
     * available), the store creates its own.
     */
    public static RedisSharedStore open(RedisSettings settings, EventLoopGroup loops) {
        return LettuceSetup.supports(loops)
                ? opened(new RedisSharedStore(settings, loops, false, BatchScript.load()))
                : open(settings);
    }

    private static RedisSharedStore opened(RedisSharedStore store) {
        store.routes.open();
        return store;
    }

    public RedisStats stats() {
        return stats;
    }

    /** Returns whether the store can decide every ask; in a cluster, whether every hash slot is served. */
    @Override
    public boolean serves() {
        return routes.serves();
    }

    /**
     * Returns which hash slots no node serves and why, if the {@linkplain #health health} of the known servers does not
     * show it; empty otherwise.
     */
    public String unserved() {
        return routes.unserved();
    }

    /** Returns the current health of each server. */
    public List<NodeHealth> health() {
        return routes.nodes().stream().map(RedisNode::health).toList();
    }

    /**
     * Warms up: sends asks to Redis until the JVM has compiled the path, on counters that expire soon. Blocks for at
     * most {@code atMost}; an unreachable Redis is given up sooner.
     *
     * @return whether Redis answered
     */
    @Override
    public boolean warmUp(Duration atMost) {
        routes.warmingUp(true);
        try {
            return new RedisWarmUp(this).run(atMost);
        } finally {
            routes.warmingUp(false);
        }
    }

    /** Reads the counter {@code name}; empty if it does not exist. */
    public CompletionStage<Optional<CounterState>> inspect(CounterName name) {
        return counters.inspect(name);
    }

    /** Reads the permits of a concurrency limit whose nodes count by themselves, for people. */
    public CompletionStage<Optional<CounterState>> inspectLevels(CounterName name) {
        return counters.inspectLevels(name);
    }

    /** Reads the permits of a concurrency limit, for people. */
    public CompletionStage<Optional<CounterState>> inspectPermits(CounterName name) {
        return counters.inspectPermits(name);
    }

    /** Resets the counter {@code name}; returns whether it existed. */
    public CompletionStage<Boolean> reset(CounterName name) {
        return counters.reset(name);
    }

    /** Returns the stream of reset counters that all servers on this Redis read. */
    public NewsStream resetNews() {
        return new NewsStream(routes, prefix, "resets");
    }

    /** Opens the stream in which servers on this Redis tell each other how loaded services are. */
    public NewsStream loadNews() {
        return new NewsStream(routes, prefix, "loads");
    }

    /** Returns the notes under {@code name} that all servers on this Redis read. */
    public SharedNotes notes(String name) {
        return new SharedNotes(routes, prefix, name);
    }

    /** Returns what the servers on this Redis last said of themselves. */
    public HeartbeatNotes nodes() {
        return new HeartbeatNotes(routes, prefix, "nodes");
    }

    /** The heaviest callers of each server on this Redis. */
    public HeartbeatNotes topKeys() {
        return new HeartbeatNotes(routes, prefix, "top_keys");
    }

    @Override
    public int slot(Check check) {
        return routes.hasHashSlots() ? RedisKey.slot(check.name.subject()) : RedisKey.NO_SLOT;
    }

    @Override
    public void decide(Ask ask) {
        (ask.givesBack ? stats.giveBacks : stats.asks).increment();
        dispatch.decide(ask);
    }

    private void send(QueuedAsk pending) {
        RedisNode node = routes.node(pending.slot);
        if (node == null) {
            fail(pending, routes.failure());
        } else if (node.isOpen()) {
            fail(pending, StoreFailure.OPEN);
        } else {
            node.batcher(pending.subject()).add(pending);
        }
    }

    private void fail(QueuedAsk pending, StoreFailure failure) {
        stats.failed(failure, 1);
        pending.refuse(failure);
    }

    /** Fails the asks in flight, and closes all connections. */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        routes.close();
        nodes.close(CLOSE_TIMEOUT, () -> {
            if (ownLoops != null) {
                var unused = ownLoops.shutdownGracefully(0, CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            }
        });
    }
}
