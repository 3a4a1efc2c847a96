package dev.weir.redis.internal.connection;

import dev.weir.StoreFailure;
import dev.weir.internal.store.StoreClock;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RedisConnection} to one server, and the next one after it is lost. All of it happens in one event loop, which is the channel's
 * too; only {@link #down} is read elsewhere.
 *
 * <h2>Reconnecting</h2>
 *
 * Ours and not Lettuce's, because a new connection has a new clock and no commands of the old one. {@linkplain ReconnectBackoff Waits} start
 * over only once a batch was answered: a server that accepts connections and serves nothing is not hammered. A connection that has
 * fallen {@linkplain DeadConnectionDetector silent} is given up as one that was closed.
 */
public final class ReconnectingConnection implements RedisConnection.Owner {
    /** Makes a line for its user. */
    public interface Factory {
        ReconnectingConnection line(User user);
    }

    /** How it connects: asked anew each time, for files may have changed. */
    public interface Options {
        ClientOptions read() throws IOException;
    }

    /** Who uses the line. Called in its event loop. */
    public interface User {
        void up();

        public void down(StoreFailure failure, String reason);

        /** It is down because nothing came over it any more. */
        void silent();
    }

    private final EventLoop loop;
    private final RedisClient client;
    private final Options options;
    private final RedisURI uri;
    private final User user;
    private final StoreClock clock = new StoreClock();
    private final ReconnectBackoff backOff = new ReconnectBackoff();
    private final long patienceMillis;

    private @Nullable RedisConnection connection;
    private @Nullable ScheduledFuture<?> next;
    private int generation;
    private boolean ready;
    private boolean closed;
    private volatile @Nullable StoreFailure down = StoreFailure.UNREACHABLE;
    private volatile boolean fresh = true;
    private volatile String reason = "not connected yet";

    public ReconnectingConnection(
            EventLoop loop, RedisClient client, Options options, RedisURI uri, Duration patience, User user) {
        this.loop = loop;
        this.client = client;
        this.options = options;
        this.uri = uri;
        this.patienceMillis = patience.toMillis();
        this.user = user;
    }

    public EventLoop loop() {
        return loop;
    }

    public StoreClock clock() {
        return clock;
    }

    /** Why nothing can be sent; null if it can. Any thread may ask. */
    @Nullable
    public StoreFailure down() {
        return down;
    }

    /** Whether the first connection is still being made: that is worth waiting for. Any thread may ask. */
    public boolean isNew() {
        return fresh;
    }

    /** Why it is down, for people. */
    public String reason() {
        return reason;
    }

    public void open() {
        loop.execute(this::connect);
    }

    /** Sends commands with one flush. Each is told what came of it, at once if the line is down. */
    public void send(List<CallbackCommand> calls) {
        RedisConnection current = connection;
        if (current == null || !ready) {
            CallbackCommand.fail(calls, new IllegalStateException(reason));
        } else {
            current.send(calls);
        }
    }

    /** Redis serves: waits between connections start from the shortest again. */
    public void served() {
        backOff.startOver();
    }

    /** Somebody was not answered in time: it may be the connection that is dead. */
    public void doubt() {
        if (connection != null) {
            connection.doubt();
        }
    }

    /** Gives the connection up and gets another one, if it still is the one of {@code ofGeneration}. */
    public void renew(int ofGeneration, StoreFailure failure, String why) {
        if (ofGeneration == generation && ready) {
            lost(failure, why);
        }
    }

    /** Which of the connections this is. */
    public int generation() {
        return generation;
    }

    /** Closes the connection, and its client with it; any thread may. Done when that is. */
    public CompletableFuture<Void> close() {
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
                        LettuceSetup.shutDown(client.getResources());
                        done.complete(null);
                    });
        });
        return done;
    }

    private void connect() {
        if (closed) {
            return;
        }
        try {
            client.setOptions(options.read());
            var unused = client.connectAsync(ByteArrayCodec.INSTANCE, uri)
                    .whenComplete((made, failed) -> loop.execute(() -> connected(made, failed)));
        } catch (IOException e) {
            lost(StoreFailure.UNREACHABLE, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            lost(RedisFailures.of(e), RedisFailures.reason(e));
        } catch (LinkageError e) {
            // Else the event loop swallows it, nobody connects again, and nobody is told why.
            lost(StoreFailure.BROKEN, LettuceVersion.mismatch(e));
        }
    }

    private void connected(@Nullable StatefulRedisConnection<byte[], byte[]> made, @Nullable Throwable failed) {
        if (made != null) {
            greet(new RedisConnection(loop, made, this));
        } else if (!closed) {
            lost(RedisFailures.of(failed), RedisFailures.reason(failed));
        }
    }

    /** Nothing is sent before Redis's clock is known: every batch says until when it is good. */
    private void greet(RedisConnection made) {
        if (closed) {
            made.hangUp();
            return;
        }
        connection = made;
        made.askTime(clock, patienceMillis, () -> {
            ready = true;
            fresh = false;
            down = null;
            reason = "";
            user.up();
        });
    }

    @Override
    public void silent() {
        lost(StoreFailure.UNREACHABLE, "no answer");
        user.silent();
    }

    @Override
    public void lost(StoreFailure failure, String why) {
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
        if (connection != null) {
            connection.hangUp();
            connection = null;
        }
    }
}
