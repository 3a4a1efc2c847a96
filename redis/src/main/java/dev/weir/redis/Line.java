package dev.weir.redis;

import dev.weir.store.StoreClock;
import dev.weir.store.StoreFailure;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection to one server, and the next one after it is lost. All of it happens in one event loop, which is the channel's
 * too; only {@link #down} is read elsewhere.
 *
 * <h2>Reconnecting</h2>
 *
 * Ours and not Lettuce's, because a new connection has a new clock and no commands of the old one. {@linkplain BackOff Waits} start
 * over only once a batch was answered: a server that accepts connections and serves nothing is not hammered. A connection that has
 * fallen {@linkplain Silence silent} is given up as one that was closed.
 */
final class Line {
    /** Makes a line for its user. */
    interface Factory {
        Line line(User user);
    }

    /** Who uses the line. Called in its event loop. */
    interface User {
        void up();

        void down(StoreFailure failure, String reason);
    }

    private final EventLoop loop;
    private final RedisClient client;
    private final RedisURI uri;
    private final User user;
    private final StoreClock clock = new StoreClock();
    private final BackOff backOff = new BackOff();
    private final long patienceMillis;

    private @Nullable StatefulRedisConnection<byte[], byte[]> connection;
    private Silence silence;
    private @Nullable ScheduledFuture<?> next;
    private int generation;
    private boolean ready;
    private boolean closed;
    private volatile @Nullable StoreFailure down = StoreFailure.UNREACHABLE;
    private volatile boolean fresh = true;
    private volatile String reason = "not connected yet";

    Line(EventLoop loop, RedisClient client, RedisURI uri, Duration patience, User user) {
        this.loop = loop;
        this.client = client;
        this.uri = uri;
        this.patienceMillis = patience.toMillis();
        this.user = user;
        this.silence = new Silence(loop, () -> {});
    }

    EventLoop loop() {
        return loop;
    }

    StoreClock clock() {
        return clock;
    }

    /** Why nothing can be sent; null if it can. Any thread may ask. */
    @Nullable
    StoreFailure down() {
        return down;
    }

    /** Whether the first connection is still being made: that is worth waiting for. Any thread may ask. */
    boolean isNew() {
        return fresh;
    }

    /** Why it is down, for people. */
    String reason() {
        return reason;
    }

    void open() {
        loop.execute(this::connect);
    }

    /** Sends commands with one flush. Each is told what came of it, at once if the line is down. */
    void send(List<ScriptCall> calls) {
        StatefulRedisConnection<byte[], byte[]> current = connection;
        if (current == null || !ready) {
            fail(calls, new IllegalStateException(reason));
            return;
        }
        silence.sent(calls.size());
        for (ScriptCall each : calls) {
            each.goesOver(silence);
        }
        try {
            if (calls.size() == 1) {
                current.dispatch(calls.get(0));
            } else {
                current.dispatch(calls);
            }
        } catch (RuntimeException e) {
            fail(calls, e);
        }
    }

    private static void fail(List<ScriptCall> calls, RuntimeException why) {
        for (ScriptCall each : calls) {
            each.completeExceptionally(why);
        }
    }

    /** Redis serves: waits between connections start from the shortest again. */
    void served() {
        backOff.startOver();
    }

    /** Somebody was not answered in time: it may be the connection that is dead. */
    void doubt() {
        silence.doubt();
    }

    /** Gives the connection up and gets another one, if it still is the one of {@code ofGeneration}. */
    void renew(int ofGeneration, StoreFailure failure, String why) {
        if (ofGeneration == generation && ready) {
            lost(generation, failure, why);
        }
    }

    /** Which of the connections this is. */
    int generation() {
        return generation;
    }

    /** Closes the connection, and its client with it; any thread may. Done when that is. */
    CompletableFuture<Void> close() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        loop.execute(() -> {
            if (!closed) {
                closed = true;
                if (next != null) {
                    next.cancel(false);
                }
                drop();
                fresh = false;
                down = StoreFailure.UNREACHABLE;
                reason = "closed";
                user.down(StoreFailure.UNREACHABLE, reason);
            }
            var unused = client.shutdownAsync(0, patienceMillis, TimeUnit.MILLISECONDS)
                    .whenComplete((shut, failed) -> {
                        LettuceParts.shutDown(client.getResources());
                        done.complete(null);
                    });
        });
        return done;
    }

    private void connect() {
        if (closed) {
            return;
        }
        int mine = ++generation;
        try {
            var unused = client.connectAsync(ByteArrayCodec.INSTANCE, uri)
                    .whenComplete((made, failed) -> loop.execute(() -> {
                        if (failed != null) {
                            lost(mine, Failures.of(failed), Failures.reason(failed));
                        } else {
                            connected(mine, made);
                        }
                    }));
        } catch (RuntimeException e) {
            lost(mine, Failures.of(e), Failures.reason(e));
        }
    }

    private void connected(int mine, StatefulRedisConnection<byte[], byte[]> made) {
        if (closed || mine != generation) {
            hangUp(made);
            return;
        }
        connection = made;
        silence = new Silence(loop, () -> lost(mine, StoreFailure.UNREACHABLE, "no answer"));
        made.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> gone) {
                loop.execute(() -> lost(mine, StoreFailure.UNREACHABLE, "the connection was closed"));
            }
        });
        askTime(mine, made);
    }

    /** Nothing is sent before Redis's clock is known: every batch says until when it is good. */
    private void askTime(int mine, StatefulRedisConnection<byte[], byte[]> made) {
        long sent = System.nanoTime();
        ScheduledFuture<?> patience = loop.schedule(
                () -> lost(mine, StoreFailure.UNREACHABLE, "no answer to TIME"), patienceMillis, TimeUnit.MILLISECONDS);
        made.dispatch(new ScriptCall(
                CommandType.TIME, new CommandArgs<>(ByteArrayCodec.INSTANCE), (reply, failed, error) -> {
                    patience.cancel(false);
                    if (mine != generation) {
                        return;
                    }
                    if (reply == null || reply.size() != 2) {
                        StoreFailure failure = error == null ? Failures.of(failed) : Failures.ofError(error);
                        lost(mine, failure, error == null ? Failures.reason(failed) : error);
                        return;
                    }
                    clock.sample(sent, System.nanoTime(), number(reply.get(0)) * 1_000_000 + number(reply.get(1)));
                    ready = true;
                    fresh = false;
                    down = null;
                    reason = "";
                    user.up();
                }));
    }

    private void lost(int mine, StoreFailure failure, String why) {
        if (closed || mine != generation) {
            return;
        }
        drop();
        fresh = false;
        down = failure;
        reason = why;
        user.down(failure, why);
        next = loop.schedule(this::connect, backOff.nextNanos(), TimeUnit.NANOSECONDS);
    }

    private void drop() {
        generation++;
        ready = false;
        clock.forget();
        silence.end();
        StatefulRedisConnection<byte[], byte[]> old = connection;
        connection = null;
        if (old != null) {
            hangUp(old);
        }
    }

    private static void hangUp(StatefulRedisConnection<byte[], byte[]> connection) {
        var unused = connection.closeAsync();
    }

    private static long number(@Nullable Object digits) {
        return Long.parseLong(new String((byte[]) Objects.requireNonNull(digits), StandardCharsets.US_ASCII));
    }
}
