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
 * A command that has nothing to do with deciding, on keys of one subject, wherever they live by now: it goes where a cluster sends it,
 * and waits there for who is to come, which after a failover is a moment. What may have been carried out is not sent again.
 */
public final class RoutedCommand {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Early enough for it to be said why. */
    private static final long LAST_TRY_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

    private static final Executor SOON = CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS);
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

    /** What Redis answers; it fails with what Redis says, or why it says nothing, within a second. */
    public static CompletableFuture<List<Object>> run(
            RedisRoutes routes, long subject, CommandType type, byte[]... arguments) {
        return new RoutedCommand(routes, subject, type, arguments)
                .send()
                .orTimeout(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
    }

    private CompletableFuture<List<Object>> send() {
        RedisNode node = routes.node(routes.bySlot() ? RedisKey.slot(subject) : 0);
        return node == null ? sendSoon(new IOException("redis: nobody is known to serve this")) : send(node, false);
    }

    private CompletableFuture<List<Object>> send(RedisNode node, boolean asking) {
        ReconnectingConnection line = node.lane(subject).line();
        return line.down() != null
                ? sendSoon(new IOException("redis: " + line.reason()))
                : PlainCommand.run(line, asking, type, arguments).exceptionallyCompose(failed -> failed(node, failed));
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
                return sendSoon(why);
            }
        }
        return CompletableFuture.failedFuture(why);
    }

    /** Tries it once more, where another may serve it by then. */
    private CompletableFuture<List<Object>> sendSoon(Throwable why) {
        return !routes.bySlot() || System.nanoTime() - lastTryNanos > 0
                ? CompletableFuture.failedFuture(why)
                : CompletableFuture.runAsync(() -> {}, SOON).thenCompose(waited -> send());
    }
}
