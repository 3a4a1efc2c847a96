package dev.weir.server.listener;

import dev.weir.server.http.ConnectionGuardSettings;
import dev.weir.server.http.GuardedTransport;
import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.settings.Settings;
import io.netty.channel.EventLoopGroup;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.internal.VertxInternal;
import java.util.concurrent.TimeUnit;

/** The event loops that all ports and stores of a server share, as Vert.x and as Netty's group. */
public final class ServerEventLoops implements AutoCloseable {
    private static final int WORKERS = 4;
    private static final long CLOSE_TIMEOUT_SECONDS = 2;

    private final Vertx vertx;
    private final EventLoopGroup group;

    /** Starts {@code size} event loops. Every HTTP port on them keeps the bounds of {@code network} and {@code memory}. */
    public ServerEventLoops(int size, Settings.Network network, MemoryBudget memory) {
        vertx = Vertx.builder()
                .withTransport(GuardedTransport.of(
                        new ConnectionGuardSettings(
                                network.connections(), network.connectionsPerAddress(), network.head()),
                        memory))
                .with(new VertxOptions()
                        .setEventLoopPoolSize(size)
                        .setWorkerPoolSize(WORKERS)
                        .setInternalBlockingPoolSize(WORKERS)
                        .setFileSystemOptions(new FileSystemOptions()
                                .setClassPathResolvingEnabled(false)
                                .setFileCachingEnabled(false)))
                .build();
        group = ((VertxInternal) vertx).nettyEventLoopGroup();
    }

    public Vertx vertx() {
        return vertx;
    }

    public EventLoopGroup group() {
        return group;
    }

    @Override
    public void close() {
        vertx.close()
                .toCompletionStage()
                .toCompletableFuture()
                .orTimeout(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .join();
    }
}
