package dev.weir.server.rlqs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.ban.BanTable;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.match.override.OverrideLookup;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.ruleset.RuleSwitches;
import io.envoyproxy.envoy.type.v3.RateLimitStrategy.BlanketRule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Whatever an operator changes holds at every Envoy within one report interval, with no request in between. */
class QuotaChangesTest extends QuotaTestBed {
    private static final String TEN = """
              - { name: per user, key_by: user, limit: { requests: 10, window: 1h, algorithm: fixed_window } }
            """;
    private static final RuleSwitches.Name PER_USER = new RuleSwitches.Name("front", "per user");

    /** The time in which each Envoy has reported once, and was answered. */
    private void reportInterval() {
        run(5);
        roundTrip();
    }

    private SimulatedEnvoy exhausted() {
        rules(TEN);
        SimulatedEnvoy envoy = envoy();
        run(12, 5);
        assertThat(envoy.allowed).isEqualTo(10);
        assertThat(envoy.ask(ANN)).isFalse();
        return envoy;
    }

    @Test
    void aRuleThatIsSwitchedOffLetsAllPassAndDeniesAgainWhenItIsOn() {
        SimulatedEnvoy envoy = exhausted();
        control(switched(new RuleSwitches.Setting(SwitchState.OFF)), OverrideLookup.NONE);
        reportInterval();
        assertThat(envoy.ask(ANN)).isTrue();
        control(RuleSwitches.NONE, OverrideLookup.NONE);
        reportInterval();
        assertThat(envoy.ask(ANN)).isFalse();
    }

    @Test
    void aRuleThatIsSwitchedToShadowLetsAllPassAndCounts() {
        SimulatedEnvoy envoy = exhausted();
        control(switched(new RuleSwitches.Setting(SwitchState.SHADOW)), OverrideLookup.NONE);
        reportInterval();
        assertThat(envoy.ask(ANN)).isTrue();
    }

    @Test
    void theGlobalSwitchLetsAllPass() {
        SimulatedEnvoy envoy = exhausted();
        control(new RuleSwitches(SwitchState.SHADOW, Map.of()), OverrideLookup.NONE);
        reportInterval();
        assertThat(envoy.ask(ANN)).isTrue();
    }

    @Test
    void aRolloutToNobodyLetsAllPassAndOneToEverybodyDenies() {
        SimulatedEnvoy envoy = exhausted();
        control(switched(new RuleSwitches.Setting(SwitchState.ON, 0)), OverrideLookup.NONE);
        reportInterval();
        assertThat(envoy.ask(ANN)).isTrue();
        control(switched(new RuleSwitches.Setting(SwitchState.ON, Rule.EVERYONE)), OverrideLookup.NONE);
        reportInterval();
        assertThat(envoy.ask(ANN)).isFalse();
    }

    @Test
    void aLimitThatIsEditedHolds() {
        SimulatedEnvoy envoy = exhausted();
        reload(TEN.replace("10", "20"));
        reportInterval();
        assertThat(envoy.ask(ANN)).isTrue();
    }

    @Test
    void aCallersOverrideHoldsThoughItMakesNoNewIndex() {
        rules("""
                  - { name: tiers, match: { tier: free }, key_by: api_key, limit: { requests: 10, window: 1h, algorithm: fixed_window } }
                """);
        Map<String, CallerOverrides> overrides = new HashMap<>();
        control(RuleSwitches.NONE, overrides::get);
        Map<String, String> caller = Map.of("api_key", "k1", "tier", "free");
        SimulatedEnvoy envoy = envoy();
        for (int i = 0; i < 1_200; i++) {
            step();
            if (i % 20 == 0) {
                envoy.ask(caller);
            }
        }
        assertThat(envoy.ask(caller)).isFalse();
        overrides.put("k1", new CallerOverrides("paid", List.of()));
        run(6); // an assignment of the last second is not compared
        roundTrip();
        assertThat(envoy.ask(caller)).isTrue();
    }

    @Test
    void aBanDeniesABucketThatHoldsAGrantAndItsEndIsSeen() {
        rules(TEN.replace("10", "1000"));
        SimulatedEnvoy envoy = envoy();
        run(6, 10);
        assertThat(envoy.ask(ANN)).isTrue();
        ban(BanKind.BAN);
        reportInterval();
        assertThat(envoy.ask(ANN)).isFalse();
        limiter.bans(new BanTable(List.of()));
        reportInterval();
        assertThat(envoy.ask(ANN)).isTrue();
    }

    @Test
    void aShadowBanLetsAllPassUncharged() {
        SimulatedEnvoy envoy = exhausted();
        ban(BanKind.SHADOW);
        reportInterval();
        assertThat(envoy.strategy(ANN))
                .isNotNull()
                .satisfies(each -> assertThat(each.getBlanketRule()).isEqualTo(BlanketRule.ALLOW_ALL));
        run(10, 10);
        limiter.bans(new BanTable(List.of()));
        assertThat(left("ann")).isZero();
        reload(TEN.replace("10", "20"));
        assertThat(left("ann")).isEqualTo(10);
    }

    @Test
    void aWatchedCallerIsLimitedAsBefore() {
        SimulatedEnvoy envoy = exhausted();
        ban(BanKind.WATCH);
        reportInterval();
        assertThat(envoy.ask(ANN)).isFalse();
    }

    private static RuleSwitches switched(RuleSwitches.Setting to) {
        return new RuleSwitches(SwitchState.ON, Map.of(PER_USER, to));
    }
}
