package dev.weir.redis.internal.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Cause;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.LoadShedder.Priority;
import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.weir.PriorityRule;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two nodes that share the capacity of a service on a real Redis. */
class CapacityNodesTest {
    private static final Duration DEADLINE = Duration.ofSeconds(1);
    private static final long WINDOW_SECONDS = 10;
    private static final long CAPACITY = 400;
    /** Without the 2.5 % that are always kept free. */
    private static final long ROOM = 390;

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

    @AfterEach
    void close() {
        stores.forEach(RedisSharedStore::close);
    }

    private static WrittenRules rules(String name, Consistency consistency) {
        WeirRule service = WeirRules.rule(
                WeirRules.rule(name, Limit.slidingWindow(CAPACITY, Duration.ofSeconds(WINDOW_SECONDS)))
                        .reserve(200)
                        .denyAs(Cause.CAPACITY)
                        .consistency(consistency)
                        .build(),
                KeyBy.global());
        return WrittenRules.builder()
                .weir("d", List.of(service))
                .priorities(
                        "d",
                        List.of(new PriorityRule(List.of(Condition.of("class", "gold")), Priority.CRITICAL, false)))
                .build();
    }

    private Limiter node(WrittenRules rules) {
        RedisSharedStore store = StoreFixture.open(StoreFixture.settings(redis.uri(), DEADLINE));
        stores.add(store);
        StoreFixture.awaitServed(store, "ready");
        return FleetLimiters.on(store, rules, DEADLINE);
    }

    /** The window that Redis counts in. */
    private static long window() {
        List<?> time = (List<?>) Objects.requireNonNull(redis.cli("TIME"));
        return Long.parseLong(String.valueOf(time.get(0))) / WINDOW_SECONDS;
    }

    @ParameterizedTest
    @EnumSource(names = {"EXACT", "LEASED"})
    void othersShareWhatIsNotReservedAndCriticalRequestsPass(Consistency consistency) {
        long window;
        int attempt = 0;
        int passed;
        List<Limiter> nodes;
        do { // until all is sent within one window
            WrittenRules rules = rules("service:" + consistency + attempt++, consistency);
            nodes = List.of(node(rules), node(rules));
            window = window();
            passed = 0;
            for (int i = 0; i < 2 * CAPACITY; i++) {
                Request request = WeirRules.ask("method", "POST", "user_id", "u" + i);
                passed += FleetLimiters.decide(nodes.get(i % 2), request).allowed() ? 1 : 0;
            }
        } while (window != window() && attempt < 20);
        assertThat(passed).isLessThanOrEqualTo((int) ROOM);
        assertThat(passed).isGreaterThan(consistency == Consistency.EXACT ? (int) ROOM - 1 : (int) (0.9 * ROOM));
        for (int i = 0; i < CAPACITY; i++) {
            MutableDecision decision =
                    FleetLimiters.decide(nodes.get(i % 2), WeirRules.ask("class", "gold", "user_id", "u" + i));
            assertThat(decision.allowed()).isTrue();
            assertThat(decision.degraded()).isFalse();
        }
        MutableDecision denied = FleetLimiters.decide(nodes.get(0), WeirRules.ask("method", "GET", "user_id", "u"));
        assertThat(denied.allowed()).isFalse();
        assertThat(Objects.requireNonNull(denied.binding()).cause()).isEqualTo(Cause.CAPACITY);
    }
}
