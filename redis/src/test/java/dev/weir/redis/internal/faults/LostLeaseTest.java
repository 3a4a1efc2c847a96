package dev.weir.redis.internal.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Algorithm;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.Request;
import dev.weir.internal.lease.Leases;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.redis.internal.store.FleetLimiters;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.internal.store.StoreFixture;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A node that leases, and whose answers come later than it waits for them. */
class LostLeaseTest extends ProxiedRedisFixture {
    private static final Duration DEADLINE = Duration.ofMillis(300);
    private static final long LIMIT = 9_000;
    private static final Request REQUEST = WeirRules.ask("user", "u");

    private static WrittenRules rules(Algorithm algorithm, Consistency consistency) {
        Limit limit = Limit.of(algorithm, LIMIT, Duration.ofDays(30));
        return WeirRules.rules(WeirRules.rule(
                WeirRules.rule("r", limit)
                        .consistency(consistency)
                        .onFail(OnFail.DENY)
                        .build(),
                KeyBy.of("user")));
    }

    private static Leases leases(Limiter node) {
        return Objects.requireNonNull(node.tier()).leases();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"LEAKY_BUCKET", "CONCURRENCY"})
    void hitsThatWereGrantedInAnAnswerThatCameTooLateAreNotLost(Algorithm algorithm) {
        try (RedisSharedStore way = StoreFixture.open(StoreFixture.settings(proxy.uri(), DEADLINE));
                RedisSharedStore direct = StoreFixture.open(StoreFixture.settings(redis.uri(), DEADLINE))) {
            StoreFixture.awaitServed(way, "ready");
            StoreFixture.awaitServed(direct, "ready");
            Limiter node = FleetLimiters.on(way, rules(algorithm, Consistency.LEASED), DEADLINE);
            Limiter exact = FleetLimiters.on(direct, rules(algorithm, Consistency.EXACT), DEADLINE);
            long passed = 0;
            long unknown = 0;
            for (int i = 0; i < 3; i++) {
                long granted = leases(node).stats().taken();
                while (leases(node).stats().taken() < granted + 3) {
                    node.tick();
                    passed += FleetLimiters.decide(node, REQUEST).allowed() ? 1 : 0;
                }
                proxy.latency(Duration.ZERO, DEADLINE.multipliedBy(2));
                boolean heard = true;
                while (heard) { // it spends what it holds, then it asks
                    MutableDecision decision = FleetLimiters.decide(node, REQUEST);
                    heard = !decision.degraded();
                    passed += decision.allowed() ? 1 : 0;
                    unknown += decision.degraded() ? 1 : 0;
                }
                proxy.latency(Duration.ZERO, Duration.ZERO);
                StoreFixture.awaitServed(way, "back");
            }
            long admitted = passed;
            long mayBeCharged = unknown;
            await().untilAsserted(() -> {
                node.tick();
                MutableDecision asked =
                        FleetLimiters.decide(exact, WeirRules.ask("user", "u").hits(0));
                long counted = LIMIT - asked.verdict(0).remaining();
                assertThat(counted)
                        .isBetween(
                                admitted + leases(node).held(),
                                admitted + leases(node).held() + mayBeCharged);
            });
        }
    }
}
