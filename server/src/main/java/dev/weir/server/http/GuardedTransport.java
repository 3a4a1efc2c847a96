package dev.weir.server.http;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.datagram.DatagramSocketOptions;
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

    private GuardedTransport(io.vertx.core.transport.Transport chosen, ConnectionGuardSettings settings) {
        this.chosen = chosen;
        this.settings = settings;
    }

    /** The native transport where there is one. */
    public static GuardedTransport of(ConnectionGuardSettings settings) {
        io.vertx.core.transport.Transport own = io.vertx.core.transport.Transport.nativeTransport();
        return new GuardedTransport(
                own != null && own.available() ? own : io.vertx.core.transport.Transport.NIO, settings);
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
        return new Guarded(chosen.implementation(), settings);
    }

    private record Guarded(Transport chosen, ConnectionGuardSettings settings) implements Transport {
        @Override
        public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
            chosen.configure(options, domainSocket, bootstrap);
            bootstrap.handler(new ConnectionGuard(settings, !options.isSsl()));
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
            return chosen.ioHandlerFactory();
        }

        @Override
        public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory factory, int ioRatio) {
            return chosen.eventLoopGroup(type, threads, factory, ioRatio);
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
