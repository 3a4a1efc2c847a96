package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.internal.limiter.SharedLimiterHarness.Answer;
import dev.weir.internal.limiter.shared.PermitAnswer;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.HeldPermit;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.model.TakenPermits;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.store.Check;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Concurrency rules in a decision: what is taken, what is left out, and what comes back. */
class PermitDecisionTest {
    private static final Duration TTL = Duration.ofSeconds(60);

    private static RuleBuilder concurrency(String name, long requests) {
        return WeirRules.rule(name, Limit.concurrency(requests, TTL));
    }

    private static WeirRule byUser(RuleBuilder rule) {
        return rule(rule.build(), KeyBy.of("user"));
    }

    private static RuleBuilder rate(String name, long requests) {
        return WeirRules.rule(name, Limit.fixedWindow(requests, Duration.ofHours(1)));
    }

    private static TakenPermits taken(Answer answer) {
        return Objects.requireNonNull(answer.decision.permits());
    }

    private static PermitAnswer release(SharedLimiterHarness fleet, List<HeldPermit> held) {
        return fleet.limiter.permits().release(held).toCompletableFuture().join();
    }

    private static SharedLimiterHarness answering(WeirRule... rules) {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(rules), "other");
        fleet.stores.values().forEach(ScriptedStore::answering);
        return fleet;
    }

    @Test
    void aPermitIsHeldUntilItIsReleased() {
        SharedLimiterHarness fleet = answering(byUser(concurrency("c", 1)));
        Answer first = fleet.ask(ask("user", "u"));
        assertThat(first.text).isEqualTo("yes [c WITHIN_LIMIT 0]");
        assertThat(taken(first).taken()).isEqualTo(1);
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("no [c OVER_LIMIT 0]");
        assertThat(release(fleet, taken(first).held())).isEqualTo(PermitAnswer.DONE);
        assertThat(fleet.decide(ask("user", "u"))).as("no denial is cached").isEqualTo("yes [c WITHIN_LIMIT 0]");
        assertThat(release(fleet, taken(first).held())).isEqualTo(PermitAnswer.GONE);
    }

    @Test
    void permitsOfOnePlaceComeBackByTheirIdIfAnotherDenies() {
        SharedLimiterHarness fleet =
                answering(byUser(concurrency("c", 1)), byUser(rate("r", 3).store("other")));
        Answer first = fleet.ask(ask("user", "u"));
        assertThat(first.decision.allowed()).isTrue();
        assertThat(release(fleet, taken(first).held())).isEqualTo(PermitAnswer.DONE);
        assertThat(fleet.ask(ask("user", "u")).decision.allowed()).isTrue();
        assertThat(fleet.ask(ask("user", "u")).decision.allowed())
                .as("one in flight")
                .isFalse();
        fleet.now += TTL.toNanos() / 1_000;
        assertThat(fleet.ask(ask("user", "u")).decision.allowed()).isTrue();
        fleet.now += TTL.toNanos() / 1_000;
        Answer denied = fleet.ask(ask("user", "u"));
        assertThat(denied.decision.allowed()).isFalse();
        assertThat(taken(denied).held()).isEmpty();
        assertThat(fleet.ask(ask("user", "u").hits(0)).text).contains("c WITHIN_LIMIT 1");
    }

    @Test
    void aRuleThatIsNotRolledOutCountsPermitsAndDeniesNobody() {
        SharedLimiterHarness fleet = answering(byUser(concurrency("c", 1).rollout(0)));
        Answer first = fleet.ask(ask("user", "u"));
        assertThat(taken(first).held()).hasSize(1);
        assertThat(fleet.ask(ask("user", "u")).decision.allowed()).isTrue();
        assertThat(release(fleet, taken(first).held())).isEqualTo(PermitAnswer.DONE);
    }

    @Test
    void aCallerThatCannotReleaseIsDecidedByTheOtherRules() {
        SharedLimiterHarness fleet = answering(byUser(concurrency("c", 0)), byUser(rate("r", 3)));
        Answer answer = fleet.ask(ask("user", "u").withoutPermits());
        assertThat(answer.text).isEqualTo("yes [r WITHIN_LIMIT 2]");
        assertThat(taken(answer).unenforced()).containsExactly("c");
        assertThat(taken(answer).held()).isEmpty();
    }

    @Test
    void hitsGivenBackTouchNoRateWhereAConcurrencyRuleIsMet() {
        SharedLimiterHarness fleet = answering(byUser(concurrency("c", 2)), byUser(rate("r", 9)));
        fleet.ask(ask("user", "u"));
        fleet.ask(ask("user", "u"));
        assertThat(fleet.ask(ask("user", "u").hits(-1)).text).isEqualTo("yes [c WITHIN_LIMIT 1]");
        assertThat(fleet.ask(ask("user", "u").hits(0)).text).contains("c WITHIN_LIMIT 1", "r WITHIN_LIMIT 7");
        SharedLimiterHarness without = answering(byUser(rate("r", 9)));
        without.ask(ask("user", "u"));
        assertThat(without.ask(ask("user", "u").hits(-1)).text).isEqualTo("yes [r WITHIN_LIMIT 9]");
        assertThat(without.ask(ask("user", "u")).decision.permits()).isNull();
    }

    @Test
    void permitsOfALostAnswerAreReleased() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(byUser(concurrency("c", 2))));
        fleet.store().fail(StoreFailure.TIMEOUT);
        Answer lost = fleet.ask(ask("user", "u"));
        fleet.store().answer(0);
        assertThat(lost.decision.allowed()).isTrue();
        assertThat(lost.decision.degraded()).isTrue();
        assertThat(taken(lost).held()).isEmpty();
        assertThat(taken(lost).taken()).isZero();
        assertThat(fleet.store().asked).hasSize(2);
        assertThat(fleet.store().asked.get(1)).endsWith(" -1");
    }

    @Test
    void permitsThatAPausedProcessHearsOfLateAreReleased() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(byUser(concurrency("c", 1)), byUser(rate("r", 5))));
        Answer late = fleet.ask(ask("user", "u"));
        fleet.store().answerAllAfter(TTL.toNanos() / 4_000);
        assertThat(late.decision.degraded()).isTrue();
        assertThat(taken(late).held()).isEmpty();
        fleet.store().answerAll();
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [c WITHIN_LIMIT 0, r WITHIN_LIMIT 3]");
    }

    @Test
    void theLocalShareCountsPermitsInThisProcess() {
        SharedLimiterHarness fleet =
                answering(byUser(concurrency("c", 4).onFail(OnFail.LOCAL).localShare(250_000)));
        fleet.store().fail(StoreFailure.UNREACHABLE);
        Answer first = fleet.ask(ask("user", "u"));
        assertThat(first.text).isEqualTo("yes [c WITHIN_LIMIT 0] degraded");
        assertThat(taken(first).held()).extracting(HeldPermit::store).containsExactly(Check.LOCAL);
        assertThat(taken(first).taken()).as("a give-back would go to the store").isZero();
        assertThat(fleet.ask(ask("user", "u")).decision.allowed()).isFalse();
        assertThat(release(fleet, taken(first).held())).isEqualTo(PermitAnswer.DONE);
        assertThat(fleet.ask(ask("user", "u")).decision.allowed()).isTrue();
    }

    @Test
    void aRuleThatIsOnlyWatchedDoesNotKeepEnvoyFromGivingBack() {
        SharedLimiterHarness fleet = answering(
                byUser(concurrency("c", 5)), byUser(concurrency("watched", 0).shadow(true)));
        assertThat(taken(fleet.ask(ask("user", "u"))).taken()).isEqualTo(1);
        SharedLimiterHarness alone = answering(byUser(concurrency("watched", 1).shadow(true)));
        assertThat(taken(alone.ask(ask("user", "u"))).taken()).isEqualTo(1);
        assertThat(taken(alone.ask(ask("user", "u"))).taken())
                .as("over: none was taken")
                .isZero();
    }

    @Test
    void noLeaseAndNoReportStandsForPermits() {
        for (Consistency each : List.of(Consistency.LEASED, Consistency.REPORTED)) {
            SharedLimiterHarness fleet = answering(byUser(concurrency("c", 500).consistency(each)));
            Request request = ask("user", "u");
            assertThat(fleet.ask(request).text).isEqualTo("yes [c WITHIN_LIMIT 499]");
            assertThat(fleet.ask(request).text).isEqualTo("yes [c WITHIN_LIMIT 498]");
            assertThat(fleet.store().asked)
                    .hasSize(2)
                    .allSatisfy(asked -> assertThat(asked).endsWith(" 1"));
        }
    }
}
