package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.EnvoyTrees;
import dev.weir.internal.ruleset.WeirRules;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The deny cache on the way of a request. */
class KnownDenialsTest {
    private static final long SECOND = LocalLimiterHarness.SECOND;

    private static RuleBuilder bucket(String name, long requests) {
        return WeirRules.rule(name, Limit.tokenBucket(requests, Duration.ofMinutes(1)));
    }

    private static WeirRule byUser(RuleBuilder rule) {
        return rule(rule.build(), KeyBy.of("user"));
    }

    @Test
    void clientsThatRetryAtOnceDoNotReachTheStore() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(byUser(bucket("r", 1))));
        fleet.decide(ask("user", "u"));
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("no [r OVER_LIMIT 0]");
        int asked = fleet.store().asked.size();
        for (int i = 0; i < 100; i++) {
            fleet.now += 5_000;
            SharedLimiterHarness.Answer answer = fleet.ask(ask("user", "u"));
            assertThat(answer.atOnce).isTrue();
            assertThat(answer.text).isEqualTo("no [r OVER_LIMIT 0]");
            assertThat(answer.decision.verdict(0).retryAfterMicros()).isEqualTo(60 * SECOND - (i + 1) * 5_000L);
        }
        assertThat(fleet.store().asked).hasSize(asked);
        assertThat(fleet.decided).isEqualTo(102);
        assertThat(fleet.ask(ask("user", "other")).atOnce).isFalse();
    }

    @Test
    void withoutTheCacheTheStoreIsAskedEachTimeAndStandsInOnlyWhileItIsUnreachable() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(
                rules(byUser(bucket("r", 1))), LimiterSettings.defaults().withCacheDenials(false));
        fleet.decide(ask("user", "u"));
        for (int i = 0; i < 10; i++) {
            assertThat(fleet.decide(ask("user", "u"))).isEqualTo("no [r OVER_LIMIT 0]");
        }
        assertThat(fleet.store().asked).hasSize(11);
        fleet.store().fail(StoreFailure.UNREACHABLE);
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("no [r OVER_LIMIT 0]");
        fleet.now += 60 * SECOND;
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 0] degraded");
    }

    @Test
    void aCounterThatWasResetElsewhereIsSeenWithinASecond() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(byUser(bucket("r", 1))));
        fleet.decide(ask("user", "u"));
        fleet.decide(ask("user", "u"));
        fleet.store().counters.close();
        fleet.now += SECOND - 1;
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("no [r OVER_LIMIT 0]");
        fleet.now += 1;
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 0]");
    }

    @Test
    void reValidationIsNotSpentIfAnotherDenialIsCached() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(
                rules(byUser(bucket("r", 1)), rule(bucket("ip", 1).build(), KeyBy.of("ip"))));
        fleet.decide(ask("user", "u"));
        fleet.decide(ask("user", "u"));
        fleet.now += SECOND / 2;
        fleet.decide(ask("ip", "1"));
        fleet.decide(ask("ip", "1"));
        fleet.store().counters.close();
        fleet.now += SECOND / 2;
        assertThat(fleet.decide(ask("user", "u", "ip", "1"))).isEqualTo("no [ip OVER_LIMIT 0]");
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 0]");
    }

    @Test
    void aCallerOverItsLimitStaysDeniedWhileTheStoreIsUnreachable() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(byUser(bucket("r", 1))));
        fleet.decide(ask("user", "u"));
        fleet.decide(ask("user", "u"));
        fleet.store().fail(StoreFailure.UNREACHABLE);
        for (int i = 0; i < 59; i++) {
            fleet.now += SECOND;
            assertThat(fleet.decide(ask("user", "u"))).isEqualTo("no [r OVER_LIMIT 0]");
        }
        fleet.now += SECOND;
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 0] degraded");
    }

    @Test
    void aGiveBackClearsIt() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(byUser(bucket("r", 1))));
        fleet.decide(ask("user", "u"));
        fleet.decide(ask("user", "u"));
        assertThat(fleet.decide(ask("user", "u").hits(-1))).isEqualTo("yes [r WITHIN_LIMIT 1]");
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 0]");
    }

    @Test
    void aRaisedLimitClearsIt() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(byUser(bucket("r", 1))));
        fleet.decide(ask("user", "u"));
        fleet.decide(ask("user", "u"));
        fleet.limiter.rules(rules(byUser(bucket("r", 3))));
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 1]");
    }

    @Test
    void aCheaperRequestAsks() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(byUser(bucket("r", 5))));
        fleet.decide(ask("user", "u").hits(3));
        assertThat(fleet.decide(ask("user", "u").hits(3))).isEqualTo("no [r OVER_LIMIT 2]");
        assertThat(fleet.decide(ask("user", "u").hits(4))).isEqualTo("no [r OVER_LIMIT 2]");
        assertThat(fleet.decide(ask("user", "u").hits(2))).isEqualTo("yes [r WITHIN_LIMIT 0]");
    }

    @Test
    void aCostlierRequestToASlidingWindowAsksAndStaysDeniedWithoutAStore() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(
                rules(byUser(WeirRules.rule("r", Limit.slidingWindow(100, Duration.ofSeconds(20))))));
        fleet.decide(ask("user", "u").hits(100));
        assertThat(fleet.decide(ask("user", "u"))).startsWith("no ");
        SharedLimiterHarness.Answer costly = fleet.ask(ask("user", "u").hits(90));
        fleet.store().answerAll();
        assertThat(costly.text).startsWith("no ");
        fleet.now += costly.decision.verdict(0).retryAfterMicros() - 1;
        assertThat(fleet.decide(ask("user", "u").hits(90))).startsWith("no ");
        fleet.now += 1;
        assertThat(fleet.decide(ask("user", "u").hits(90))).startsWith("yes ");

        assertThat(fleet.decide(ask("user", "u").hits(20))).startsWith("no ");
        fleet.store().fail(StoreFailure.UNREACHABLE);
        assertThat(fleet.decide(ask("user", "u").hits(90))).startsWith("no ");
    }

    @Test
    void aDenialOfTwoHitsDoesNotDenyOne() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(byUser(bucket("r", 1))));
        Request twice = ask("user", "u").descriptor().with("user", "u");
        assertThat(fleet.decide(twice)).isEqualTo("no [r WITHIN_LIMIT 1, r OVER_LIMIT 1]");
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 0]");
    }

    @Test
    void aKnownDenialChargesNobodyElse() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(
                rules(byUser(bucket("r", 1)), rule(bucket("all", 9).build(), KeyBy.global())));
        fleet.decide(ask("user", "u"));
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("no [r OVER_LIMIT 0, all WITHIN_LIMIT 8]");
        assertThat(fleet.decide(ask("user", "u")))
                .as("no verdict of what was not asked")
                .isEqualTo("no [r OVER_LIMIT 0]");
        assertThat(fleet.decide(ask("user", "v"))).isEqualTo("yes [r WITHIN_LIMIT 0, all WITHIN_LIMIT 7]");
    }

    @Test
    void aShadowRuleIsAlwaysAsked() {
        SharedLimiterHarness fleet =
                new SharedLimiterHarness(rules(byUser(bucket("r", 1).shadow(true))));
        fleet.decide(ask("user", "u"));
        fleet.decide(ask("user", "u"));
        assertThat(fleet.ask(ask("user", "u")).atOnce).isFalse();
    }

    @Test
    void callersLimitsOnOneCounterDoNotDenyEachOther() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(EnvoyTrees.rules());
        Request tight = EnvoyTrees.ask("k=v").override(Limit.fixedWindow(1, Duration.ofMinutes(1)));
        Request loose = EnvoyTrees.ask("k=v").override(Limit.fixedWindow(9, Duration.ofMinutes(1)));
        fleet.decide(tight);
        assertThat(fleet.decide(tight)).isEqualTo("no [caller OVER_LIMIT 0]");
        assertThat(fleet.decide(loose)).isEqualTo("yes [caller WITHIN_LIMIT 6]");
    }
}
