package dev.weir.redis.internal.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.RuleCounter;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.tier.LocalTier;
import dev.weir.redis.internal.inspection.CounterState;
import dev.weir.redis.internal.notes.NewsStream;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.internal.store.AwaitableAsk;
import dev.weir.redis.internal.store.FleetLimiters;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.internal.store.StoreFixture;
import dev.weir.redis.testkit.RedisCluster;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two nodes on a real Redis; an operator resets a counter on one of them. */
class ResetNodesTest {
    private static final Duration DEADLINE = Duration.ofSeconds(1);
    private static final Duration DAYS = Duration.ofDays(30);
    private static final long LIMIT = 1_000;
    private static final Request REQUEST = WeirRules.ask("user", "u");

    private static RedisProcess redis;
    private final List<RedisSharedStore> stores = new ArrayList<>();
    private final List<NewsStream> news = new ArrayList<>();
    private final List<Limiter> nodes = new ArrayList<>();

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
    }

    @AfterAll
    static void stop() {
        redis.stop();
    }

    @BeforeEach
    void clear() {
        redis.cli("FLUSHALL");
    }

    @AfterEach
    void close() {
        stores.forEach(RedisSharedStore::close);
    }

    private void start(Consistency consistency) {
        for (int i = 0; i < 2; i++) {
            RedisSharedStore store =
                    StoreFixture.open(StoreFixture.settings(redis.uri()).withDeadline(DEADLINE));
            StoreFixture.awaitServed(store, "ready");
            stores.add(store);
            news.add(store.resetNews());
            Limit limit = Limit.fixedWindow(LIMIT, DAYS);
            nodes.add(FleetLimiters.on(
                    store,
                    WeirRules.rules(WeirRules.rule(
                            WeirRules.rule("r", limit).consistency(consistency).build(), KeyBy.of("user"))),
                    DEADLINE));
        }
    }

    private static LocalTier tier(Limiter node) {
        return Objects.requireNonNull(node.tier());
    }

    private void lease(Limiter node) {
        await().until(() -> {
            assertThat(FleetLimiters.decide(node, REQUEST).allowed()).isTrue();
            return tier(node).leases().held() >= 6;
        });
    }

    /** Returns Redis's count. */
    private long counted() throws Exception {
        RuleCounter counter = nodes.get(0).counters(REQUEST).get(0);
        return get(stores.get(0).inspect(counter.check().name))
                .map(CounterState::used)
                .orElse(0L);
    }

    /** Resets the counter as the first node does on request. */
    private void reset() throws Exception {
        RuleCounter counter = nodes.get(0).counters(REQUEST).get(0);
        assertThat(get(stores.get(0).reset(counter.check().name))).isTrue();
        nodes.get(0).forget(counter);
        get(news.get(0).post("u"));
    }

    /** The second node looks for news. */
    private void hear() throws Exception {
        for (String user : get(news.get(1).next())) {
            nodes.get(1).counters(WeirRules.ask("user", user)).forEach(nodes.get(1)::forget);
        }
    }

    private static <T> T get(CompletionStage<T> answer) throws Exception {
        return answer.toCompletableFuture().get(5, TimeUnit.SECONDS);
    }

    @Test
    void leasesAreCalledInHereAtOnceAndThereWhenItHears() throws Exception {
        start(Consistency.LEASED);
        nodes.forEach(this::lease);
        reset();
        assertThat(tier(nodes.get(0)).leases().held()).isZero();
        assertThat(tier(nodes.get(1)).leases().held()).isPositive();
        hear();
        assertThat(tier(nodes.get(1)).leases().held()).isZero();
        nodes.forEach(node -> node.returnLeases().toCompletableFuture().join());
        assertThat(counted()).as("nothing came back into the fresh counter").isZero();

        // The counter starts again: the whole limit passes, and no more.
        long admitted = 0;
        for (int i = 0; FleetLimiters.decide(nodes.get(i % 2), REQUEST).allowed(); i++) {
            admitted++;
        }
        assertThat(admitted).isEqualTo(LIMIT);
    }

    @Test
    void hitsReturnedAfterAResetLeaveTheCounterNoEmptierThanUnused() throws Exception {
        start(Consistency.LEASED);
        nodes.forEach(this::lease);
        long held = tier(nodes.get(1)).leases().held();
        reset();
        FleetLimiters.decide(nodes.get(0), REQUEST);
        assertThat(counted()).isPositive();
        // The node has not read the reset, and stops in order.
        nodes.get(1).returnLeases().toCompletableFuture().join();
        assertThat(tier(nodes.get(1)).leases().stats().returned()).isEqualTo(held);
        assertThat(counted()).isZero();
        long admitted = 0;
        while (FleetLimiters.decide(nodes.get(0), REQUEST).allowed()) {
            admitted++;
        }
        assertThat(admitted).isBetween(LIMIT - 1, LIMIT);
    }

    @Test
    void aNodeThatNeverHearsSpendsWhatItHeldAndNoMore() throws Exception {
        start(Consistency.LEASED);
        nodes.forEach(this::lease);
        long held = tier(nodes.get(1)).leases().held();
        reset();
        long admitted = 0;
        for (int i = 0; i < 2; i++) {
            while (FleetLimiters.decide(nodes.get(1 - i), REQUEST).allowed()) {
                admitted++;
            }
        }
        assertThat(admitted).isBetween(LIMIT, LIMIT + held);
    }

    @Test
    void aReportedCounterPassesAgainWhenItHears() throws Exception {
        start(Consistency.REPORTED);
        for (Limiter each : nodes) {
            while (FleetLimiters.decide(each, REQUEST).allowed()) {
                assertThat(tier(each).counters()).isOne();
            }
            get(each.returnLeases());
        }
        assertThat(counted()).isEqualTo(LIMIT);
        reset();
        assertThat(FleetLimiters.decide(nodes.get(0), REQUEST).allowed()).isTrue();
        assertThat(FleetLimiters.decide(nodes.get(1), REQUEST).allowed()).isFalse();
        hear();
        assertThat(FleetLimiters.decide(nodes.get(1), REQUEST).allowed()).isTrue();
    }

    @Test
    void aDenialIsForgottenHereAtOnceAndThereWhenItHears() throws Exception {
        start(Consistency.EXACT);
        for (Limiter each : nodes) {
            while (FleetLimiters.decide(each, REQUEST).allowed()) {
                assertThat(tier(each).counters()).isZero();
            }
        }
        reset();
        hear();
        long denied = tier(nodes.get(1)).denied();
        for (Limiter each : nodes) {
            assertThat(FleetLimiters.decide(each, REQUEST).allowed()).isTrue();
        }
        assertThat(tier(nodes.get(1)).denied()).isEqualTo(denied);
    }

    @Test
    void entriesAreReadOnceInOrderAndExpire() throws Exception {
        start(Consistency.EXACT);
        assertThat(get(news.get(1).next())).isEmpty();
        get(news.get(0).post("a"));
        get(news.get(0).post("{\"b\": \"\u00e4 \"}"));
        assertThat(get(news.get(1).next())).containsExactly("a", "{\"b\": \"\u00e4 \"}");
        assertThat(get(news.get(1).next())).isEmpty();
        get(news.get(1).post("c"));
        assertThat(get(news.get(1).next())).containsExactly("c");
        List<?> keys = (List<?>) Objects.requireNonNull(redis.cli("KEYS", "*notes:resets"));
        assertThat(keys)
                .singleElement()
                .satisfies(key -> assertThat((Long) redis.cli("PTTL", String.valueOf(key)))
                        .isBetween(1L, 60_000L));
    }

    /** Their ids are Redis's time. */
    @Test
    void entriesAreReadAlsoIfRedisTimeWentBackAfterTheStreamExpired() throws Exception {
        start(Consistency.EXACT);
        get(news.get(0).post("a"));
        assertThat(get(news.get(1).next())).containsExactly("a");
        String key = String.valueOf(((List<?>) Objects.requireNonNull(redis.cli("KEYS", "*notes:resets"))).get(0));
        redis.cli("DEL", key);
        redis.cli("XADD", key, "1700000000000-0", "r", "b");
        List<String> heard = new ArrayList<>();
        await().until(() -> {
            heard.addAll(get(news.get(1).next()));
            return !heard.isEmpty();
        });
        get(news.get(0).post("c"));
        heard.addAll(get(news.get(1).next()));
        assertThat(heard).containsExactly("b", "c");
    }

    @Test
    void aClusterHasThemToo() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(true);
                RedisSharedStore store = RedisSharedStore.open(RedisSettings.of(cluster.uri()))) {
            AwaitableAsk.awaitServing(store);
            get(store.resetNews().post("a"));
            assertThat(get(store.resetNews().next())).containsExactly("a");
        }
    }
}
