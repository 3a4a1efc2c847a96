package dev.weir.redis.internal.node;

import dev.weir.internal.batching.BatchingLoop;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** The event loop of a connection, in real time. */
final class NettyLoop implements BatchingLoop {
    private final EventLoop loop;

    NettyLoop(EventLoop loop) {
        this.loop = loop;
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public void execute(Runnable task) {
        loop.execute(task);
    }

    @Override
    public Alarm after(long nanos, Runnable task) {
        ScheduledFuture<?> set = loop.schedule(task, nanos, TimeUnit.NANOSECONDS);
        return () -> set.cancel(false);
    }
}
