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

/** One connection to one server, until it is lost or hung up. Used in the event loop that is its channel's. */
final class RedisConnection {
    /** Who wants to know that it is of no use any more. */
    interface Owner {
        void lost(StoreFailure failure, String why);

        /** It stands, and nothing comes over it any more. */
        void silent();
    }

    private final EventLoop loop;
    private final StatefulRedisConnection<byte[], byte[]> lettuce;
    private final Owner owner;
    private final DeadConnectionDetector silence;
    private boolean over;

    RedisConnection(EventLoop loop, StatefulRedisConnection<byte[], byte[]> made, Owner owner) {
        this.loop = loop;
        this.lettuce = made;
        this.owner = owner;
        this.silence = new DeadConnectionDetector(loop, owner::silent);
        made.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> gone) {
                loop.execute(() -> lost(StoreFailure.UNREACHABLE, RedisFailures.CLOSED));
            }
        });
    }

    /** Has Redis tell {@code clock} its time and then does {@code told}, or is lost. */
    void askTime(StoreClock clock, long patienceMillis, Runnable told) {
        long sent = System.nanoTime();
        ScheduledFuture<?> patience = loop.schedule(
                () -> lost(StoreFailure.UNREACHABLE, "no answer to TIME"), patienceMillis, TimeUnit.MILLISECONDS);
        lettuce.dispatch(new CallbackCommand(
                CommandType.TIME, new CommandArgs<>(ByteArrayCodec.INSTANCE), (reply, failed, error) -> {
                    patience.cancel(false);
                    if (over) {
                        return;
                    }
                    if (reply != null && reply.size() == 2) {
                        clock.sample(sent, System.nanoTime(), number(reply.get(0)) * 1_000_000 + number(reply.get(1)));
                        told.run();
                    } else if (error == null) {
                        lost(RedisFailures.of(failed), RedisFailures.reason(failed));
                    } else {
                        lost(RedisFailures.ofError(error), error);
                    }
                }));
    }

    /** Sends commands with one flush. Each is told what came of it. */
    void send(List<CallbackCommand> calls) {
        silence.sent(calls.size());
        for (CallbackCommand each : calls) {
            each.goesOver(silence);
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

    /** Somebody was not answered in time: it may be dead. */
    void doubt() {
        silence.doubt();
    }

    private void lost(StoreFailure failure, String why) {
        if (!over) {
            owner.lost(failure, why);
        }
    }

    /** Its owner hears nothing of it any more; what is under way fails. */
    void hangUp() {
        over = true;
        silence.end();
        var unused = lettuce.closeAsync();
    }

    private static long number(@Nullable Object digits) {
        return Long.parseLong(new String((byte[]) Objects.requireNonNull(digits), StandardCharsets.US_ASCII));
    }
}
