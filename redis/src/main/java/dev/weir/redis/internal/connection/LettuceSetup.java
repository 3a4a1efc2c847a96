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
 * Lettuce as this store needs it. By default Lettuce waits 60 s for an answer, keeps commands while it is disconnected and sends
 * them again once it is not; here answers have deadlines of our own, and a command is sent once on a connection that stands.
 */
public final class LettuceSetup {
    private static final String CLIENT_NAME = "weir";
    /** Where nobody asks for minutes, NATs and load balancers forget a connection that says nothing; by default it would for hours. */
    private static final SocketOptions.KeepAliveOptions KEEP_ALIVE = SocketOptions.KeepAliveOptions.builder()
            .enable()
            .idle(Duration.ofSeconds(30))
            .interval(Duration.ofSeconds(10))
            .count(3)
            .build();

    private LettuceSetup() {}

    /** Whose channels live in {@code loops}, which stay their owner's. */
    public static ClientResources resources(EventLoopGroup loops) {
        return ClientResources.builder()
                .eventLoopGroupProvider(new Lent(loops))
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .computationThreadPoolSize(2)
                .build();
    }

    /** The same with all channels in one event loop. */
    public static ClientResources inLoop(ClientResources resources, EventLoop loop) {
        return resources
                .mutate()
                .eventLoopGroupProvider(new Lent(loop))
                // Named, they are shared; else this copy would take them for its own, and end them for all others when
                // it is closed.
                .eventExecutorGroup(resources.eventExecutorGroup())
                .timer(resources.timer())
                .build();
    }

    public static EventLoopGroup ownLoops() {
        int threads = Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors()));
        return (EventLoopGroup)
                DefaultEventLoopGroupProvider.createEventLoopGroup(Transports.eventLoopGroupClass(), threads);
    }

    /** Whether Lettuce's channels can live there. */
    public static boolean fits(EventLoopGroup loops) {
        boolean nio = Transports.socketChannelClass() == NioSocketChannel.class;
        return !(loops instanceof IoEventLoopGroup io) || io.isIoType(NioIoHandler.class) == nio;
    }

    /** Reads the files of TLS, where that is spoken. */
    public static ClientOptions options(RedisSettings settings) throws IOException {
        return ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .replayFilter(command -> true)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                .protocolVersion(ProtocolVersion.RESP2)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(settings.connectTimeout())
                        .keepAlive(KEEP_ALIVE)
                        .tcpNoDelay(true)
                        .build())
                .sslOptions(settings.address().tls() ? sslOptions(settings.tls()) : SslOptions.create())
                .build();
    }

    /** Not left to Lettuce, which reads fewer kinds of keys, and does not say which file it is that cannot be used. */
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

    /** One server as the settings say it is to be met. */
    public static RedisURI uri(RedisSettings settings, RedisAddress.HostPort server) {
        RedisURI uri = RedisURI.create(server.host(), server.port());
        uri.setDatabase(settings.address().database());
        return dressed(uri, settings);
    }

    /** The master that the sentinels know: asked anew at every connect. */
    public static RedisURI sentinelUri(RedisSettings settings) {
        RedisAddress address = settings.address();
        // build() gives the time-out to the sentinels, too: one that hangs holds up whoever asks it for that long.
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
        return dressed(builder.build(), settings);
    }

    static RedisURI dressed(RedisURI uri, RedisSettings settings) {
        uri.setSsl(settings.address().tls());
        uri.setVerifyPeer(settings.tls().verifyHost() ? SslVerifyMode.FULL : SslVerifyMode.CA);
        uri.setTimeout(settings.connectTimeout());
        uri.setClientName(CLIENT_NAME);
        uri.setCredentialsProvider(provider(settings.credentials()));
        return uri;
    }

    /** Asked at every connect, and not in an event loop: it may read a file. */
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

    /** Event loops that are somebody else's: given out, never shut down. */
    private record Lent(EventLoopGroup loops) implements EventLoopGroupProvider {
        @Override
        @SuppressWarnings("unchecked") // Lettuce asks by class and uses what comes as an EventLoopGroup
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
