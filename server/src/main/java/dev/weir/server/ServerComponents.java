package dev.weir.server;

import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.ruleset.RuleSet;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.server.control.ControlComponents;
import dev.weir.server.control.ControlGauges;
import dev.weir.server.control.OptionalDecisionSink;
import dev.weir.server.counters.CounterAdmin;
import dev.weir.server.grpc.Decider;
import dev.weir.server.grpc.GrpcServer;
import dev.weir.server.grpc.GrpcServerSettings;
import dev.weir.server.health.Health;
import dev.weir.server.http.ConnectionGuardSettings;
import dev.weir.server.http.GuardedTransport;
import dev.weir.server.lifecycle.CloseStack;
import dev.weir.server.lifecycle.FileWatcher;
import dev.weir.server.lifecycle.PeriodicTasks;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.listener.PortCertificates;
import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.memory.MemoryLimits;
import dev.weir.server.metrics.GrpcServerMetrics;
import dev.weir.server.metrics.LocalTierGauges;
import dev.weir.server.metrics.RuleMetrics;
import dev.weir.server.metrics.ServerMetrics;
import dev.weir.server.metrics.StoreMetrics;
import dev.weir.server.rules.LayeredRules;
import dev.weir.server.rules.RuleSourceViews;
import dev.weir.server.rules.WatchedRuleFiles;
import dev.weir.server.settings.Settings;
import dev.weir.server.stores.ServerStores;
import dev.weir.server.stores.StoreOutageLog;
import io.netty.channel.EventLoopGroup;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.internal.VertxInternal;
import java.util.concurrent.TimeUnit;

/** Everything that a server is made of, put together as its settings say; nothing of it moves yet. */
final class ServerComponents {
    private static final int WORKERS = 4;
    private static final long STOPPING_SECONDS = 2;

    final Settings settings;
    final TimeSource time = TimeSource.system();
    final Health health = new Health();
    final FileWatcher files;
    final PortCertificates certificates;
    final WatchedRuleFiles feed;
    final OptionalDecisionSink decisions;
    final ControlComponents operators;
    final LayeredRules rules;
    final RuleSourceViews sourceViews;
    final MemoryBudget memory;
    final Vertx vertx;
    final EventLoopGroup group;
    final ServerStores stores;
    final StoreOutageLog storeWatch;
    final RuleMetrics ruleMetrics;
    final ServerMetrics metrics;
    final Limiter limiter;
    final CounterAdmin counters;
    final PeriodicTasks rounds;
    final GrpcServer lane;

    /** Notes in {@code opened} what is to be closed, also if this fails half way. */
    ServerComponents(Settings settings, CloseStack opened) throws StartException {
        this.settings = settings;
        files = opened.add(new FileWatcher());
        certificates = new PortCertificates(settings.tls(), files);
        memory = new MemoryBudget(limits(settings.network()));
        GrpcServerSettings laneSettings = certificates.with(GrpcServerSettings.defaults()
                .with(settings.rls())
                .with(GrpcServerSettings.Bounds.defaults()
                        .withConnections(
                                settings.network().connections(),
                                settings.network().connectionsPerAddress())));
        feed = opened.add(new WatchedRuleFiles(settings));
        ruleMetrics = new RuleMetrics(time, settings.limiter().shadow());
        decisions = opened.add(new OptionalDecisionSink(settings.decisions()));
        operators = opened.add(new ControlComponents(settings, files));
        rules = new LayeredRules(feed.first(), operators.remote(), operators.control());
        sourceViews = new RuleSourceViews(feed, operators.remote(), rules, operators.control());
        ruleMetrics.rules(rules.all());
        decisions.rules(rules.all());
        vertx = Vertx.builder()
                .withTransport(GuardedTransport.of(
                        new ConnectionGuardSettings(
                                settings.network().connections(),
                                settings.network().connectionsPerAddress(),
                                settings.network().head()),
                        memory))
                .with(new VertxOptions()
                        .setEventLoopPoolSize(settings.eventLoops())
                        .setWorkerPoolSize(WORKERS)
                        .setInternalBlockingPoolSize(WORKERS)
                        .setFileSystemOptions(new FileSystemOptions()
                                .setClassPathResolvingEnabled(false)
                                .setFileCachingEnabled(false)))
                .build();
        opened.add(() -> stop(vertx));
        group = ((VertxInternal) vertx).nettyEventLoopGroup();
        stores = opened.add(new ServerStores((int) settings.maxKeys(), settings.stores(), group));
        storeWatch = new StoreOutageLog(stores::degraded, ruleMetrics::degraded, ruleMetrics::lastStoreFailure);
        health.degradedBy(stores::degraded);
        limiter = new Limiter(
                rules.all(), stores.memory(), stores.shared(), time, settings.limiter(), decisions.after(ruleMetrics));
        RedisSharedStore meeting = stores.meeting();
        counters = new CounterAdmin(limiter, stores.redis(), meeting == null ? null : meeting.resetNews());
        metrics = opened.add(new ServerMetrics(ruleMetrics, new StoreMetrics(stores.redis())));
        addMetrics();
        lane = new GrpcServer(Decider.of(limiter), time, laneSettings, health, new GrpcServerMetrics(metrics), memory);
        rounds = opened.add(new PeriodicTasks());
    }

    private static MemoryLimits limits(Settings.Network network) {
        Long bytes = network.memory();
        return bytes == null ? MemoryLimits.ofThisProcess() : MemoryLimits.of(bytes);
    }

    private void addMetrics() {
        new NetworkGauges(memory).addTo(metrics);
        new ServerGauges(settings, stores, storeWatch, limiter, feed, health).addTo(metrics);
        new LocalTierGauges(settings, limiter.tier()).addTo(metrics);
        new ControlGauges(operators.control()).addTo(metrics);
        certificates.addTo(metrics);
        operators.doors().addTo(metrics);
        sourceViews.addTo(metrics);
        decisions.addTo(metrics);
    }

    private static void stop(Vertx vertx) {
        vertx.close()
                .toCompletionStage()
                .toCompletableFuture()
                .orTimeout(STOPPING_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    /** Puts {@code next} in force for every request from now on. */
    void inForce(RuleSet next) {
        ruleMetrics.rules(next);
        decisions.rules(next);
        limiter.rules(next);
    }
}
