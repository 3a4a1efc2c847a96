package dev.weir.redis.internal.connection;

import dev.weir.StoreFailure;
import dev.weir.internal.runtime.Backoff;
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
 * A {@link RedisConnection} to one server that is replaced when it is lost. Everything runs in one event loop, which is
 * also the channel's. Only {@link #down}, {@link #isNew} and {@link #reason} are read by other threads.
 *
 * <h2>Reconnecting</h2>
 *
 * This class reconnects, not Lettuce, because a new connection has a new clock and none of the old connection's
 * commands. The {@linkplain Backoff backoff} starts again from the shortest wait only after a batch was
 * answered. So a server that accepts connections but serves nothing is not flooded. A {@linkplain
 * DeadConnectionDetector dead} connection is treated as a closed one.
 */
public final class ReconnectingConnection implements RedisConnection.Owner {
    /** Creates a connection for its listener. */
    public interface Factory {
        ReconnectingConnection create(Listener listener);
    }

    /** The client options, read for every attempt because files may have changed. */
    public interface Options {
        ClientOptions read() throws IOException;
    }

    private static final Duration FIRST_WAIT = Duration.ofMillis(50);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

    /** Receives changes of the connection, in its event loop. */
    public interface Listener {
        void up();

        void down(StoreFailure failure, String reason);

        /** Called after {@link #down} if the connection was dead: no reply arrived any more. */
        void dead();
    }

    private final EventLoop loop;
    private final RedisClient client;
    private final Options options;
    private final RedisURI uri;
    private final Listener listener;
    private final StoreClock clock = new StoreClock();
    private final Backoff backoff = new Backoff(FIRST_WAIT, LONGEST_WAIT);
    private final long timeoutMillis;

    private @Nullable RedisConnection connection;
    private @Nullable ScheduledFuture<?> next;
    private int generation;
    private boolean ready;
    private boolean closed;
    private volatile @Nullable StoreFailure down = StoreFailure.UNREACHABLE;
    private volatile boolean fresh = true;
    private volatile String reason = "not connected yet";

    public ReconnectingConnection(
            EventLoop loop, RedisClient client, Options options, RedisURI uri, Duration timeout, Listener listener) {
        this.loop = loop;
        this.client = client;
        this.options = options;
        this.uri = uri;
        this.timeoutMillis = timeout.toMillis();
        this.listener = listener;
    }

    public EventLoop loop() {
        return loop;
    }

    public StoreClock clock() {
        return clock;
    }

    /** Returns why nothing can be sent; null if it can. Any thread may call this. */
    @Nullable
    public StoreFailure down() {
        return down;
    }

    /**
     * Returns whether the first attempt to connect is still running, which is worth waiting for. Any thread may call
     * this.
     */
    public boolean isNew() {
        return fresh;
    }

    /** Returns why the connection is down, for people. */
    public String reason() {
        return reason;
    }

    public void open() {
        loop.execute(this::connect);
    }

    /** Sends commands with one flush. Each command's listener is notified, at once if the connection is down. */
    public void send(List<CallbackCommand> calls) {
        RedisConnection current = connection;
        if (current == null || !ready) {
            CallbackCommand.fail(calls, new IllegalStateException(reason));
        } else {
            current.send(calls);
        }
    }

    /** Resets the backoff because Redis answered a batch. */
    public void answered() {
        backoff.reset();
    }

    /** Checks whether the connection is dead, because a reply is overdue. */
    public void replyOverdue() {
        if (connection != null) {
            connection.replyOverdue();
        }
    }

    /** Drops the connection and reconnects, unless that has happened since {@code ofGeneration}. */
    public void renew(int ofGeneration, StoreFailure failure, String why) {
        if (ofGeneration == generation && ready) {
            lost(failure, why);
        }
    }

    /** Returns the number of the current connection, which changes with every reconnect. */
    public int generation() {
        return generation;
    }

    /** Closes the connection and its client. Any thread may call this. */
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
                listener.down(StoreFailure.UNREACHABLE, reason);
            }
            var unused = client.shutdownAsync(0, timeoutMillis, TimeUnit.MILLISECONDS)
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
                    .whenComplete((opened, failed) -> loop.execute(() -> connected(opened, failed)));
        } catch (IOException e) {
            lost(StoreFailure.UNREACHABLE, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            lost(RedisFailures.of(e), RedisFailures.reason(e));
        } catch (LinkageError e) {
            // Otherwise the event loop swallows the error: the connection is never retried, and no log says why.
            lost(StoreFailure.BROKEN, LettuceVersion.mismatch(e));
        }
    }

    private void connected(@Nullable StatefulRedisConnection<byte[], byte[]> opened, @Nullable Throwable failed) {
        if (opened != null) {
            readClock(new RedisConnection(loop, opened, this));
        } else if (!closed) {
            lost(RedisFailures.of(failed), RedisFailures.reason(failed));
        }
    }

    /** Reads Redis's clock before anything is sent, because every batch has an expiry on that clock. */
    private void readClock(RedisConnection opened) {
        if (closed) {
            opened.close();
            return;
        }
        connection = opened;
        opened.askTime(clock, timeoutMillis, () -> {
            ready = true;
            fresh = false;
            down = null;
            reason = "";
            listener.up();
        });
    }

    @Override
    public void dead() {
        lost(StoreFailure.UNREACHABLE, "no answer");
        listener.dead();
    }

    @Override
    public void lost(StoreFailure failure, String why) {
        drop();
        fresh = false;
        down = failure;
        reason = why;
        listener.down(failure, why);
        next = loop.schedule(this::connect, backoff.nextNanos(), TimeUnit.NANOSECONDS);
    }

    private void drop() {
        generation++;
        ready = false;
        clock.forget();
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }
}
