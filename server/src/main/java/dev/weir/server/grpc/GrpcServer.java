package dev.weir.server.grpc;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.weir.TimeSource;
import dev.weir.server.grpc.protocol.GrpcCallException;
import dev.weir.server.grpc.protocol.GrpcStatus;
import dev.weir.server.grpc.service.GrpcService;
import dev.weir.server.grpc.service.HealthService;
import dev.weir.server.grpc.service.ReflectionService;
import dev.weir.server.health.Health;
import dev.weir.server.memory.ConnectionLimit;
import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.memory.MemoryLimits;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** The gRPC server: listens, and adds a handler to every connection on the event loops that it is given. */
public final class GrpcServer {
    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(128 << 10, 512 << 10);

    /** The kernel's send buffer for answers that a peer does not read; the kernel's default grows to megabytes. */
    private static final int SEND_BUFFER = 256 << 10;

    /**
     * Reads of a connection in a row before the event loop serves others. One read of 64 KiB may hold thousands of
     * requests; with Netty's 16, fifty connections that send batches delay a well-behaved one by seconds.
     */
    private static final int MAX_READS = 1;

    /** In the place of the quota service, for a server without one. */
    static final GrpcService NO_QUOTAS = (call, method, message) -> {
        throw new GrpcCallException(GrpcStatus.UNIMPLEMENTED, "no quota service here");
    };

    private final GrpcServerContext context;
    private final Health health;
    private final ConnectionLimit limit;
    private final ChannelGroup listeners = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    /** The event loops of the connections. */
    private final Set<EventLoopGroup> groups = ConcurrentHashMap.newKeySet();

    private volatile boolean draining;

    /** Creates a server with its own memory budget and without the quota service. */
    public GrpcServer(
            Decider decider, TimeSource time, GrpcServerSettings settings, Health health, GrpcServerObserver observer) {
        this(decider, time, settings, health, observer, NO_QUOTAS, new MemoryBudget(MemoryLimits.ofThisProcess()));
    }

    public GrpcServer(
            Decider decider,
            TimeSource time,
            GrpcServerSettings settings,
            Health health,
            GrpcServerObserver observer,
            GrpcService quotas,
            MemoryBudget memory) {
        this.health = health;
        this.context = new GrpcServerContext(
                settings, decider, time, observer, new HealthService(health), new ReflectionService(), quotas, memory);
        GrpcServerSettings.Bounds bounds = settings.bounds();
        this.limit = new ConnectionLimit("gRPC", bounds.connections(), bounds.connectionsPerAddress(), memory.closed());
    }

    /** Listens on {@code host:port}. Port 0 takes any free one; the channel's address has its number. */
    @SuppressWarnings("deprecation") // RCVBUF_ALLOCATOR has no other name yet
    public CompletionStage<Channel> bind(EventLoopGroup group, String host, int port) {
        CompletableFuture<Channel> bound = new CompletableFuture<>();
        groups.add(group);
        var unused = new ServerBootstrap()
                .group(group)
                .channel(channelFor(group))
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, 1_024)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(
                        ChannelOption.RCVBUF_ALLOCATOR,
                        new AdaptiveRecvByteBufAllocator().maxMessagesPerRead(MAX_READS))
                .childOption(ChannelOption.SO_SNDBUF, SEND_BUFFER)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        connected(channel);
                    }
                })
                .bind(host, port)
                .addListener(done -> {
                    if (done.isSuccess()) {
                        Channel channel = ((ChannelFuture) done).channel();
                        listeners.add(channel);
                        bound.complete(channel);
                    } else {
                        bound.completeExceptionally(done.cause());
                    }
                });
        return bound;
    }

    /** Sets up a connection that was accepted; runs on its event loop. */
    void connected(Channel channel) {
        if (limit.admit(channel) != null) {
            context.observer().overBudget();
            var unused = channel.close();
            return;
        }
        connections.add(channel);
        Supplier<SslContext> tls = context.settings().tls();
        if (tls != null) {
            channel.pipeline().addLast(tls.get().newHandler(channel.alloc()));
        }
        channel.pipeline().addLast(new GrpcConnectionHandler(context));
        if (draining) { // read after the channel was added: either drain() sees the channel, or this sees draining
            // Not just closed: some peers, such as Envoy, send calls before they have heard from the server.
            channel.eventLoop().execute(() -> drain(channel));
        }
    }

    private static Class<? extends ServerChannel> channelFor(EventLoopGroup group) {
        boolean epoll = group instanceof IoEventLoopGroup loops && loops.isIoType(EpollIoHandler.class);
        return epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    /**
     * Reports that it no longer serves, sends GOAWAY to every peer, stops listening and waits for the calls in flight.
     * Connections that are still open after {@code grace} are closed. The result completes when all are closed.
     */
    public CompletionStage<Void> drain(Duration grace) {
        health.set(Health.State.NOT_SERVING);
        draining = true;
        CompletableFuture<Void> drained = new CompletableFuture<>();
        ChannelGroupFuture closing = listeners.close();
        // On their event loops, on which each has become active by then.
        connections.forEach(channel -> channel.eventLoop().execute(() -> drain(channel)));
        Future<?> timeout =
                GlobalEventExecutor.INSTANCE.schedule(this::closeConnections, grace.toMillis(), MILLISECONDS);
        var unused = closing.addListener(closed -> afterAccepted(() -> whenClosed(() -> {
            timeout.cancel(false);
            drained.complete(null);
        })));
        return drained;
    }

    /** Runs {@code then} when every connection that was accepted so far has been {@linkplain #connected set up}. */
    private void afterAccepted(Runnable then) {
        List<EventExecutor> loops = new ArrayList<>();
        groups.forEach(group -> group.forEach(loops::add));
        if (loops.isEmpty()) {
            then.run();
        }
        AtomicInteger left = new AtomicInteger(loops.size());
        // Setting up a connection is a task of its loop, queued when it was accepted.
        loops.forEach(loop -> loop.execute(() -> {
            if (left.decrementAndGet() == 0) {
                then.run();
            }
        }));
    }

    private void whenClosed(Runnable then) {
        var unused = connections.newCloseFuture().addListener(done -> then.run());
    }

    private static void drain(Channel channel) {
        GrpcConnectionHandler handler = channel.pipeline().get(GrpcConnectionHandler.class);
        if (handler != null) {
            handler.drain();
        }
    }

    private void closeConnections() {
        var unused = connections.close();
    }
}
