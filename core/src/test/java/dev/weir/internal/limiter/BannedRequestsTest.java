package dev.weir.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Cause;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.ban.BanSet;
import dev.weir.internal.ban.BanTable;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.override.OverrideLookup;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Requests of callers that are banned, shadow banned or exempt. */
class BannedRequestsTest {
    private final WrittenRules rules = WeirRules.rules(WeirRules.rule(
            WeirRules.rule("a", Limit.fixedWindow(3, Duration.ofMinutes(1))).build(), KeyBy.of("user")));
    private final LocalLimiterHarness decisions = new LocalLimiterHarness(rules);

    @Test
    void aBannedCallerIsDeniedWithoutARuleAndNothingIsCharged() {
        ban(BanKind.BAN, false);
        MutableDecision denied = decisions.decide(ask("u"));
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.cause()).isEqualTo(Cause.BANNED);
        assertThat(denied.status()).isEqualTo(403);
        assertThat(denied.size()).isZero();
        assertThat(denied.toString()).contains("user=u is banned by test: because");
        assertThat(decisions.ask(ask("other"))).isEqualTo("yes [a WITHIN_LIMIT 2]");
        decisions.limiter.bans(new BanTable(List.of()));
        assertThat(decisions.ask(ask("u"))).isEqualTo("yes [a WITHIN_LIMIT 2]");
    }

    @Test
    void aShadowBannedCallerSeesAPassLikeAnyOtherAndIsChargedNothing() {
        String usual = decisions.ask(ask("somebody"));
        ban(BanKind.SHADOW, false);
        for (int i = 0; i < 10; i++) {
            MutableDecision passed = decisions.decide(ask("u"));
            assertThat(LocalLimiterHarness.text(passed)).isEqualTo(usual);
            assertThat(passed.isShadowBanned()).isTrue();
            assertThat(passed.status()).isEqualTo(200);
            assertThat(passed.toString()).doesNotContain("ban");
        }
        decisions.limiter.bans(new BanTable(List.of()));
        assertThat(decisions.ask(ask("u"))).isEqualTo("yes [a WITHIN_LIMIT 2]");
    }

    @Test
    void aShadowBanOfACallerWhoIsOverItsLimitPassesToo() {
        for (int i = 0; i < 4; i++) {
            decisions.ask(ask("u"));
        }
        ban(BanKind.SHADOW, false);
        assertThat(decisions.ask(ask("u"))).isEqualTo("yes [a WITHIN_LIMIT 0]");
    }

    @Test
    void anExemptCallerStillMeetsItsLimits() {
        decisions.limiter.bans(new BanTable(List.of(
                BanSet.of(List.of(entry(BanKind.ALLOW, false), entry(BanKind.BAN, false)), false))));
        for (int i = 0; i < 3; i++) {
            assertThat(decisions.decide(ask("u")).allowed()).isTrue();
        }
        assertThat(decisions.decide(ask("u")).cause()).isEqualTo(Cause.QUOTA);
    }

    @Test
    void aWatchedCallerIsOnlyCounted() {
        List<String> counted = new ArrayList<>();
        Limiter limiter = watching(LimiterSettings.defaults(), counted);
        limiter.bans(table(BanKind.WATCH, true));
        assertThat(LocalLimiterHarness.text(limiter.decide(ask("u")))).isEqualTo("yes [a WITHIN_LIMIT 2]");
        assertThat(counted).containsExactly("WATCH false");
    }

    @Test
    void switchingEverythingOffSuspendsTheBansOfRulesAndNotThoseOfPeople() {
        decisions.limiter.index(everything(SwitchState.OFF));
        ban(BanKind.BAN, true);
        assertThat(decisions.decide(ask("u")).allowed()).isTrue();
        ban(BanKind.BAN, false);
        assertThat(decisions.decide(ask("u")).allowed()).isFalse();
    }

    @Test
    void withEverythingInShadowTheBansOfRulesOnlyCount() {
        decisions.limiter.index(everything(SwitchState.SHADOW));
        ban(BanKind.BAN, true);
        assertThat(decisions.decide(ask("u")).allowed()).isTrue();
        ban(BanKind.BAN, false);
        assertThat(decisions.decide(ask("u")).allowed()).isFalse();
    }

    @Test
    void aServerInShadowModeDeniesNoBannedCaller() {
        List<String> counted = new ArrayList<>();
        Limiter limiter = watching(new LimiterSettings(true, false, true), counted);
        limiter.bans(table(BanKind.BAN, false));
        assertThat(limiter.decide(ask("u")).allowed()).isTrue();
        assertThat(counted).containsExactly("BAN false");
    }

    @Test
    void hitsThatABannedCallerGivesBackAreTaken() {
        decisions.ask(ask("u"));
        ban(BanKind.BAN, false);
        assertThat(decisions.decide(ask("u").hits(-1)).allowed()).isTrue();
        decisions.limiter.bans(new BanTable(List.of()));
        assertThat(decisions.ask(ask("u"))).isEqualTo("yes [a WITHIN_LIMIT 2]");
    }

    private Limiter watching(LimiterSettings settings, List<String> counted) {
        return new Limiter(rules, new MemoryStore(100), () -> decisions.now, settings, new LimiterObserver() {
            @Override
            public void banned(Ban ban, boolean enforced) {
                counted.add(ban.kind() + " " + enforced);
            }
        });
    }

    private RuleIndex everything(SwitchState state) {
        return RuleIndex.of(rules, OverrideLookup.NONE, new RuleSwitches(state, Map.of()));
    }

    private void ban(BanKind kind, boolean automatic) {
        decisions.limiter.bans(table(kind, automatic));
    }

    private static BanTable table(BanKind kind, boolean automatic) {
        return new BanTable(List.of(BanSet.of(List.of(entry(kind, automatic)), automatic)));
    }

    private static Ban entry(BanKind kind, boolean automatic) {
        return new Ban(kind, "user", "u", "", Ban.FOREVER, "because", "test", automatic);
    }

    private static Request ask(String user) {
        return Request.to("d").with("user", user);
    }
}
