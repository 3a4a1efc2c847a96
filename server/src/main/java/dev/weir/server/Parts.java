package dev.weir.server;

import dev.weir.limiter.Limiter;
import dev.weir.match.RuleSet;
import dev.weir.model.TimeSource;
import dev.weir.redis.RedisStore;
import dev.weir.server.admin.CounterAdmin;
import dev.weir.server.grpc.Decider;
import dev.weir.server.grpc.GrpcLane;
import dev.weir.server.grpc.LaneSettings;
import dev.weir.server.http.DoorSettings;
import dev.weir.server.http.GuardedTransport;
import dev.weir.server.metrics.LaneMetrics;
import dev.weir.server.metrics.RuleMetrics;
import dev.weir.server.metrics.ServerMetrics;
import dev.weir.server.metrics.StoreMetrics;
import dev.weir.server.settings.Settings;
import io.netty.channel.EventLoopGroup;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.internal.VertxInternal;
import java.util.concurrent.TimeUnit;

/** Everything that a server is made of, put together as its settings say; nothing of it moves yet. */
final class Parts {
    private static final int WORKERS = 4;
    private static final long STOPPING_SECONDS = 2;

    final Settings settings;
    final TimeSource time = TimeSource.system();
    final Health health = new Health();
    final FileWatch files;
    final Certificates certificates;
    final RuleFeed feed;
    final DecisionFeed decisions;
    final ControlSide operators;
    final LayeredRules rules;
    final SourceViews sourceViews;
    final Vertx vertx;
    final EventLoopGroup group;
    final Stores stores;
    final StoreWatch storeWatch;
    final RuleMetrics ruleMetrics;
    final ServerMetrics metrics;
    final Limiter limiter;
    final CounterAdmin counters;
    final Rounds rounds;
    final GrpcLane lane;

    /** Notes in {@code opened} what is to be closed, also if this fails half way. */
    Parts(Settings settings, Opened opened) throws StartException {
        this.settings = settings;
        files = opened.add(new FileWatch());
        certificates = new Certificates(settings.tls(), files);
        LaneSettings laneSettings = certificates.with(LaneSettings.defaults().with(settings.rls()));
        feed = opened.add(new RuleFeed(settings));
        ruleMetrics = new RuleMetrics(time, settings.limiter().shadow());
        decisions = opened.add(new DecisionFeed(settings.decisions()));
        operators = opened.add(new ControlSide(settings, files));
        rules = new LayeredRules(feed.first(), operators.remote(), operators.control());
        sourceViews = new SourceViews(feed, operators.remote(), rules, operators.control());
        ruleMetrics.rules(rules.all());
        decisions.rules(rules.all());
        vertx = Vertx.builder()
                .withTransport(GuardedTransport.of(DoorSettings.defaults()))
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
        stores = opened.add(new Stores((int) settings.maxKeys(), settings.stores(), group));
        storeWatch = new StoreWatch(stores::degraded, ruleMetrics::degraded, ruleMetrics::lastStoreFailure);
        health.degradedBy(stores::degraded);
        limiter = new Limiter(
                rules.all(), stores.memory(), stores.shared(), time, settings.limiter(), decisions.after(ruleMetrics));
        RedisStore meeting = stores.meeting();
        counters = new CounterAdmin(limiter, stores.redis(), meeting == null ? null : meeting.resetNews());
        metrics = opened.add(new ServerMetrics(ruleMetrics, new StoreMetrics(stores.redis())));
        addMetrics();
        lane = new GrpcLane(Decider.of(limiter), time, laneSettings, health, new LaneMetrics(metrics));
        rounds = opened.add(new Rounds());
    }

    private void addMetrics() {
        new ServerGauges(settings, stores, storeWatch, limiter, feed, health).addTo(metrics);
        new TierGauges(settings, limiter.tier()).addTo(metrics);
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
