package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.tier.LocalTier;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** An operator has the store forget a counter; the process forgets its local data of it too. */
class ForgottenCountersTest {
    private static final Request USER = ask("user", "u");

    private static SharedLimiterHarness fleet(Consistency consistency, long requests) {
        Limit limit = Limit.fixedWindow(requests, Duration.ofMinutes(1));
        return new SharedLimiterHarness(
                rules(rule(WeirRules.rule("r", limit).consistency(consistency).build(), KeyBy.of("user"))));
    }

    private static LocalTier tier(SharedLimiterHarness fleet) {
        return Objects.requireNonNull(fleet.limiter.tier());
    }

    /** As an operator does: first in the store, then here. */
    private static void reset(SharedLimiterHarness fleet) {
        for (RuleCounter each : fleet.limiter.counters(USER)) {
            assertThat(each.check().store).as("the place of its store").isZero();
            fleet.store().counters.forget(each.check());
            fleet.limiter.forget(each);
        }
        fleet.store().asked.clear();
    }

    private static void lease(SharedLimiterHarness fleet) {
        while (tier(fleet).leases().held() < 6) {
            fleet.decide(USER);
            fleet.store().answerAll();
        }
    }

    @Test
    void leasedHitsAreNeitherSpentNorGivenBack() {
        SharedLimiterHarness fleet = fleet(Consistency.LEASED, 1_000);
        lease(fleet);
        reset(fleet);
        assertThat(tier(fleet).leases().held()).isZero();
        assertThat(tier(fleet).leases().stats().stranded()).isGreaterThanOrEqualTo(6);
        assertThat(fleet.store().asked).isEmpty();
        assertThat(fleet.decide(USER)).isEqualTo("yes [r WITHIN_LIMIT 999]");
        fleet.now += 5 * LocalLimiterHarness.SECOND;
        fleet.limiter.tick();
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 1");
        assertThat(tier(fleet).leases().stats().returns()).isZero();
    }

    @Test
    void aLeaseInFlightIsUselessWhenItArrives() {
        SharedLimiterHarness fleet = fleet(Consistency.LEASED, 1_000);
        lease(fleet);
        while (fleet.store().waiting.isEmpty()) {
            fleet.ask(USER);
        }
        long granted = tier(fleet).leases().stats().hits();
        reset(fleet);
        fleet.store().answerAll();
        assertThat(tier(fleet).leases().stats().hits()).as("it came").isGreaterThan(granted);
        assertThat(tier(fleet).leases().held()).isZero();
        assertThat(fleet.ask(USER).atOnce).isFalse();
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 1");
    }

    @Test
    void theCachedDenialIsForgottenAndThoseOfOthersAreNot() {
        SharedLimiterHarness fleet = fleet(Consistency.EXACT, 1);
        Request other = ask("user", "v");
        for (int i = 0; i < 2; i++) {
            fleet.decide(USER);
            fleet.decide(other);
        }
        assertThat(fleet.ask(USER).atOnce).isTrue();
        reset(fleet);
        assertThat(fleet.decide(USER)).isEqualTo("yes [r WITHIN_LIMIT 0]");
        assertThat(fleet.ask(other).text).isEqualTo("no [r OVER_LIMIT 0]");
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 1");
    }

    @Test
    void reportedAndUnreportedHitsAreForgottenAndSoIsTheAnswer() {
        SharedLimiterHarness fleet = fleet(Consistency.REPORTED, 10);
        for (int i = 0; i < 10; i++) {
            assertThat(fleet.ask(USER).decision.allowed()).isTrue();
        }
        fleet.now += 200_000;
        fleet.limiter.tick();
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 0+10");
        assertThat(fleet.ask(USER).decision.allowed()).isFalse();
        reset(fleet);
        assertThat(fleet.ask(USER).text).isEqualTo("yes [r WITHIN_LIMIT 9]");
        fleet.store().answerAll();
        assertThat(fleet.ask(USER).text)
                .as("after the answer to what was told before")
                .isEqualTo("yes [r WITHIN_LIMIT 8]");
    }
}
