package dev.weir.redis;

import dev.weir.coalesce.Dispatch;
import dev.weir.coalesce.Pending;
import dev.weir.coalesce.Way;
import dev.weir.redis.script.BatchScript;
import dev.weir.redis.script.RedisKey;
import dev.weir.store.Ask;
import dev.weir.store.Check;
import dev.weir.store.CounterName;
import dev.weir.store.SharedStore;
import dev.weir.store.StoreFailure;
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
 * <p>An ask goes to the {@link ScriptLane} of its node, where it waits for the batch that is under way, and then shares a script call with
 * all that waited. It never waits past its deadline; a node that fails too often is not asked at all until a {@link Probe} says that
 * it serves again. There is no exception and no blocking in any of this: a store that is away answers so at once.
 */
public final class RedisStore implements SharedStore {

    private static final Duration CLOSING = Duration.ofSeconds(2);

    private final RedisStats stats = new RedisStats();
    private final long deadlineNanos;
    private final @Nullable EventLoopGroup own;
    private final NodeFactory nodes;
    private final Routes routes;
    private final Counters counters;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Dispatch dispatch = new Dispatch(new Way() {
        @Override
        public int slot(Check check) {
            return routes.bySlot() ? RedisKey.slot(check.name.subject()) : RedisKey.NO_SLOT;
        }

        @Override
        public void send(Pending pending) {
            RedisStore.this.send(pending);
        }

        @Override
        public void fail(Pending pending, StoreFailure failure) {
            RedisStore.this.fail(pending, failure);
        }

        @Override
        public void giveBack(Pending taken) {
            stats.giveBacks.increment();
            RedisStore.this.send(taken);
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

    private RedisStore(RedisSettings settings, EventLoopGroup loops, boolean owned, BatchScript script) {
        this.deadlineNanos = settings.deadline().toNanos();
        this.own = owned ? loops : null;
        this.nodes = new NodeFactory(settings, stats, loops, new ScriptCommands(script));
        this.routes = settings.address().kind() == RedisAddress.Kind.CLUSTER
                ? new ClusterRoutes(nodes, settings, loops.next())
                : new SingleRoute(nodes, settings);
        this.counters = new Counters(routes);
    }

    /** Connects in the background, on event loops of its own; asks fail until that is done. */
    public static RedisStore open(RedisSettings settings) {
        return open(settings, BatchScript.load());
    }

    /** With a script of one's own: on virtual time, in tests. */
    static RedisStore open(RedisSettings settings, BatchScript script) {
        return opened(new RedisStore(settings, LettuceParts.ownLoops(), true, script));
    }

    /** The same on {@code loops}, which must be of Lettuce's transport (epoll where it is there) and are not closed here. */
    public static RedisStore open(RedisSettings settings, EventLoopGroup loops) {
        return LettuceParts.fits(loops)
                ? opened(new RedisStore(settings, loops, false, BatchScript.load()))
                : open(settings);
    }

    private static RedisStore opened(RedisStore store) {
        store.routes.open();
        return store;
    }

    public RedisStats stats() {
        return stats;
    }

    /** Whether it can decide whatever it is asked; in a cluster, whether every slot is served. */
    public boolean serves() {
        return routes.serves();
    }

    /** What nobody serves, and why, where the {@linkplain #health servers} that are known do not tell it; empty if all is served. */
    public String unserved() {
        return routes.unserved();
    }

    /** How each server is, as of now. */
    public List<NodeHealth> health() {
        return routes.nodes().stream().map(Node::health).toList();
    }

    /**
     * Runs the way to Redis and back until the JVM has compiled it, on counters that Redis soon forgets. Blocks, for no longer than
     * {@code atMost}; a Redis that is away is given up sooner.
     *
     * @return whether Redis answered
     */
    public boolean warmUp(Duration atMost) {
        routes.warming(true);
        try {
            return new WarmUp(this).run(atMost);
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
    public ResetNews resetNews() {
        return new ResetNews(routes);
    }

    /** Texts that all servers on this Redis read. */
    public Notes notes(String board) {
        return new Notes(routes, board);
    }

    @Override
    public void decide(Ask ask) {
        stats.asks.increment();
        dispatch.decide(ask);
    }

    private void send(Pending pending) {
        Node node = routes.node(pending.slot);
        if (node == null) {
            fail(pending, routes.failure());
        } else if (node.isOpen()) {
            fail(pending, StoreFailure.OPEN);
        } else {
            node.lane(pending.subject()).add(pending);
        }
    }

    private void fail(Pending pending, StoreFailure failure) {
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
