package dev.weir.redis.internal.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Consistency;
import dev.weir.Hold.Settlement;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.limiter.Holds;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.model.HeldRequest;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.redis.internal.store.FleetLimiters;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.internal.store.StoreFixture;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Holds of two nodes on one Redis: reserved on one, settled on the other. */
class FleetHoldsTest {
    private static RedisProcess redis;

    private final List<RedisSharedStore> stores = new ArrayList<>();

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
    }

    @AfterAll
    static void stop() {
        redis.stop();
    }

    @BeforeEach
    void flush() {
        redis.cli("FLUSHALL");
    }

    @AfterEach
    void close() {
        stores.forEach(RedisSharedStore::close);
    }

    private Limiter node(Consistency consistency) {
        RedisSharedStore store = StoreFixture.open(redis.uri());
        stores.add(store);
        StoreFixture.awaitServed(store, "ready");
        WrittenRules rules = WeirRules.rules(
                WeirRules.rule(
                        WeirRules.rule("bucket", Limit.tokenBucket(1_000, Duration.ofDays(1)))
                                .consistency(consistency)
                                .build(),
                        KeyBy.of("user")),
                WeirRules.rule(
                        WeirRules.rule("window", Limit.slidingWindow(1_000, Duration.ofDays(30)))
                                .consistency(consistency)
                                .build(),
                        KeyBy.of("user")));
        return FleetLimiters.on(store, rules, Duration.ofSeconds(4));
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    }

    private static Request hits(long hits) {
        return WeirRules.ask("user", "u").hits(hits);
    }

    /** The holds of those of {@code count} concurrent reserves of a tenth of the limit that pass. */
    private static List<HeldRequest> reserve(int count, Limiter... nodes) {
        List<CompletableFuture<Holds.Reserved>> asked = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            asked.add(nodes[i % nodes.length]
                    .holds()
                    .reserve(hits(100), Holds.DEFAULT_TTL)
                    .toCompletableFuture());
        }
        return asked.stream()
                .map(FleetHoldsTest::join)
                .map(Holds.Reserved::hold)
                .filter(Objects::nonNull)
                .toList();
    }

    @ParameterizedTest
    @EnumSource(
            value = Consistency.class,
            names = {"EXACT", "LEASED", "REPORTED"})
    void ofAHundredReservesOfATenthExactlyTenPassAndFiveMoreOnceHalfIsSettled(Consistency consistency) {
        Limiter one = node(consistency);
        Limiter other = node(consistency);
        List<HeldRequest> held = reserve(100, one, other);
        assertThat(held).hasSize(10);
        for (HeldRequest each : held) {
            assertThat(join(other.holds().settle(each, hits(50)))).isEqualTo(Settlement.DONE);
        }
        for (HeldRequest each : held) {
            assertThat(join(one.holds().settle(each, hits(0)))).isEqualTo(Settlement.BEFORE);
        }
        assertThat(reserve(100, one, other)).hasSize(5);
    }

    @ParameterizedTest
    @EnumSource(
            value = Consistency.class,
            names = {"EXACT", "LEASED"})
    void aHoldSettledForMoreThanAnyLimitDeniesEveryNodeAndOverflowsNothing(Consistency consistency) {
        Limiter one = node(consistency);
        Limiter other = node(consistency);
        HeldRequest hold = reserve(1, one).get(0);
        assertThat(join(other.holds().settle(hold, hits(Long.MAX_VALUE)))).isEqualTo(Settlement.DONE);
        assertThat(FleetLimiters.decide(one, hits(1)).allowed()).isFalse();
        assertThat(FleetLimiters.decide(other, hits(1)).allowed()).isFalse();
    }
}
