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
 * The transport that Vert.x would have taken, with a {@link ConnectionGuard} before every port that listens. Vert.x tells of a connection only when
 * its first request is there; here is where it can be seen before.
 */
public final class GuardedTransport implements io.vertx.core.transport.Transport {
    private final io.vertx.core.transport.Transport chosen;
    private final ConnectionGuardSettings settings;
    private final MemoryBudget memory;

    private GuardedTransport(
            io.vertx.core.transport.Transport chosen, ConnectionGuardSettings settings, MemoryBudget memory) {
        this.chosen = chosen;
        this.settings = settings;
        this.memory = memory;
    }

    /** The native transport where there is one. */
    public static GuardedTransport of(ConnectionGuardSettings settings, MemoryBudget memory) {
        io.vertx.core.transport.Transport own = io.vertx.core.transport.Transport.nativeTransport();
        return new GuardedTransport(
                own != null && own.available() ? own : io.vertx.core.transport.Transport.NIO, settings, memory);
    }

    @Override
    public String name() {
        return chosen.name();
    }

    @Override
    public boolean available() {
        return chosen.available();
    }

    @Override
    public @Nullable Throwable unavailabilityCause() {
        return chosen.unavailabilityCause();
    }

    @Override
    public Transport implementation() {
        return new Guarded(chosen.implementation(), settings, memory);
    }

    private record Guarded(Transport chosen, ConnectionGuardSettings settings, MemoryBudget memory)
            implements Transport {
        /** The most that is read at once: what a connection may hold without being charged. */
        private static final int LARGEST_READ = 16 << 10;
        /** Reads of a connection before others have their turn. */
        private static final int MOST_READS = 4;
        /**
         * Connections that an event loop serves before it runs its tasks: connections that are to be closed are closed there, and
         * until then hold their memory.
         */
        private static final int MOST_EVENTS = 128;
        /** What the kernel keeps of answers for a peer that does not read; by itself it would take megabytes. */
        private static final int KERNEL_SEND = 128 << 10;

        @Override
        @SuppressWarnings("deprecation") // RCVBUF_ALLOCATOR has no other name yet
        public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
            chosen.configure(options, domainSocket, bootstrap);
            bootstrap.childOption(
                    ChannelOption.RCVBUF_ALLOCATOR,
                    new AdaptiveRecvByteBufAllocator(64, 2_048, LARGEST_READ).maxMessagesPerRead(MOST_READS));
            bootstrap.childOption(ChannelOption.SO_SNDBUF, KERNEL_SEND);
            bootstrap.handler(new ConnectionGuard(settings, memory, !options.isSsl()));
        }

        @Override
        public boolean supportsDomainSockets() {
            return chosen.supportsDomainSockets();
        }

        @Override
        public boolean supportFileRegion() {
            return chosen.supportFileRegion();
        }

        @Override
        public boolean isAvailable() {
            return chosen.isAvailable();
        }

        @Override
        public @Nullable Throwable unavailabilityCause() {
            return chosen.unavailabilityCause();
        }

        @Override
        public java.net.SocketAddress convert(SocketAddress address) {
            return chosen.convert(address);
        }

        @Override
        public SocketAddress convert(java.net.SocketAddress address) {
            return chosen.convert(address);
        }

        @Override
        public IoHandlerFactory ioHandlerFactory() {
            return chosen instanceof EpollTransport
                    ? EpollIoHandler.newFactory(MOST_EVENTS, DefaultSelectStrategyFactory.INSTANCE)
                    : chosen.ioHandlerFactory();
        }

        @Override
        public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory factory, int ioRatio) {
            return chosen instanceof EpollTransport
                    ? new MultiThreadIoEventLoopGroup(threads, factory, ioHandlerFactory())
                    : chosen.eventLoopGroup(type, threads, factory, ioRatio);
        }

        @Override
        public DatagramChannel datagramChannel() {
            return chosen.datagramChannel();
        }

        @Override
        @SuppressWarnings("deprecation") // it is what Vert.x asks for
        public DatagramChannel datagramChannel(InternetProtocolFamily family) {
            return chosen.datagramChannel(family);
        }

        @Override
        public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
            return chosen.channelFactory(domainSocket);
        }

        @Override
        public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
            return chosen.serverChannelFactory(domainSocket);
        }

        @Override
        public void configure(DatagramChannel channel, DatagramSocketOptions options) {
            chosen.configure(channel, options);
        }

        @Override
        public void configure(ClientOptionsBase options, int timeout, boolean domainSocket, Bootstrap bootstrap) {
            chosen.configure(options, timeout, domainSocket, bootstrap);
        }
    }
}
