package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnMissing;
import dev.weir.StoreFailure;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.EnvoyTrees;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.store.DeadlineExtension;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SharedDecisionTest {

    private static RuleBuilder bucket(String name, long requests) {
        return WeirRules.rule(name, Limit.tokenBucket(requests, Duration.ofMinutes(1)));
    }

    private static WeirRule byUser(RuleBuilder rule) {
        return rule(rule.build(), KeyBy.of("user"));
    }

    @Test
    void aDecisionComesWhenTheStoreHasAnswered() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(byUser(bucket("r", 2))));
        SharedLimiterHarness.Answer answer = fleet.ask(ask("user", "u"));
        assertThat(answer.told).isZero();
        assertThat(fleet.store().asked).containsExactly("tb:d:r:u 1");
        fleet.store().answerAll();
        assertThat(answer.text).isEqualTo("yes [r WITHIN_LIMIT 1]");
        assertThat(answer.told).isOne();
        assertThat(fleet.decided).isOne();
    }

    @Test
    void aDecisionIsAsOfTheAnswerSoThatRetryAfterIsNotTooShort() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(byUser(bucket("r", 2))));
        SharedLimiterHarness.Answer answer = fleet.ask(ask("user", "u"));
        fleet.now += 7_000;
        fleet.store().answerAll();
        assertThat(answer.decision.nowMicros()).isEqualTo(fleet.now);
    }

    @Test
    void aRequestThatMeetsNoSharedRuleIsDecidedAtOnce() {
        SharedLimiterHarness fleet =
                new SharedLimiterHarness(rules(byUser(bucket("local", 1).consistency(Consistency.LOCAL))));
        assertThat(fleet.ask(ask("user", "u")).text).isEqualTo("yes [local WITHIN_LIMIT 0]");
        assertThat(fleet.ask(ask("user", "u")).text).isEqualTo("no [local OVER_LIMIT 0]");
        assertThat(fleet.ask(ask("other", "u")).atOnce).isTrue();
        assertThat(fleet.store().asked).isEmpty();
        assertThat(fleet.decided).isEqualTo(3);
    }

    @Test
    void theDeadlineIsTheShortestOfTheRulesTheSettingsAndTheCallers() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(
                byUser(bucket("patient", 9).deadlineMicros(50_000)),
                rule(bucket("default", 9).build(), KeyBy.of("team")),
                rule(bucket("hasty", 9).deadlineMicros(2_000).build(), KeyBy.of("ip"))));
        assertThat(deadline(fleet, Long.MAX_VALUE, "user", "u")).isEqualTo(50_000);
        assertThat(deadline(fleet, Long.MAX_VALUE, "user", "u", "team", "t")).isEqualTo(10_000);
        assertThat(deadline(fleet, Long.MAX_VALUE, "user", "u", "team", "t", "ip", "10.0.0.1"))
                .isEqualTo(2_000);
        assertThat(deadline(fleet, 700, "user", "u")).isEqualTo(700);
    }

    @Test
    void theDeadlineMayBeExtendedUntilTheCallerLeaves() {
        SharedLimiterHarness fleet =
                new SharedLimiterHarness(rules(byUser(bucket("patient", 9).deadlineMicros(50_000))));
        for (long patience : new long[] {Long.MAX_VALUE, 52_000, 50_000, 700}) {
            fleet.ask(ask("user", "u"), patience);
        }
        assertThat(fleet.store().waiting)
                .extracting(each -> each.graceNanos)
                .containsExactly(DeadlineExtension.MOST_NANOS, 2_000_000L, 0L, 0L);
    }

    /** The deadline that the store is given, in microseconds from now. */
    private static long deadline(SharedLimiterHarness fleet, long patience, String... pairs) {
        fleet.ask(ask(pairs), patience);
        long deadline = fleet.store().waiting.get(0).deadlineNanos;
        fleet.store().answerAll();
        return (deadline - fleet.nanos()) / 1_000;
    }

    @Test
    void aRuleCountsInTheStoreThatItNames() {
        SharedLimiterHarness fleet =
                new SharedLimiterHarness(rules(byUser(bucket("r", 2).store("big"))), "big");
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 1]");
        assertThat(fleet.store().asked).isEmpty();
        assertThat(fleet.store("big").asked).hasSize(1);
    }

    @Test
    void aRuleWhoseStoreDoesNotExistIsRefusedAndTheLastSetStays() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(byUser(bucket("r", 2))));
        assertThatThrownBy(() -> fleet.limiter.rules(rules(byUser(bucket("s", 2).store("nowhere")))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("d/s: store: nowhere (expected: one of [default])");
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 1]");
    }

    @Test
    void aCallerThatCannotWaitGetsAnException() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(byUser(bucket("r", 2))));
        assertThatThrownBy(() -> fleet.limiter.decide(ask("user", "u")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("decideAsync");
        assertThat(fleet.store().asked).isEmpty();
    }

    @Test
    void aStageCompletesWithADecisionOfItsOwn() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(byUser(bucket("r", 2))));
        CompletableFuture<MutableDecision> one =
                fleet.limiter.decideAsync(ask("user", "u")).toCompletableFuture();
        CompletableFuture<MutableDecision> two =
                fleet.limiter.decideAsync(ask("user", "u")).toCompletableFuture();
        assertThat(one).isNotDone();
        fleet.store().answerAll();
        assertThat(LocalLimiterHarness.text(one.join())).isEqualTo("yes [r WITHIN_LIMIT 1]");
        assertThat(LocalLimiterHarness.text(two.join())).isEqualTo("yes [r WITHIN_LIMIT 0]");
        assertThat(fleet.limiter.decideAsync(ask("nobody", "u")).toCompletableFuture())
                .isCompleted();
    }

    @Test
    void theRequestIsTheCallersAgainAtOnce() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(byUser(bucket("r", 2))));
        var request = ask("user", "u");
        SharedLimiterHarness.Answer answer = fleet.ask(request);
        request.clear("elsewhere").with("user", "other").hits(99);
        fleet.store().answerAll();
        assertThat(answer.text).isEqualTo("yes [r WITHIN_LIMIT 1]");
        assertThat(answer.decision.verdict(0).hits()).isOne();
    }

    @Test
    void theCountersOfARequestAreFoundWithoutAskingAStore() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(
                rules(
                        byUser(bucket("strict", 5).onMissing(OnMissing.DENY)),
                        rule(bucket("here", 5).consistency(Consistency.LOCAL).build(), KeyBy.of("ip")),
                        rule(bucket("there", 5).store("big").build(), KeyBy.of("ip")),
                        rule(bucket("lacking", 5).build(), KeyBy.of("team"))),
                "big");
        assertThat(fleet.limiter.counters(ask("ip", "10.0.0.1")))
                .extracting(each -> each.rule() + " " + each.check().store + " " + each.check().name)
                .containsExactly("d/here -1 ", "d/there 1 tb:d:there:!a!10.0.0.1");
        assertThat(fleet.limiter.stores().at(1)).isSameAs(fleet.store("big"));
        assertThat(fleet.store("big").asked).isEmpty();
        assertThat(fleet.decide(ask("ip", "10.0.0.1", "user", "u"))).contains("here WITHIN_LIMIT 4");
    }

    @Test
    void callersLimitsCountInTheDefaultStore() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(EnvoyTrees.rules(), "big");
        var request = EnvoyTrees.ask("k=v").override(Limit.fixedWindow(1, Duration.ofMinutes(1)));
        assertThat(fleet.decide(request)).isEqualTo("yes [caller WITHIN_LIMIT 0]");
        assertThat(fleet.store().asked).containsExactly("fw60s:d:k=v 1");
        fleet.store().fail(StoreFailure.UNREACHABLE);
        assertThat(fleet.decide(request)).isEqualTo("yes [caller WITHIN_LIMIT 0] degraded");
    }

    @Test
    void aRequestThatLacksItsKeyIsDeniedWithoutAskingAStore() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(
                byUser(bucket("strict", 5).onMissing(OnMissing.DENY)),
                rule(bucket("all", 5).build(), KeyBy.global())));
        assertThat(fleet.ask(ask("ip", "10.0.0.1")).text).isEqualTo("no [strict MISSING_KEY 0]");
        assertThat(fleet.store().asked).isEmpty();
    }
}
