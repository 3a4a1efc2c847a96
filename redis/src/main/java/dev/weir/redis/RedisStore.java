package dev.weir.redis;

import dev.weir.redis.script.BatchScript;
import dev.weir.store.Ask;
import dev.weir.store.Check;
import dev.weir.store.Checks;
import dev.weir.store.SharedStore;
import dev.weir.store.StoreFailure;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counters in Redis, exact for any number of processes.
 *
 * <p>An ask goes to the {@link Lane} of its node, where it waits for the batch that is under way, and then shares a script call with
 * all that waited. It never waits past its deadline; a node that fails too often is not asked at all until a {@link Probe} says that
 * it serves again. There is no exception and no blocking in any of this: a store that is away answers so at once.
 */
public final class RedisStore implements SharedStore {
    private static final Duration CLOSING = Duration.ofSeconds(2);

    private final RedisSettings settings;
    private final RedisStats stats = new RedisStats();
    private final @Nullable EventLoopGroup own;
    private final NodeFactory nodes;
    private final Routes routes;

    private RedisStore(RedisSettings settings, EventLoopGroup loops, boolean owned, BatchScript script) {
        this.settings = settings;
        this.own = owned ? loops : null;
        this.nodes = new NodeFactory(settings, stats, loops, new ScriptCommands(script));
        this.routes = new SingleRoute(nodes, settings);
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

    public RedisSettings settings() {
        return settings;
    }

    public RedisStats stats() {
        return stats;
    }

    /** How each server is, as of now. */
    public List<NodeHealth> health() {
        return routes.nodes().stream().map(Node::health).toList();
    }

    @Override
    public void decide(Ask ask) {
        stats.asks.increment();
        Checks checks = ask.checks;
        Pending pending = Pending.of(ask);
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            check.failure = null;
            pending.group.add(check);
        }
        pending.group.quotaPassed = checks.quotaPassed;
        if (checks.size() == 0) {
            Delivery.now(pending);
            return;
        }
        send(pending, checks.get(0).name.subject());
    }

    private void send(Pending pending, long subject) {
        Node node = routes.node(pending.slot);
        if (node == null) {
            fail(pending, StoreFailure.UNREACHABLE);
        } else if (node.isOpen()) {
            fail(pending, StoreFailure.OPEN);
        } else {
            node.lane(subject).add(pending);
        }
    }

    private void fail(Pending pending, StoreFailure failure) {
        stats.failed(failure, 1);
        Delivery.fail(pending, failure);
    }

    /** Answers what is under way as failed, and closes all connections. */
    @Override
    public void close() {
        routes.close();
        nodes.close(CLOSING, () -> {
            if (own != null) {
                var unused = own.shutdownGracefully(0, CLOSING.toMillis(), TimeUnit.MILLISECONDS);
            }
        });
    }
}
