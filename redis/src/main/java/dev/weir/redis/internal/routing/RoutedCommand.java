package dev.weir.redis.internal.routing;

import dev.weir.redis.internal.connection.ClusterRedirect;
import dev.weir.redis.internal.connection.PlainCommand;
import dev.weir.redis.internal.connection.ReconnectingConnection;
import dev.weir.redis.internal.connection.RedisFailures;
import dev.weir.redis.internal.node.RedisNode;
import dev.weir.redis.internal.script.RedisKey;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * A command that is not part of a decision, on the keys of one subject, wherever they are. It follows redirects of a
 * cluster, and waits for a new master, which takes a moment after a failover. A command that may have been executed is
 * not sent again.
 */
public final class RoutedCommand {
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Before the timeout, so that the future fails with the actual reason. */
    private static final long LAST_TRY_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

    private static final Executor RETRY_DELAY = CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS);
    private static final int MOST_REDIRECTS = 16;

    private final RedisRoutes routes;
    private final long subject;
    private final CommandType type;
    private final byte[][] arguments;
    private final long lastTryNanos = System.nanoTime() + LAST_TRY_NANOS;
    private int redirects;

    private RoutedCommand(RedisRoutes routes, long subject, CommandType type, byte[][] arguments) {
        this.routes = routes;
        this.subject = subject;
        this.type = type;
        this.arguments = arguments;
    }

    /** Sends a command. The future fails with Redis's error, or with the reason of no reply, within a second. */
    public static CompletableFuture<List<Object>> run(
            RedisRoutes routes, long subject, CommandType type, byte[]... arguments) {
        return new RoutedCommand(routes, subject, type, arguments)
                .send()
                .orTimeout(TIMEOUT_NANOS, TimeUnit.NANOSECONDS);
    }

    private CompletableFuture<List<Object>> send() {
        RedisNode node = routes.node(routes.hasHashSlots() ? RedisKey.slot(subject) : 0);
        return node == null
                ? retrySoon(new IOException("redis: no node is known for this hash slot"))
                : send(node, false);
    }

    private CompletableFuture<List<Object>> send(RedisNode node, boolean asking) {
        ReconnectingConnection connection = node.batcher(subject).connection();
        return connection.down() != null
                ? retrySoon(new IOException("redis: " + connection.reason()))
                : PlainCommand.run(connection, asking, type, arguments)
                        .exceptionallyCompose(failed -> failed(node, failed));
    }

    private CompletableFuture<List<Object>> failed(RedisNode node, Throwable failed) {
        Throwable why = failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
        if (why instanceof PlainCommand.Refusal refusal) {
            ClusterRedirect redirect = ClusterRedirect.of(refusal.error);
            RedisNode target = redirect == null ? null : node.redirected(redirect);
            if (redirect != null && target != null && redirects++ < MOST_REDIRECTS) {
                return send(target, redirect.ask());
            }
            if (RedisFailures.code(refusal.error).equals("CLUSTERDOWN")) {
                return retrySoon(why);
            }
        }
        return CompletableFuture.failedFuture(why);
    }

    /** Retries soon in a cluster, where another node may serve the hash slot by then. */
    private CompletableFuture<List<Object>> retrySoon(Throwable why) {
        return !routes.hasHashSlots() || System.nanoTime() - lastTryNanos > 0
                ? CompletableFuture.failedFuture(why)
                : CompletableFuture.runAsync(() -> {}, RETRY_DELAY).thenCompose(waited -> send());
    }
}
