package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.match.override.LimitOverride;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Reported counters of rules that callers have limits of their own of, or that change. */
class ReportedRulesTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Request ANYBODY = ask("user", "u");
    private static final Request CUSTOMER = ask("user", "u", "api_key", "customer");

    private static RuleBuilder reported(long requests) {
        return WeirRules.rule("r", Limit.fixedWindow(requests, MINUTE)).consistency(Consistency.REPORTED);
    }

    /** So many a minute for a user, and so many where the user is a customer. */
    private static RuleIndex withCustomer(long requests, long ofCustomer) {
        LimitOverride override = new LimitOverride("r", ofCustomer, MINUTE.toMillis() * 1_000, null);
        return RuleIndex.of(
                byUser(reported(requests)),
                key -> key.equals("customer") ? new CallerOverrides(null, List.of(override)) : null,
                RuleSwitches.NONE);
    }

    private static WrittenRules byUser(RuleBuilder rule) {
        return rules(rule(rule.build(), KeyBy.of("user")));
    }

    private static void report(SharedLimiterHarness fleet) {
        fleet.now += 200_000;
        fleet.limiter.tick();
        fleet.store().answerAll();
    }

    @Test
    void underEveryLimitANodeHearsWhatOthersTook() {
        RuleIndex rules = withCustomer(100, 101);
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules);
        Limiter other = new Limiter(
                rules,
                new MemoryStore(100),
                SharedStores.of(fleet.stores),
                fleet,
                LimiterSettings.defaults(),
                new LimiterObserver() {});
        other.decide(ask("user", "u").hits(99));
        other.returnLeases();
        fleet.store().answerAll();
        for (int i = 0; i < 3; i++) {
            fleet.now += 200_000;
            fleet.ask(ANYBODY);
            fleet.ask(CUSTOMER);
            fleet.limiter.tick();
            fleet.ask(ANYBODY);
            fleet.ask(CUSTOMER);
            fleet.store().answerAll();
        }
        assertThat(fleet.ask(ANYBODY).text).isEqualTo("no [r OVER_LIMIT 0]");
        assertThat(fleet.ask(CUSTOMER).text).isEqualTo("no [r OVER_LIMIT 0]");
    }

    @Test
    void aCallerWithALargerLimitIsNotDeniedByTheSmallerOne() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(withCustomer(10, 1_000));
        fleet.ask(ANYBODY);
        fleet.ask(ask("user", "u", "api_key", "customer").hits(500));
        report(fleet);
        report(fleet);
        assertThat(fleet.ask(ANYBODY).text).isEqualTo("no [r OVER_LIMIT 0]");
        assertThat(fleet.ask(CUSTOMER).text).isEqualTo("yes [r WITHIN_LIMIT 498]");
    }

    @Test
    void anAnswerUnderOneLimitDoesNotGiveBackWhatPassedUnderAnother() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(withCustomer(10, 11));
        fleet.ask(ask("user", "u").hits(5));
        fleet.now += 100_000;
        fleet.ask(ask("user", "u", "api_key", "customer").hits(5));
        fleet.now += 100_000;
        fleet.limiter.tick();
        fleet.store().answer(0);
        assertThat(fleet.ask(ANYBODY).text).isEqualTo("no [r OVER_LIMIT 0]");
        fleet.store().answerAll();
        assertThat(fleet.ask(ANYBODY).text).isEqualTo("no [r OVER_LIMIT 0]");
    }

    @Test
    void aCounterMetUnderMoreLimitsThanAreKeptIsAskedExactlyUnderTheOthers() {
        RuleIndex rules = RuleIndex.of(
                byUser(reported(10)),
                key -> new CallerOverrides(
                        null, List.of(new LimitOverride("r", Long.parseLong(key), MINUTE.toMillis() * 1_000, null))),
                RuleSwitches.NONE);
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules);
        for (int i = 0; i < 17; i++) {
            Request request = ask("user", "u", "api_key", Integer.toString(100 + i));
            assertThat(fleet.ask(request).atOnce).isEqualTo(i < 16);
        }
        assertThat(Objects.requireNonNull(fleet.limiter.tier()).counters()).isEqualTo(16);
        for (RuleCounter each : fleet.limiter.counters(ANYBODY)) {
            fleet.limiter.forget(each);
        }
        assertThat(Objects.requireNonNull(fleet.limiter.tier()).counters()).isZero();
    }

    @Test
    void aRuleThatNamesAnotherStoreReportsThere() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(byUser(reported(10)), "big");
        fleet.ask(ANYBODY);
        fleet.limiter.rules(byUser(reported(10).store("big")));
        fleet.ask(ask("user", "u").hits(2));
        assertThat(fleet.store().asked).as("what there was left to say").containsExactly("fw:d:r:u 0+1");
        report(fleet);
        assertThat(fleet.store("big").asked).containsExactly("fw:d:r:u 0+2");
    }

    @Test
    void aCounterThatIsBusyFollowsAnotherInterval() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(byUser(reported(10)));
        fleet.ask(ANYBODY);
        fleet.limiter.rules(byUser(reported(10).reportIntervalMicros(600_000)));
        fleet.ask(ANYBODY);
        report(fleet);
        report(fleet);
        assertThat(fleet.store().asked).isEmpty();
        report(fleet);
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 0+2");
    }

    @Test
    void anAnswerOfTheOldWindowDoesNotEmptyTheNewOne() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(byUser(reported(10)));
        fleet.ask(ask("user", "u").hits(10));
        report(fleet);
        long end = 1_800_000_060L * LocalLimiterHarness.SECOND;
        fleet.now = end - 250_000;
        assertThat(fleet.ask(ANYBODY).text).isEqualTo("no [r OVER_LIMIT 0]");
        fleet.now = end - 3_000;
        fleet.limiter.tick();
        fleet.store().answerAllAfter(4_000);
        assertThat(fleet.now).isEqualTo(end + 1_000);
        assertThat(fleet.ask(ANYBODY).text).isEqualTo("yes [r WITHIN_LIMIT 9]");
    }
}
