package dev.weir.server.warmup;

import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.model.Rule;
import dev.weir.internal.queue.RequestQueues;
import dev.weir.internal.queue.WaitTimer;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.redis.internal.node.NodeHealth;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.server.grpc.Decider;
import dev.weir.server.grpc.GrpcServer;
import dev.weir.server.grpc.GrpcServerObserver;
import dev.weir.server.grpc.GrpcServerSettings;
import dev.weir.server.health.Health;
import dev.weir.server.http.PortHandler;
import dev.weir.server.listener.HttpListeners;
import dev.weir.server.metrics.RuleMetrics;
import dev.weir.server.rest.RestApi;
import dev.weir.server.rest.RestSettings;
import dev.weir.server.rls.RlsSettings;
import dev.weir.server.settings.ListenAddress;
import dev.weir.server.stores.ServerStores;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets the JVM compile the decision path before the first caller waits for it.
 *
 * <p>A cold JVM answers its first requests in half a second, and Envoy waits 20 ms. The warm-up calls arrive over
 * loopback sockets and pass through the same gRPC server, codec, limiter and REST API. Rules, counters, health and
 * metrics are throw-away ones, so that none of the user's is touched.
 *
 * <p>If counters live in Redis, the calls go through Redis too: over a connection of their own that no breaker
 * observes, to counters that expire a second later.
 */
public final class ServerWarmUp {
    private static final System.Logger LOG = System.getLogger(ServerWarmUp.class.getName());
    private static final String LOOPBACK = "127.0.0.1";
    private static final int KEYS = 1_024;
    private static final int GRPC_CALLS = 30_000;
    private static final int HTTP_CALLS = 8_000;
    private static final int HTTP_CALLERS = 8;
    /**
     * Factor on the time limit with Redis: a cold server would miss the deadline of its store and count as degraded.
     */
    private static final int LONGER_WITH_REDIS = 10;

    private static final long JOIN_TIMEOUT_SECONDS = 2;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    /** Deadline of the warm-up calls to Redis: a cold JVM may need this long for a script call of a millisecond. */
    private static final Duration COLD_DEADLINE = Duration.ofSeconds(2);

    /** Rules with two different keys, so that on a cluster some requests need several slots, as real ones do. */
    private static final String RULES = """
            domain: %s
            key_by: user_id
            rules:
              - { name: bucket, limit: { requests: 1000000, window: 1s } }
              - { name: window, key_by: endpoint, limit: { requests: 1000000, window: 1s, algorithm: fixed_window } }
              - { name: tight, shadow: true, limit: { requests: 10, window: 1s, algorithm: sliding_window } }
              - { name: over, match: { user_id: %s }, limit: { requests: 100, window: 1s, algorithm: fixed_window } }
            """.formatted(WarmUpClient.DOMAIN, WarmUpClient.BUSY);

    private final Vertx vertx;
    private final EventLoopGroup group;
    private final TimeSource time = TimeSource.system();
    private final Health health = new Health();
    private final MemoryStore store = new MemoryStore(KEYS);
    private final @Nullable RedisSharedStore redis;
    private final Limiter limiter;
    private final SteadyStateDetector steady;

    private ServerWarmUp(
            Vertx vertx, EventLoopGroup group, @Nullable RedisSettings settings, @Nullable RedisSharedStore serving) {
        this.vertx = vertx;
        this.group = group;
        RuleIndex rules = RuleIndex.of(RuleLoader.parse("warm-up", RULES).orThrow());
        RuleMetrics metrics = new RuleMetrics(time, false, null);
        metrics.rules(rules);
        // Only if the serving connection is up: a second connection to an unreachable Redis would log the outage again.
        redis = settings != null && serving != null && isConnected(serving)
                ? RedisSharedStore.open(settings.withDeadline(COLD_DEADLINE), group)
                : null;
        limiter = new Limiter(
                rules,
                store,
                redis != null && isConnected(redis) ? SharedStores.of(redis) : SharedStores.none(),
                time,
                LimiterSettings.defaults().withDeadlineMicros(COLD_DEADLINE.toNanos() / 1_000),
                metrics);
        steady = new SteadyStateDetector(
                settings == null ? Long.MAX_VALUE : settings.deadline().toNanos() / 2);
        health.set(Health.State.SERVING);
    }

