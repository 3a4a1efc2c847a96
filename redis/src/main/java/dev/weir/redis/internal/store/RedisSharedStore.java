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
import dev.weir.redis.internal.notes.ResetStream;
import dev.weir.redis.internal.notes.SharedNotes;
import dev.weir.redis.internal.routing.ClusterRoutes;
import dev.weir.redis.internal.routing.RedisRoutes;
import dev.weir.redis.internal.routing.SingleNodeRoutes;
import dev.weir.redis.internal.script.BatchScript;
import dev.weir.redis.internal.script.RedisKey;
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
 * Counters in Redis, exact for any number of processes.
 *
 * <p>An ask goes to the {@link ScriptBatcher} of its node, where it waits for the batch that is under way, and then shares a script call with
 * all that waited. It never waits past its deadline; a node that fails too often is not asked at all until a {@link NodeProbe} says that
 * it serves again. There is no exception and no blocking in any of this: a store that is away answers so at once.
 */
public final class RedisSharedStore implements OpenedStore {

    private static final Duration CLOSING = Duration.ofSeconds(2);

    private final RedisStats stats = new RedisStats();
    private final long deadlineNanos;
    private final @Nullable EventLoopGroup own;
    private final RedisNodeFactory nodes;
    private final RedisRoutes routes;
    private final CounterInspector counters;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AskDispatcher dispatch = new AskDispatcher(new AskRouter() {
        @Override
        public int slot(Check check) {
            return routes.bySlot() ? RedisKey.slot(check.name.subject()) : RedisKey.NO_SLOT;
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
        this.own = owned ? loops : null;
        this.nodes = new RedisNodeFactory(settings, stats, loops, new ScriptCommands(script));
        this.routes = settings.address().kind() == RedisAddress.Kind.CLUSTER
                ? new ClusterRoutes(nodes, settings, loops.next())
                : new SingleNodeRoutes(nodes, settings);
        this.counters = new CounterInspector(routes);
    }

    /** Connects in the background, on event loops of its own; asks fail until that is done. */
    public static RedisSharedStore open(RedisSettings settings) {
        return open(settings, BatchScript.load());
    }

    /** With a script of one's own: on virtual time, in tests. */
    static RedisSharedStore open(RedisSettings settings, BatchScript script) {
        return opened(new RedisSharedStore(settings, LettuceSetup.ownLoops(), true, script));
    }

    /** The same on {@code loops}, which must be of Lettuce's transport (epoll where it is there) and are not closed here. */
    public static RedisSharedStore open(RedisSettings settings, EventLoopGroup loops) {
        return LettuceSetup.fits(loops)
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

    /** Whether it can decide whatever it is asked; in a cluster, whether every slot is served. */
    @Override
    public boolean serves() {
        return routes.serves();
    }

    /** What nobody serves, and why, where the {@linkplain #health servers} that are known do not tell it; empty if all is served. */
    public String unserved() {
        return routes.unserved();
    }

    /** How each server is, as of now. */
    public List<NodeHealth> health() {
        return routes.nodes().stream().map(RedisNode::health).toList();
    }

    /**
     * Runs the way to Redis and back until the JVM has compiled it, on counters that Redis soon forgets. Blocks, for no longer than
     * {@code atMost}; a Redis that is away is given up sooner.
     *
     * @return whether Redis answered
     */
    @Override
    public boolean warmUp(Duration atMost) {
        routes.warming(true);
        try {
            return new RedisWarmUp(this).run(atMost);
        } finally {
            routes.warming(false);
        }
    }

    /** What Redis keeps for the counter {@code name}; empty if nothing. */
    public CompletionStage<Optional<CounterState>> inspect(CounterName name) {
        return counters.inspect(name);
    }

    /** Forgets the counter {@code name}; whether there was anything to forget. */
    public CompletionStage<Boolean> reset(CounterName name) {
        return counters.reset(name);
    }

    /** What servers on this Redis tell each other of counters that were reset. */
    public ResetStream resetNews() {
        return new ResetStream(routes);
    }

    /** Texts that all servers on this Redis read. */
    public SharedNotes notes(String board) {
        return new SharedNotes(routes, board);
    }

    @Override
    public void decide(Ask ask) {
        stats.asks.increment();
        dispatch.decide(ask);
    }

    private void send(QueuedAsk pending) {
        RedisNode node = routes.node(pending.slot);
        if (node == null) {
            fail(pending, routes.failure());
        } else if (node.isOpen()) {
            fail(pending, StoreFailure.OPEN);
        } else {
            node.lane(pending.subject()).add(pending);
        }
    }

    private void fail(QueuedAsk pending, StoreFailure failure) {
        stats.failed(failure, 1);
        pending.refuse(failure);
    }

    /** Answers what is under way as failed, and closes all connections. */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        routes.close();
        nodes.close(CLOSING, () -> {
            if (own != null) {
                var unused = own.shutdownGracefully(0, CLOSING.toMillis(), TimeUnit.MILLISECONDS);
            }
        });
    }
}
