package dev.weir.redis.internal.connection;

import dev.weir.StoreFailure;
import dev.weir.internal.store.StoreClock;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One connection to one server, until it is lost or closed. Used in the event loop of its channel. */
final class RedisConnection {
    /** Receives the end of the connection. */
    interface Owner {
        void lost(StoreFailure failure, String why);

        /** Called if the connection is open but no reply arrives any more. */
        void dead();
    }

    private final EventLoop loop;
    private final StatefulRedisConnection<byte[], byte[]> lettuce;
    private final Owner owner;
    private final DeadConnectionDetector detector;
    private boolean closed;

    RedisConnection(EventLoop loop, StatefulRedisConnection<byte[], byte[]> opened, Owner owner) {
        this.loop = loop;
        this.lettuce = opened;
        this.owner = owner;
        this.detector = new DeadConnectionDetector(loop, owner::dead);
        opened.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> gone) {
                loop.execute(() -> lost(StoreFailure.UNREACHABLE, RedisFailures.CLOSED));
            }
        });
    }

    /**
     * Reads Redis's time into {@code clock} and then runs {@code done}; reports the connection as lost if that fails.
     */
    void askTime(StoreClock clock, long timeoutMillis, Runnable done) {
        long sent = System.nanoTime();
        ScheduledFuture<?> timeout = loop.schedule(
                () -> lost(StoreFailure.UNREACHABLE, "no answer to TIME"), timeoutMillis, TimeUnit.MILLISECONDS);
        lettuce.dispatch(new CallbackCommand(
                CommandType.TIME, new CommandArgs<>(ByteArrayCodec.INSTANCE), (reply, failed, error) -> {
                    timeout.cancel(false);
                    if (closed) {
                        return;
                    }
                    if (reply != null && reply.size() == 2) {
                        clock.sample(sent, System.nanoTime(), number(reply.get(0)) * 1_000_000 + number(reply.get(1)));
                        done.run();
                    } else if (error == null) {
                        lost(RedisFailures.of(failed), RedisFailures.reason(failed));
                    } else {
                        lost(RedisFailures.ofError(error), error);
                    }
                }));
    }

    /** Sends commands with one flush. Each command's listener is notified of the result. */
    void send(List<CallbackCommand> calls) {
        detector.sent(calls.size());
        for (CallbackCommand each : calls) {
            each.sentOver(detector);
        }
        try {
            if (calls.size() == 1) {
                lettuce.dispatch(calls.get(0));
            } else {
                lettuce.dispatch(calls);
            }
        } catch (RuntimeException e) {
            CallbackCommand.fail(calls, e);
        }
    }

    /** Checks whether the connection is dead, because a reply is overdue. */
    void replyOverdue() {
        detector.replyOverdue();
    }

    private void lost(StoreFailure failure, String why) {
        if (!closed) {
            owner.lost(failure, why);
        }
    }

    /** Closes the connection. Commands in flight fail, and the owner is not notified any more. */
    void close() {
        closed = true;
        detector.stop();
        var unused = lettuce.closeAsync();
    }

    private static long number(@Nullable Object digits) {
        return Long.parseLong(new String((byte[]) Objects.requireNonNull(digits), StandardCharsets.US_ASCII));
    }
}
