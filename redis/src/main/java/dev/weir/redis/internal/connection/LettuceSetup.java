package dev.weir.redis.internal.connection;

import dev.weir.internal.tls.Pem;
import dev.weir.redis.RedisCredentials;
import dev.weir.redis.TlsSettings;
import dev.weir.redis.internal.settings.RedisAddress;
import dev.weir.redis.internal.settings.RedisSettings;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.Transports;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.IOException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Configures Lettuce for this store. By default Lettuce waits 60 s for a reply, queues commands while it is
 * disconnected and sends them again after a reconnect. Here the store has deadlines of its own, and a command is sent
 * once, on an open connection.
 */
public final class LettuceSetup {
    private static final String CLIENT_NAME = "weir";
    /**
     * TCP keep-alive. NATs and load balancers drop connections that are idle for minutes; the default would wait for
     * hours.
     */
    private static final SocketOptions.KeepAliveOptions KEEP_ALIVE = SocketOptions.KeepAliveOptions.builder()
            .enable()
            .idle(Duration.ofSeconds(30))
            .interval(Duration.ofSeconds(10))
            .count(3)
            .build();

    private static final boolean HAS_MAINTENANCE_NOTIFICATIONS = exists("io.lettuce.core.MaintNotificationsConfig");
    private static final boolean HAS_IO_HANDLERS = exists("io.netty.channel.IoEventLoopGroup");

    private LettuceSetup() {}

    private static boolean exists(String type) {
        try {
            Class.forName(type, false, LettuceSetup.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Lettuce 7 has them. Kept in a class of its own, because Spring Boot 3.5 brings Lettuce 6.6. */
    private static final class MaintenanceNotifications {
        static void disable(ClientOptions.Builder options) {
            options.maintNotificationsConfig(MaintNotificationsConfig.disabled());
        }
    }

    /** Netty 4.2 has them. Kept in a class of its own, because Spring Boot 3.5 brings Netty 4.1. */
    private static final class IoHandlers {
        static boolean fit(EventLoopGroup loops, boolean nio) {
            return !(loops instanceof IoEventLoopGroup io) || io.isIoType(NioIoHandler.class) == nio;
        }
    }

    /** Creates resources whose channels run in {@code loops}. The loops still belong to the caller. */
    public static ClientResources resources(EventLoopGroup loops) {
        return ClientResources.builder()
                .eventLoopGroupProvider(new BorrowedLoops(loops))
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .computationThreadPoolSize(2)
                .build();
    }

    /** Copies the resources, with all channels in one event loop. */
    public static ClientResources inLoop(ClientResources resources, EventLoop loop) {
        return resources
                .mutate()
                .eventLoopGroupProvider(new BorrowedLoops(loop))
                // Passed explicitly, these are shared; otherwise closing this copy would shut them down for all others.
                .eventExecutorGroup(resources.eventExecutorGroup())
                .timer(resources.timer())
                .build();
    }

    public static EventLoopGroup ownLoops() {
        int threads = Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors()));
        return (EventLoopGroup)
                DefaultEventLoopGroupProvider.createEventLoopGroup(Transports.eventLoopGroupClass(), threads);
    }

    /** Returns whether Lettuce's channels can run in {@code loops}. */
    public static boolean supports(EventLoopGroup loops) {
        boolean nio = Transports.socketChannelClass() == NioSocketChannel.class;
        return !HAS_IO_HANDLERS || IoHandlers.fit(loops, nio);
    }

    /** Returns the client options; reads the TLS files if TLS is used. */
    public static ClientOptions options(RedisSettings settings) throws IOException {
        ClientOptions.Builder options = ClientOptions.builder();
        if (HAS_MAINTENANCE_NOTIFICATIONS) {
            MaintenanceNotifications.disable(options);
        }
        return options.autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .replayFilter(command -> true)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .protocolVersion(ProtocolVersion.RESP2)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(settings.connectTimeout())
                        .keepAlive(KEEP_ALIVE)
                        .tcpNoDelay(true)
                        .build())
                .sslOptions(settings.address().tls() ? sslOptions(settings.tls()) : SslOptions.create())
                .build();
    }

