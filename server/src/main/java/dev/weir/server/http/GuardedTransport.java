package dev.weir.server.http;

import dev.weir.server.memory.MemoryBudget;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.impl.transports.EpollTransport;
import io.vertx.core.net.ClientOptionsBase;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.transport.Transport;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Wraps Vert.x's transport and puts a {@link ConnectionGuard} before every listening port. Vert.x itself reports a
 * connection only when its first request has arrived.
 */
public final class GuardedTransport implements io.vertx.core.transport.Transport {
    private final io.vertx.core.transport.Transport wrapped;
    private final ConnectionGuardSettings settings;
    private final MemoryBudget memory;

    private GuardedTransport(
            io.vertx.core.transport.Transport wrapped, ConnectionGuardSettings settings, MemoryBudget memory) {
        this.wrapped = wrapped;
        this.settings = settings;
        this.memory = memory;
    }

    /** Wraps the native transport if it is available, else NIO. */
    public static GuardedTransport of(ConnectionGuardSettings settings, MemoryBudget memory) {
        io.vertx.core.transport.Transport own = io.vertx.core.transport.Transport.nativeTransport();
        return new GuardedTransport(
                own != null && own.available() ? own : io.vertx.core.transport.Transport.NIO, settings, memory);
    }

    @Override
    public String name() {
        return wrapped.name();
    }

    @Override
    public boolean available() {
        return wrapped.available();
    }

    @Override
    public @Nullable Throwable unavailabilityCause() {
        return wrapped.unavailabilityCause();
    }

    @Override
    public Transport implementation() {
        return new Guarded(wrapped.implementation(), settings, memory);
    }

    private record Guarded(Transport wrapped, ConnectionGuardSettings settings, MemoryBudget memory)
            implements Transport {
        /** The maximum size of one read, which a connection may hold without being charged. */
        private static final int MAX_READ_BYTES = 16 << 10;
        /**
         * Reads of a connection in a row before the event loop serves others: a thousand connections with much to read
         * delay a well-behaved one by one read each.
         */
        private static final int MAX_READS = 1;
        /**
         * Connections that an event loop serves before it runs its tasks. A connection that is over the memory budget is
         * closed by such a task, and holds its memory until then.
         */
        private static final int MAX_EVENTS = 128;
        /** The kernel's send buffer for answers that a peer does not read; the kernel's default grows to megabytes. */
        private static final int SEND_BUFFER = 128 << 10;

        @Override
        @SuppressWarnings("deprecation") // RCVBUF_ALLOCATOR has no other name yet
        public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
            wrapped.configure(options, domainSocket, bootstrap);
            bootstrap.childOption(
                    ChannelOption.RCVBUF_ALLOCATOR,
                    new AdaptiveRecvByteBufAllocator(64, 2_048, MAX_READ_BYTES).maxMessagesPerRead(MAX_READS));
            bootstrap.childOption(ChannelOption.SO_SNDBUF, SEND_BUFFER);
            bootstrap.handler(new ConnectionGuard(settings, memory, !options.isSsl()));
        }

        @Override
        public boolean supportsDomainSockets() {
            return wrapped.supportsDomainSockets();
        }

        @Override
        public boolean supportFileRegion() {
            return wrapped.supportFileRegion();
        }

        @Override
        public boolean isAvailable() {
            return wrapped.isAvailable();
        }

        @Override
        public @Nullable Throwable unavailabilityCause() {
            return wrapped.unavailabilityCause();
        }

        @Override
        public java.net.SocketAddress convert(SocketAddress address) {
            return wrapped.convert(address);
        }

        @Override
        public SocketAddress convert(java.net.SocketAddress address) {
            return wrapped.convert(address);
        }

        @Override
        public IoHandlerFactory ioHandlerFactory() {
            return wrapped instanceof EpollTransport
                    ? EpollIoHandler.newFactory(MAX_EVENTS, DefaultSelectStrategyFactory.INSTANCE)
                    : wrapped.ioHandlerFactory();
        }

        @Override
        public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory factory, int ioRatio) {
            return wrapped instanceof EpollTransport
                    ? new MultiThreadIoEventLoopGroup(threads, factory, ioHandlerFactory())
                    : wrapped.eventLoopGroup(type, threads, factory, ioRatio);
        }

        @Override
        public DatagramChannel datagramChannel() {
            return wrapped.datagramChannel();
        }

        @Override
        @SuppressWarnings("deprecation") // Vert.x calls it
        public DatagramChannel datagramChannel(InternetProtocolFamily family) {
            return wrapped.datagramChannel(family);
        }

        @Override
        public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
            return wrapped.channelFactory(domainSocket);
        }

        @Override
        public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
            return wrapped.serverChannelFactory(domainSocket);
        }

        @Override
        public void configure(DatagramChannel channel, DatagramSocketOptions options) {
            wrapped.configure(channel, options);
        }

        @Override
        public void configure(ClientOptionsBase options, int timeout, boolean domainSocket, Bootstrap bootstrap) {
            wrapped.configure(options, timeout, domainSocket, bootstrap);
        }
    }
}
