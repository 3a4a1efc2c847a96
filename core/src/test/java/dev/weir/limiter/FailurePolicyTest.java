package dev.weir.limiter;

import static dev.weir.match.Weir.ask;
import static dev.weir.match.Weir.rule;
import static dev.weir.match.Weir.rules;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.match.Envoy;
import dev.weir.match.KeyBy;
import dev.weir.match.Quota;
import dev.weir.match.QuotaOverride;
import dev.weir.match.RuleSet;
import dev.weir.match.Weir;
import dev.weir.match.WeirRule;
import dev.weir.model.Consistency;
import dev.weir.model.Decision;
import dev.weir.model.Limit;
import dev.weir.model.OnFail;
import dev.weir.model.Request;
import dev.weir.model.Rule;
import dev.weir.model.RuleBuilder;
import dev.weir.model.Verdict;
import dev.weir.store.Check;
import dev.weir.store.Checks;
import dev.weir.store.Store;
import dev.weir.store.StoreFailure;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FailurePolicyTest {

    private static RuleBuilder bucket(String name, long requests) {
        return Weir.rule(name, Limit.tokenBucket(requests, Duration.ofMinutes(1)));
    }

    private static WeirRule byUser(RuleBuilder rule) {
        return rule(rule.build(), KeyBy.of("user"));
    }

    private static Fleet failing(WeirRule... rules) {
        Fleet fleet = new Fleet(rules(rules));
        fleet.store().fail(StoreFailure.TIMEOUT);
        return fleet;
    }

    @Test
    void allowPassesAndSaysSo() {
        Fleet fleet = failing(byUser(bucket("r", 2)));
        for (int i = 0; i < 5; i++) {
            assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 1] degraded");
        }
        assertThat(fleet.failures).hasSize(5).containsOnly(StoreFailure.TIMEOUT);
    }

    @Test
    void evenAllowDeniesWhatNoCounterCouldHold() {
        Fleet fleet = failing(byUser(bucket("r", 2)), rule(bucket("none", 0).build(), KeyBy.of("banned")));
        assertThat(fleet.decide(ask("user", "u").hits(3))).isEqualTo("no [r NEVER 0] degraded");
        assertThat(fleet.decide(ask("banned", "b"))).isEqualTo("no [none NEVER 0] degraded");
    }

    @Test
    void denyDeniesAndNobodyKnowsForHowLong() {
        Fleet fleet = failing(byUser(bucket("login", 2).onFail(OnFail.DENY)));
        Request request = ask("user", "u");
        Fleet.Answer answer = fleet.ask(request);
        fleet.store().answerAll();
        assertThat(answer.text).isEqualTo("no [login STORE_DOWN 0] degraded");
        Verdict verdict = answer.decision.verdict(0);
        assertThat(verdict.allowed()).isFalse();
        assertThat(verdict.retryAfter()).isZero();
        assertThat(fleet.limiter.explain(request, verdict).text())
                .isEqualTo("the store of login for user=u does not answer, and the rule says on_fail: deny");
    }

    @Test
    void localEnforcesItsShareInThisProcess() {
        Fleet fleet = failing(byUser(bucket("r", 8).onFail(OnFail.LOCAL).localShare(250_000)));
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 1] degraded");
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 0] degraded");
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("no [r OVER_LIMIT 0] degraded");
        assertThat(fleet.decide(ask("user", "other"))).isEqualTo("yes [r WITHIN_LIMIT 1] degraded");
        fleet.store().fail(null);
        assertThat(fleet.decide(ask("user", "u"))).as("back").isEqualTo("yes [r WITHIN_LIMIT 7]");
    }

    @Test
    void anExplanationSaysThatTheStoreHadNoPartInIt() {
        Fleet fleet = failing(byUser(bucket("r", 1).onFail(OnFail.LOCAL)));
        Request request = ask("user", "u");
        fleet.decide(request);
        Fleet.Answer denied = fleet.ask(request);
        fleet.store().answerAll();
        assertThat(fleet.limiter.explain(request, denied.decision.verdict(0)).text())
                .isEqualTo(
                        "the store of r for user=u does not answer, and the rule says on_fail: local; this process's share of it is used up");
    }

    @Test
    void aShareSendsNobodyAwayForLongerThanTheStoreMayBe() {
        Rule day = Weir.rule("day", Limit.fixedWindow(1_000, Duration.ofDays(1)))
                .onFail(OnFail.LOCAL)
                .localShare(100_000)
                .build();
        Fleet fleet = failing(rule(day, KeyBy.of("user")));
        assertThat(verdictOn(fleet, 100).reset()).isEqualTo(Duration.ofSeconds(1));
        for (long hits : new long[] {1, 150}) {
            Verdict denied = verdictOn(fleet, hits);
            assertThat(denied.reason()).isEqualTo(Verdict.Reason.OVER_LIMIT);
            assertThat(denied.retryAfter()).isEqualTo(Duration.ofSeconds(1));
            assertThat(denied.reset()).isEqualTo(Duration.ofSeconds(1));
        }
        assertThat(verdictOn(fleet, 1_001).reason()).isEqualTo(Verdict.Reason.NEVER);
        fleet.store().fail(null);
        assertThat(verdictOn(fleet, 150).allowed()).isTrue();
    }

    private static Verdict verdictOn(Fleet fleet, long hits) {
        Fleet.Answer answer = fleet.ask(ask("user", "u").hits(hits));
        fleet.store().answerAll();
        return answer.decision.verdict(0);
    }

    @Test
    void aShareIsAtLeastOneHit() {
        Fleet fleet = failing(byUser(bucket("r", 8).onFail(OnFail.LOCAL).localShare(1)));
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 0] degraded");
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("no [r OVER_LIMIT 0] degraded");
    }

    @Test
    void whatIsReportedAndFindsNoRoomInTheTierHasItsShareToo() {
        WeirRule reported =
                byUser(bucket("r", 8).consistency(Consistency.REPORTED).onFail(OnFail.LOCAL));
        Fleet fleet = new Fleet(
                rules(reported), LimiterSettings.defaults().withTierCounters(1).withLocalShare(250_000));
        fleet.store().fail(StoreFailure.TIMEOUT);
        assertThat(fleet.decide(ask("user", "first"))).isEqualTo("yes [r WITHIN_LIMIT 7]");
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [r WITHIN_LIMIT 1] degraded");
        assertThat(fleet.decide(ask("user", "u").hits(2))).isEqualTo("no [r OVER_LIMIT 1] degraded");
    }

    @Test
    void whatWasAgreedWithACallerHasTheShareOfItsRule() {
        WeirRule r = byUser(bucket("r", 8).onFail(OnFail.LOCAL).localShare(250_000));
        Quota quota = new Quota(null, List.of(new QuotaOverride("r", 40, 60 * Decisions.SECOND, null)));
        Fleet fleet = new Fleet(
                RuleSet.builder().weir("d", List.of(r)).quotas(key -> quota).build());
        fleet.store().fail(StoreFailure.TIMEOUT);
        assertThat(fleet.decide(ask("user", "u", "api_key", "k"))).isEqualTo("yes [r WITHIN_LIMIT 9] degraded");
    }

    /** What fails while answers are taken in. */
    enum Fault {
        STORE_FAILED,
        KEY_MISSING,
        DECIDED,
        LOCAL_STORE
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void whoeverFailsOnTheWayBackWhoWaitsIsTold(Fault fault) {
        RuntimeException thrown = new RuntimeException("a fault of ours");
        LimiterObserver observer = new LimiterObserver() {
            @Override
            public void decided(Request request, Decision decision) {
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
        Store local = new Store() {
            @Override
            public boolean decide(Checks checks, long nowMicros) {
                if (fault == Fault.LOCAL_STORE) {
                    throw thrown;
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
        RuleSet rules = rules(
                byUser(bucket("r", 8).onFail(OnFail.LOCAL)),
                byUser(bucket("login", 8).onFail(OnFail.DENY)),
                rule(bucket("team", 8).build(), KeyBy.of("team")));
        Fleet fleet = failing();
        Limiter limiter =
                new Limiter(rules, local, SharedStores.of(fleet.stores), fleet, LimiterSettings.defaults(), observer);
        Fleet.Answer answer = new Fleet.Answer(Long.MAX_VALUE);
        limiter.decide(ask("user", "u"), fleet.now, new Decision(), () -> answer);
        assertThatThrownBy(() -> fleet.store().answerAll()).isSameAs(thrown);
        assertThat(answer.told).isOne();
        assertThat(answer.text).startsWith("no [r WITHIN_LIMIT").endsWith("login STORE_DOWN 0] degraded");
    }

    @Test
    void limitsThatCallersGiveFollowTheSettings() {
        LimiterSettings settings =
                LimiterSettings.defaults().withOnFail(OnFail.LOCAL).withLocalShare(500_000);
        Fleet fleet = new Fleet(Envoy.rules(), settings);
        fleet.store().fail(StoreFailure.OPEN);
        Request request = Envoy.ask("k=v").override(Limit.tokenBucket(2, Duration.ofMinutes(1)));
        assertThat(fleet.decide(request)).isEqualTo("yes [caller WITHIN_LIMIT 0] degraded");
        assertThat(fleet.decide(request)).isEqualTo("no [caller OVER_LIMIT 0] degraded");
    }

    @Test
    void aFailureOfOneStoreIsNoneOfTheOther() {
        Fleet fleet = new Fleet(
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
    void whatADenialTookElsewhereGoesBack() {
        Fleet fleet = new Fleet(
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
    void whatAShareDeniesGoesBackToo() {
        Fleet fleet = new Fleet(
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
    void aRuleThatOnlyWatchesDeniesNobodyWhileItsStoreIsAway() {
        Fleet fleet = failing(byUser(bucket("watch", 2).shadow(true).onFail(OnFail.DENY)));
        assertThat(fleet.decide(ask("user", "u"))).isEqualTo("yes [watch STORE_DOWN 0] degraded");
    }

    @Test
    void aDenialThatIsKnownSpeaksForTheRequestBeforeOneThatIsNot() {
        Fleet fleet = new Fleet(
                rules(
                        byUser(bucket("login", 2).store("big").onFail(OnFail.DENY)),
                        rule(bucket("used up", 0).build(), KeyBy.of("team"))),
                "big");
        fleet.store("big").fail(StoreFailure.OPEN);
        Fleet.Answer answer = fleet.ask(ask("user", "u", "team", "t"));
        fleet.store().answerAll();
        fleet.store("big").answerAll();
        Verdict binding = answer.decision.binding();
        assertThat(binding).isNotNull().extracting(Verdict::reason).isEqualTo(Verdict.Reason.NEVER);
    }

    @ParameterizedTest
    @EnumSource(StoreFailure.class)
    void everyFailureIsToldByItsName(StoreFailure failure) {
        Fleet fleet = failing(byUser(bucket("a", 2)), rule(bucket("b", 2).build(), KeyBy.of("team")));
        fleet.store().fail(failure);
        fleet.decide(ask("user", "u", "team", "t"));
        assertThat(fleet.failures).containsExactly(failure, failure);
    }
}