    /** Reads the TLS files. Lettuce would read fewer kinds of keys, and would not say which file is unusable. */
    public static SslOptions sslOptions(TlsSettings tls) throws IOException {
        Consumer<SslContextBuilder> context = any -> {};
        if (tls.trust() != null) {
            X509Certificate[] trusted = Pem.certificates(tls.trust());
            context = context.andThen(each -> each.trustManager(trusted));
        }
        if (tls.certificate() != null && tls.key() != null) {
            X509Certificate[] chain = Pem.certificates(tls.certificate());
            PrivateKey key = Pem.key(tls.key(), chain[0], tls.certificate());
            context = context.andThen(each -> each.keyManager(key, chain));
        }
        return SslOptions.builder().sslContext(context).build();
    }

    /**
     * Reads the files of {@code tls}, as every connection does.
     *
     * @throws IOException naming the file that cannot be used and what is wrong with it
     */
    public static void check(TlsSettings tls) throws IOException {
        var unused = sslOptions(tls);
    }

    /** Returns the URI of one server, with credentials and TLS of the settings. */
    public static RedisURI uri(RedisSettings settings, RedisAddress.HostPort server) {
        RedisURI uri = RedisURI.create(server.host(), server.port());
        uri.setDatabase(settings.address().database());
        return configured(uri, settings);
    }

    /** Returns the URI of the sentinels, which are asked for the master at every connect. */
    public static RedisURI sentinelUri(RedisSettings settings) {
        RedisAddress address = settings.address();
        // build() gives the timeout to the sentinels, too: a sentinel that hangs blocks a connect for that long.
        RedisURI.Builder builder =
                RedisURI.builder().withDatabase(address.database()).withTimeout(settings.connectTimeout());
        if (address.sentinelName() != null) {
            builder.withSentinelMasterId(address.sentinelName());
        }
        for (RedisAddress.HostPort each : address.hosts()) {
            RedisURI sentinel = RedisURI.create(each.host(), each.port());
            sentinel.setSsl(address.tls());
            sentinel.setCredentialsProvider(provider(settings.sentinelCredentials()));
            builder.withSentinel(sentinel);
        }
        return configured(builder.build(), settings);
    }

    static RedisURI configured(RedisURI uri, RedisSettings settings) {
        uri.setSsl(settings.address().tls());
        uri.setVerifyPeer(settings.tls().verifyHost() ? SslVerifyMode.FULL : SslVerifyMode.CA);
        uri.setTimeout(settings.connectTimeout());
        uri.setClientName(CLIENT_NAME);
        uri.setCredentialsProvider(provider(settings.credentials()));
        return uri;
    }

    /** Reads the credentials at every connect, outside of the event loops because it may read a file. */
    private static RedisCredentialsProvider provider(Supplier<RedisCredentials> credentials) {
        return () -> Mono.fromCallable(() -> {
                    RedisCredentials current = credentials.get();
                    String user = current.user().isEmpty() ? null : current.user();
                    char[] password = current.password().isEmpty()
                            ? null
                            : current.password().toCharArray();
                    return io.lettuce.core.RedisCredentials.just(user, password);
                })
                .subscribeOn(Schedulers.boundedElastic());
    }

    /** Provides event loops that belong to the caller and are never shut down here. */
    private record BorrowedLoops(EventLoopGroup loops) implements EventLoopGroupProvider {
        @Override
        @SuppressWarnings("unchecked") // Lettuce requests by class and uses the result as an EventLoopGroup
        public <T extends EventLoopGroup> T allocate(Class<T> type) {
            return (T) loops;
        }

        @Override
        public int threadPoolSize() {
            return 1;
        }

        @Override
        public Future<Boolean> release(EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
            return ImmediateEventExecutor.INSTANCE.newSucceededFuture(true);
        }

        @Override
        public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
            return ImmediateEventExecutor.INSTANCE.newSucceededFuture(true);
        }
    }

    public static void shutDown(ClientResources resources) {
        var unused = resources.shutdown(0, Duration.ofSeconds(2).toMillis(), TimeUnit.MILLISECONDS);
    }
}