    private static boolean isConnected(RedisSharedStore redis) {
        long until = System.nanoTime() + CONNECT_TIMEOUT.toNanos();
        while (System.nanoTime() < until) {
            if (!redis.health().isEmpty() && redis.health().stream().allMatch(NodeHealth::serves)) {
                return true;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
        return false;
    }

    /**
     * Warms up for at most {@code atMost}, through Redis if the serving store is connected. A failure is only logged.
     */
    public static void run(
            Vertx vertx,
            EventLoopGroup group,
            Map<String, RedisSettings> stores,
            ServerStores serving,
            Duration atMost) {
        String name = stores.isEmpty() || stores.containsKey(Rule.DEFAULT_STORE)
                ? Rule.DEFAULT_STORE
                : stores.keySet().iterator().next();
        ServerWarmUp warmUp =
                new ServerWarmUp(vertx, group, stores.get(name), serving.redis().get(name));
        long start = System.nanoTime();
        long limitNanos = warmUp.limiter.stores().isEmpty() ? atMost.toNanos() : LONGER_WITH_REDIS * atMost.toNanos();
        try {
            int grpc = warmUp.grpc(start + limitNanos / 2);
            int http = warmUp.http(start + limitNanos);
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            LOG.log(Level.DEBUG, "warmed up with " + grpc + " gRPC and " + http + " HTTP calls in " + millis + " ms");
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.WARNING, "warm-up failed; the first requests will be slow: " + e);
        } finally {
            warmUp.close();
        }
    }

    private void close() {
        store.close();
        if (redis != null) {
            redis.close();
        }
    }

    private int grpc(long until) throws IOException {
        GrpcServer server = new GrpcServer(
                Decider.of(limiter), time, GrpcServerSettings.defaults(), health, GrpcServerObserver.NONE);
        Channel listening = join(server.bind(group, LOOPBACK, 0).toCompletableFuture());
        try (WarmUpClient calls = new WarmUpClient(port(listening))) {
            return calls.grpc(GRPC_CALLS, steady, until);
        } finally {
            join(server.drain(Duration.ZERO).toCompletableFuture());
        }
    }

    private int http(long until) throws IOException {
        RequestQueues queues = new RequestQueues(limiter, time, new LimiterObserver() {}, new WaitTimer());
        RestApi api = new RestApi(limiter, queues, time, health, RestSettings.defaults(), RlsSettings.defaults());
        HttpListeners listeners = new HttpListeners(vertx);
        ListenAddress listening = join(listeners
                .listen(
                        new ListenAddress(LOOPBACK, 0),
                        RestApi.serverOptions(),
                        null,
                        1,
                        () -> new PortHandler(api.routes(vertx), api.direct()))
                .toCompletionStage()
                .toCompletableFuture());
        List<WarmUpClient> callers = new ArrayList<>();
        try {
            for (int i = 0; i < HTTP_CALLERS; i++) {
                callers.add(new WarmUpClient(listening.port()));
            }
            return WarmUpClient.http(callers, HTTP_CALLS, steady, until);
        } finally {
            for (WarmUpClient each : callers) {
                each.close();
            }
            join(listeners.shutdown(Duration.ZERO).toCompletionStage().toCompletableFuture());
        }
    }

    private static int port(Channel listening) {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    private static <T> T join(CompletableFuture<T> future) {
        try {
            return future.orTimeout(JOIN_TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            throw new IllegalStateException(String.valueOf(e.getCause()), e);
        }
    }
}
