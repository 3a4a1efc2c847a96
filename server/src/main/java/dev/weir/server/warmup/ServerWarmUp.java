package dev.weir.server.warmup;

import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleSet;
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
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets the JVM compile the decision path before anyone waits for it. A cold JVM answers its first requests in half a second,
 * and Envoy waits 20 ms. Calls come in over real sockets on loopback, through the same lane, codec, limiter and REST; but rules,
 * counters, health and metrics are throw-away ones, so that none of the user's is touched. Where counters live in Redis the calls
 * go through it, too: by a connection of their own that nobody's breaker listens to, to counters that are gone a second later.
 */
public final class ServerWarmUp {
    private static final System.Logger LOG = System.getLogger(ServerWarmUp.class.getName());
    private static final String LOOPBACK = "127.0.0.1";
    private static final int KEYS = 1_024;
    private static final int GRPC_CALLS = 30_000;
    private static final int HTTP_CALLS = 8_000;
    private static final int HTTP_CALLERS = 8;
    /** Where Redis has a deadline to meet, a cold server is a degraded one: it takes so much longer, if it needs it. */
    private static final int LONGER_WITH_REDIS = 10;

    private static final long PATIENCE_SECONDS = 2;
    private static final Duration CONNECTING = Duration.ofSeconds(2);
    /** So long may a cold JVM take for a script call that should take a millisecond. */
    private static final Duration COLD = Duration.ofSeconds(2);

    /** Two subjects, so that on a cluster requests are decided in parts, as some will be. */
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
    private final SteadyStateDetector calm;

    private ServerWarmUp(
            Vertx vertx, EventLoopGroup group, @Nullable RedisSettings settings, @Nullable RedisSharedStore serving) {
        this.vertx = vertx;
        this.group = group;
        RuleSet rules =
                Objects.requireNonNull(RuleLoader.parse("warm-up", RULES).rules());
        RuleMetrics metrics = new RuleMetrics(time, false);
        metrics.rules(rules);
        // One of its own would say again of a Redis that is away that it is.
        redis = settings != null && serving != null && isThere(serving)
                ? RedisSharedStore.open(settings.withDeadline(COLD), group)
                : null;
        limiter = new Limiter(
                rules,
                store,
                redis != null && isThere(redis) ? SharedStores.of(redis) : SharedStores.none(),
                time,
                LimiterSettings.defaults().withDeadlineMicros(COLD.toNanos() / 1_000),
                metrics);
        calm = new SteadyStateDetector(
                settings == null ? Long.MAX_VALUE : settings.deadline().toNanos() / 2);
        health.set(Health.State.SERVING);
    }

    private static boolean isThere(RedisSharedStore redis) {
        long until = System.nanoTime() + CONNECTING.toNanos();
        while (System.nanoTime() < until) {
            if (!redis.health().isEmpty() && redis.health().stream().allMatch(NodeHealth::serves)) {
                return true;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
        return false;
    }

    /** Warms for {@code atMost}, through Redis if it is there for the stores that serve; what goes wrong is no reason not to. */
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
        long most = warmUp.limiter.stores().isEmpty() ? atMost.toNanos() : LONGER_WITH_REDIS * atMost.toNanos();
        try {
            int grpc = warmUp.grpc(start + most / 2);
            int http = warmUp.http(start + most);
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            LOG.log(Level.DEBUG, "warmed up with " + grpc + " gRPC and " + http + " HTTP calls in " + millis + " ms");
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.WARNING, "the decision path could not be warmed; the first requests will be slow: " + e);
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
        GrpcServer lane = new GrpcServer(
                Decider.of(limiter), time, GrpcServerSettings.defaults(), health, GrpcServerObserver.NONE);
        Channel listening = join(lane.bind(group, LOOPBACK, 0).toCompletableFuture());
        try (WarmUpClient calls = new WarmUpClient(port(listening))) {
            return calls.grpc(GRPC_CALLS, calm, until);
        } finally {
            join(lane.drain(Duration.ZERO).toCompletableFuture());
        }
    }

    private int http(long until) throws IOException {
        RestApi api = new RestApi(limiter, time, health, RestSettings.defaults(), RlsSettings.defaults());
        HttpListeners surfaces = new HttpListeners(vertx);
        ListenAddress listening = join(surfaces.listen(
                        new ListenAddress(LOOPBACK, 0), RestApi.serverOptions(), null, 1, () -> api.routes(vertx))
                .toCompletionStage()
                .toCompletableFuture());
        List<WarmUpClient> callers = new ArrayList<>();
        try {
            for (int i = 0; i < HTTP_CALLERS; i++) {
                callers.add(new WarmUpClient(listening.port()));
            }
            return WarmUpClient.http(callers, HTTP_CALLS, calm, until);
        } finally {
            for (WarmUpClient each : callers) {
                each.close();
            }
            join(surfaces.shutdown(Duration.ZERO).toCompletionStage().toCompletableFuture());
        }
    }

    private static int port(Channel listening) {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    private static <T> T join(CompletableFuture<T> future) {
        try {
            return future.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            throw new IllegalStateException(String.valueOf(e.getCause()), e);
        }
    }
}
