package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.match.override.LimitOverride;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.EnvoyTrees;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.LocalStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FailureDecisionTest {

    private static RuleBuilder bucket(String name, long requests) {
        return WeirRules.rule(name, Limit.tokenBucket(requests, Duration.ofMinutes(1)));
    }

    private static WeirRule byUser(RuleBuilder rule) {
        return rule(rule.build(), KeyBy.of("user"));
    }

    private static SharedLimiterHarness failing(WeirRule... rules) {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(rules));
        fleet.store().fail(StoreFailure.TIMEOUT);
        return fleet;
    }

    @Test
    void allowPassesAndSaysSo() {
        SharedLimiterHarness fleet = failing(byUser(bucket("r", 2)));
        for (int i = 0; i < 5; i++) {
            assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 1] degraded");
        }
        assertThat(fleet.failures).hasSize(5).containsOnly(StoreFailure.TIMEOUT);
    }

    @Test
    void evenAllowDeniesHitsThatNoCounterCouldHold() {
        SharedLimiterHarness fleet =
                failing(byUser(bucket("r", 2)), rule(bucket("none", 0).build(), KeyBy.of("banned")));
        assertThat(fleet.decide(ask("user", "u").hits(3))).isEqualTo("no [r NEVER 0] degraded");
        assertThat(fleet.decide(ask("banned", "b"))).isEqualTo("no [none NEVER 0] degraded");
    }

    @Test
    void denyDeniesForAnUnknownTime() {
        SharedLimiterHarness fleet = failing(byUser(bucket("login", 2).onFail(OnFail.DENY)));
        Request request = ask("user", "u");
        SharedLimiterHarness.Answer answer = fleet.ask(request);
        fleet.store().answerAll();
        assertThat(answer.text).isEqualTo("no [login STORE_DOWN 0] degraded");
        MutableVerdict verdict = answer.decision.verdict(0);
        assertThat(verdict.allowed()).isFalse();
        assertThat(verdict.retryAfter()).isZero();
        assertThat(fleet.limiter.explain(request, verdict).text())
                .isEqualTo("denied by login (2 per 1m, token_bucket) for user=u: its store does not answer,"
                        + " and the rule says on_fail: deny");
    }

    @Test
    void localEnforcesItsShareInThisProcess() {
        SharedLimiterHarness fleet =
                failing(byUser(bucket("r", 8).onFail(OnFail.LOCAL).localShare(250_000)));
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 1] degraded");
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 0] degraded");
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("no [r OVER_LIMIT 0] degraded");
        assertThat(fleet.decide(ask("user", "other"))).isEqualTo("yes [r WITHIN_LIMIT 1] degraded");
        fleet.store().fail(null);
        assertThat(fleet.decide(ask("user", "u"))).as("back").isEqualTo("yes [r WITHIN_LIMIT 7]");
    }

    @Test
    void anExplanationSaysThatTheStoreDidNotDecide() {
        SharedLimiterHarness fleet = failing(byUser(bucket("r", 1).onFail(OnFail.LOCAL)));
        Request request = ask("user", "u");
        fleet.decide(request);
        SharedLimiterHarness.Answer denied = fleet.ask(request);
        fleet.store().answerAll();
        assertThat(fleet.limiter.explain(request, denied.decision.verdict(0)).text())
                .isEqualTo(
                        "denied by r (1 per 1m, token_bucket) for user=u: its store does not answer, and the rule says"
                                + " on_fail: local; the share of this process is used up");
    }

    @Test
    void aLocalShareDeniesForAtMostASecond() {
        Rule day = WeirRules.rule("day", Limit.fixedWindow(1_000, Duration.ofDays(1)))
                .onFail(OnFail.LOCAL)
                .localShare(100_000)
                .build();
        SharedLimiterHarness fleet = failing(rule(day, KeyBy.of("user")));
        assertThat(verdictOn(fleet, 100).reset()).isEqualTo(Duration.ofSeconds(1));
        for (long hits : new long[] {1, 150}) {
            MutableVerdict denied = verdictOn(fleet, hits);
            assertThat(denied.reason()).isEqualTo(MutableVerdict.Reason.OVER_LIMIT);
            assertThat(denied.retryAfter()).isEqualTo(Duration.ofSeconds(1));
            assertThat(denied.reset()).isEqualTo(Duration.ofSeconds(1));
        }
        assertThat(verdictOn(fleet, 1_001).reason()).isEqualTo(MutableVerdict.Reason.NEVER);
        fleet.store().fail(null);
        assertThat(verdictOn(fleet, 150).allowed()).isTrue();
    }

    private static MutableVerdict verdictOn(SharedLimiterHarness fleet, long hits) {
        SharedLimiterHarness.Answer answer = fleet.ask(ask("user", "u").hits(hits));
        fleet.store().answerAll();
        return answer.decision.verdict(0);
    }

    @Test
    void aShareIsAtLeastOneHit() {
        SharedLimiterHarness fleet =
                failing(byUser(bucket("r", 8).onFail(OnFail.LOCAL).localShare(1)));
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 0] degraded");
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("no [r OVER_LIMIT 0] degraded");
    }

    @Test
    void aReportedCounterWithoutAPlaceInTheTierHasItsShareToo() {
        WeirRule reported =
                byUser(bucket("r", 8).consistency(Consistency.REPORTED).onFail(OnFail.LOCAL));
        SharedLimiterHarness fleet = new SharedLimiterHarness(
                rules(reported), LimiterSettings.defaults().withTierCounters(1).withLocalShare(250_000));
        fleet.store().fail(StoreFailure.TIMEOUT);
        assertThat(fleet.decide(ask("user", "first"))).isEqualTo("yes [r WITHIN_LIMIT 7]");
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 1] degraded");
        assertThat(fleet.decide(ask("user", "u").hits(2))).isEqualTo("no [r OVER_LIMIT 1] degraded");
    }

    @Test
    void anOverrideHasTheShareOfItsRule() {
        WeirRule r = byUser(bucket("r", 8).onFail(OnFail.LOCAL).localShare(250_000));
        CallerOverrides quota =
                new CallerOverrides(null, List.of(new LimitOverride("r", 40, 60 * LocalLimiterHarness.SECOND, null)));
        SharedLimiterHarness fleet = new SharedLimiterHarness(RuleIndex.of(rules(r), key -> quota, RuleSwitches.NONE));
        fleet.store().fail(StoreFailure.TIMEOUT);
        assertThat(fleet.decide(ask("user", "u", "api_key", "k"))).isEqualTo("yes [r WITHIN_LIMIT 9] degraded");
    }

    /** The collaborator that fails while answers are applied. */
    enum Fault {
        STORE_FAILED,
        KEY_MISSING,
        DECIDED,
        LOCAL_STORE
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void theWaiterIsCalledWhateverFailsOnTheWayBack(Fault fault) {
        RuntimeException thrown = new RuntimeException("a fault of ours");
        LimiterObserver observer = new LimiterObserver() {
            @Override
            public void decided(Request request, MutableDecision decision) {
                fail(Fault.DECIDED);
            }

            @Override
            public void keyMissing(Rule rule) {
                fail(Fault.KEY_MISSING);
            }

            @Override
            public void storeFailed(StoreFailure failure) {
                fail(Fault.STORE_FAILED);
            }

            private void fail(Fault here) {
                if (fault == here) {
                    throw thrown;
                }
            }
        };
        LocalStore local = new LocalStore() {
            @Override
            public boolean decide(Checks checks, long nowMicros) {
                if (fault == Fault.LOCAL_STORE) {
                    throw thrown;
                }
                for (int i = 0; i < checks.size(); i++) {
                    checks.get(i).outcome.allowed = true;
                }
                return checks.allowed();
            }

            @Override
            public boolean forget(Check check) {
                return false;
            }

            @Override
            public void close() {}
        };
        WrittenRules rules = rules(
                byUser(bucket("r", 8).onFail(OnFail.LOCAL)),
                byUser(bucket("login", 8).onFail(OnFail.DENY)),
                rule(bucket("team", 8).build(), KeyBy.of("team")));
        SharedLimiterHarness fleet = failing();
        Limiter limiter =
                new Limiter(rules, local, SharedStores.of(fleet.stores), fleet, LimiterSettings.defaults(), observer);
        SharedLimiterHarness.Answer answer = new SharedLimiterHarness.Answer(Long.MAX_VALUE);
        limiter.decide(ask("user", "u"), fleet.now, new MutableDecision(), () -> answer);
        assertThatThrownBy(() -> fleet.store().answerAll()).isSameAs(thrown);
        assertThat(answer.told).isOne();
        assertThat(answer.text).startsWith("no [r WITHIN_LIMIT").endsWith("login STORE_DOWN 0] degraded");
    }

    @Test
    void requestLimitsFollowTheSettings() {
        LimiterSettings settings =
                LimiterSettings.defaults().withOnFail(OnFail.LOCAL).withLocalShare(500_000);
        SharedLimiterHarness fleet = new SharedLimiterHarness(EnvoyTrees.rules(), settings);
        fleet.store().fail(StoreFailure.OPEN);
        Request request = EnvoyTrees.ask("k=v").override(Limit.tokenBucket(2, Duration.ofMinutes(1)));
        assertThat(fleet.decide(request)).isEqualTo("yes [caller WITHIN_LIMIT 0] degraded");
        assertThat(fleet.decide(request)).isEqualTo("no [caller OVER_LIMIT 0] degraded");
    }

    @Test
    void aFailureOfOneStoreIsNoneOfTheOther() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(
                rules(
                        byUser(bucket("here", 2).onFail(OnFail.DENY)),
                        rule(bucket("there", 5).store("big").build(), KeyBy.of("team"))),
                "big");
        fleet.store("big").fail(StoreFailure.UNREACHABLE);
        assertThat(fleet.decide(ask("user", "u", "team", "t")))
                .isEqualTo("yes [here WITHIN_LIMIT 1, there WITHIN_LIMIT 4] degraded");
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [here WITHIN_LIMIT 0]");
    }

    @Test
    void hitsTakenElsewhereAreGivenBackOnADenial() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(
                rules(
                        byUser(bucket("here", 2)),
                        rule(bucket("login", 5).store("big").onFail(OnFail.DENY).build(), KeyBy.of("team"))),
                "big");
        fleet.store("big").fail(StoreFailure.UNAVAILABLE);
        assertThat(fleet.decide(ask("user", "u", "team", "t")))
                .isEqualTo("no [here WITHIN_LIMIT 2, login STORE_DOWN 0] degraded");
        assertThat(fleet.store().asked).containsExactly("tb:d:here:u 1", "tb:d:here:u -1");
        assertThat(fleet.gaveBack).isOne();
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [here WITHIN_LIMIT 1]");
    }

    @Test
    void hitsTakenElsewhereAreGivenBackIfAShareDenies() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(
                rules(
                        byUser(bucket("here", 9)),
                        rule(
                                bucket("shared", 1)
                                        .store("big")
                                        .onFail(OnFail.LOCAL)
                                        .build(),
                                KeyBy.of("team"))),
                "big");
        fleet.store("big").fail(StoreFailure.OPEN);
        Request request = ask("user", "u", "team", "t");
        assertThat(fleet.decide(request)).isEqualTo("yes [here WITHIN_LIMIT 8, shared WITHIN_LIMIT 0] degraded");
        assertThat(fleet.decide(request)).isEqualTo("no [here WITHIN_LIMIT 8, shared OVER_LIMIT 0] degraded");
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [here WITHIN_LIMIT 7]");
    }

    @Test
    void aShadowRuleDeniesNothingWhileItsStoreIsUnreachable() {
        SharedLimiterHarness fleet =
                failing(byUser(bucket("watch", 2).shadow(true).onFail(OnFail.DENY)));
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [watch STORE_DOWN 0] degraded");
    }

    @Test
    void aKnownDenialIsBindingBeforeAnUnknownOne() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(
                rules(
                        byUser(bucket("login", 2).store("big").onFail(OnFail.DENY)),
                        rule(bucket("used up", 0).build(), KeyBy.of("team"))),
                "big");
        fleet.store("big").fail(StoreFailure.OPEN);
        SharedLimiterHarness.Answer answer = fleet.ask(ask("user", "u", "team", "t"));
        fleet.store().answerAll();
        fleet.store("big").answerAll();
        MutableVerdict binding = answer.decision.binding();
        assertThat(binding).isNotNull().extracting(MutableVerdict::reason).isEqualTo(MutableVerdict.Reason.NEVER);
    }

    @ParameterizedTest
    @EnumSource(StoreFailure.class)
    void everyFailureIsObservedByItsName(StoreFailure failure) {
        SharedLimiterHarness fleet =
                failing(byUser(bucket("a", 2)), rule(bucket("b", 2).build(), KeyBy.of("team")));
        fleet.store().fail(failure);
        fleet.decide(ask("user", "u", "team", "t"));
        assertThat(fleet.failures).containsExactly(failure, failure);
    }
}
