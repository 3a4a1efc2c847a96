package dev.weir.server.grpc;

import dev.weir.TimeSource;
import dev.weir.server.grpc.service.GrpcService;
import dev.weir.server.health.Health;
import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.memory.MemoryLimits;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetSocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** A gRPC server on a port of its own, for one test. */
final class TestGrpcServer implements AutoCloseable {
    final Health health = new Health();
    final Queue<String> cutOff = new ConcurrentLinkedQueue<>();
    final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    final GrpcServer server;
    private final EventLoopGroup loops;
    private final Channel channel;

    TestGrpcServer(Decider decider) {
        this(decider, GrpcServerSettings.defaults());
    }

    TestGrpcServer(Decider decider, GrpcServerSettings settings) {
        this(decider, settings, GrpcServer.NO_QUOTAS);
    }

    TestGrpcServer(Decider decider, GrpcServerSettings settings, GrpcService quotas) {
        loops = new MultiThreadIoEventLoopGroup(
                1, Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        GrpcServerObserver observer = new GrpcServerObserver() {
            @Override
            public void cutOff(String reason) {
                cutOff.add(reason);
            }

            @Override
            public void failed(Throwable cause) {
                failures.add(cause);
            }
        };
        MemoryBudget memory = new MemoryBudget(MemoryLimits.ofThisProcess());
        server = new GrpcServer(decider, TimeSource.system(), settings, health, observer, quotas, memory);
        health.set(Health.State.SERVING);
        channel = server.bind(loops, "127.0.0.1", 0).toCompletableFuture().join();
    }

    int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
