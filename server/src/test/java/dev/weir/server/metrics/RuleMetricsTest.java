package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.Verdict.Reason;
import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WrittenRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleMetricsTest {
    private static final Limit LIMIT = Limit.fixedWindow(10, Duration.ofMinutes(1));

    private final AtomicLong now = new AtomicLong(1_000_000);
    private final RuleMetrics metrics = new RuleMetrics(now::get, false, null);

    @Test
    void everySeriesOfARuleIsThereAtZeroBeforeTheFirstRequest() {
        metrics.rules(rules("writes"));
        assertThat(scrape())
                .contains(
                        "ratelimit_requests_total{outcome=\"unmatched\"} 0",
                        "ratelimit_decisions_total{domain=\"api\",rule=\"writes\",outcome=\"allowed\"} 0",
                        "ratelimit_decisions_total{domain=\"api\",rule=\"writes\",outcome=\"shadow\"} 0",
                        "ratelimit_denied_total{domain=\"api\",rule=\"writes\"} 0",
                        "ratelimit_missing_key_total{domain=\"api\",rule=\"writes\"} 0",
                        "ratelimit_check_duration_seconds_bucket{domain=\"api\",rule=\"writes\",outcome=\"denied\",le=\"+Inf\"} 0",
                        "ratelimit_check_duration_seconds_count{domain=\"api\",rule=\"writes\",outcome=\"allowed\"} 0");
    }

    @Test
    void storesThatFailAndHitsGivenBackAreCounted() {
        metrics.storeFailed(StoreFailure.TIMEOUT);
        metrics.storeFailed(StoreFailure.TIMEOUT);
        metrics.storeFailed(StoreFailure.OPEN);
        metrics.gaveBack(3);
        metrics.keyNotKept();
        assertThat(scrape())
                .contains(
                        "ratelimit_store_failures_total{reason=\"timeout\"} 2",
                        "ratelimit_store_failures_total{reason=\"open\"} 1",
                        "ratelimit_store_failures_total{reason=\"refused\"} 0",
                        "ratelimit_give_backs_total 3",
                        "ratelimit_idempotency_not_kept_total 1");
    }

    @Test
    void checksCountByRuleAndOutcomeAndRequestsOnce() {
        RuleIndex rules = rules("writes", "hourly");
        metrics.rules(rules);
        decided(true, verdict(rules, 0, Reason.WITHIN_LIMIT), verdict(rules, 1, Reason.WITHIN_LIMIT));
        decided(false, verdict(rules, 0, Reason.WITHIN_LIMIT), verdict(rules, 1, Reason.OVER_LIMIT));
        decided(true);
        metrics.keyMissing(rules.rules().get(0));
        metrics.agreementIgnored(rules.rules().get(1), LIMIT);
        assertThat(scrape())
                .contains(
                        "ratelimit_requests_total{outcome=\"allowed\"} 1",
                        "ratelimit_requests_total{outcome=\"denied\"} 1",
                        "ratelimit_requests_total{outcome=\"unmatched\"} 1",
                        "ratelimit_decisions_total{domain=\"api\",rule=\"writes\",outcome=\"allowed\"} 2",
                        "ratelimit_decisions_total{domain=\"api\",rule=\"hourly\",outcome=\"denied\"} 1",
                        "ratelimit_denied_total{domain=\"api\",rule=\"hourly\"} 1",
                        "ratelimit_denied_total{domain=\"api\",rule=\"writes\"} 0",
                        "ratelimit_missing_key_total{domain=\"api\",rule=\"writes\"} 1",
                        "ratelimit_override_ignored_total{domain=\"api\",rule=\"hourly\"} 1",
                        "ratelimit_override_ignored_total{domain=\"api\",rule=\"writes\"} 0");
    }

    @Test
    void checksThatPassedOnCreditAreCounted() {
        RuleIndex rules = rules("writes", "hourly");
        metrics.rules(rules);
        decided(true, verdict(rules, 0, Reason.WITHIN_LIMIT).debt(2), verdict(rules, 1, Reason.WITHIN_LIMIT));
        decided(false, verdict(rules, 0, Reason.OVER_LIMIT).debt(3), verdict(rules, 1, Reason.WITHIN_LIMIT));
        assertThat(scrape())
                .contains(
                        "ratelimit_on_credit_total{domain=\"api\",rule=\"writes\"} 1",
                        "ratelimit_on_credit_total{domain=\"api\",rule=\"hourly\"} 0");
    }

    @Test
    void whatPassedUncountedIsWhatPassed() {
        RuleIndex rules = rules("open", "shut");
        metrics.rules(rules);
        MutableVerdict open = verdict(rules, 0, Reason.WITHIN_LIMIT).degraded(true);
        decided(false, open, verdict(rules, 1, Reason.OVER_LIMIT));
        decided(true, open, verdict(rules, 1, Reason.WITHIN_LIMIT));
        assertThat(scrape())
                .contains(
                        "ratelimit_degraded_total{domain=\"api\",rule=\"open\"} 2",
                        "ratelimit_failopen_total{domain=\"api\",rule=\"open\"} 1");
    }

    @Test
    void whatOnlyWatchesIsNotCountedAsADenial() {
        RuleIndex rules = RuleIndex.of(WrittenRules.builder()
                .envoy(
                        "api",
                        List.of(node(Rule.builder("api", "a")
                                .label("a")
                                .limit(LIMIT)
                                .shadow(true)
                                .build())))
                .build());
        metrics.rules(rules);
        decided(true, verdict(rules, 0, Reason.OVER_LIMIT));
        assertThat(scrape())
                .contains(
                        "ratelimit_decisions_total{domain=\"api\",rule=\"a\",outcome=\"shadow\"} 1",
                        "ratelimit_denied_total{domain=\"api\",rule=\"a\"} 0");
    }

    @Test
    void aReloadKeepsTheCountOfARuleThatStaysAndForgetsOneThatGoes() {
        RuleIndex before = rules("old", "kept");
        metrics.rules(before);
        decided(true, verdict(before, 0, Reason.WITHIN_LIMIT), verdict(before, 1, Reason.WITHIN_LIMIT));
        RuleIndex after = rules("kept", "new");
        metrics.rules(after);
        decided(true, verdict(after, 0, Reason.WITHIN_LIMIT));
        // A request that was matched before the change ends after it.
        decided(true, verdict(before, 1, Reason.WITHIN_LIMIT));
        assertThat(scrape())
                .contains(
                        "ratelimit_decisions_total{domain=\"api\",rule=\"kept\",outcome=\"allowed\"} 3",
                        "ratelimit_decisions_total{domain=\"api\",rule=\"new\",outcome=\"allowed\"} 0")
                .noneMatch(line -> line.contains("rule=\"old\""));
    }

    @Test
    void aFreedSlotStartsAtZeroForItsNextOwner() {
        RuleIndex first = rules("first");
        metrics.rules(first);
        decided(true, verdict(first, 0, Reason.WITHIN_LIMIT));
        metrics.rules(rules());
        RuleIndex second = rules("second");
        metrics.rules(second);
        decided(true, verdict(second, 0, Reason.WITHIN_LIMIT));
        assertThat(scrape())
                .contains("ratelimit_decisions_total{domain=\"api\",rule=\"second\",outcome=\"allowed\"} 1");
    }

    @Test
    void tenThousandRulesMakeNoMoreSeriesThanAThousand() {
        String[] names = new String[10_000];
        for (int i = 0; i < names.length; i++) {
            names[i] = "rule" + i;
        }
        RuleIndex rules = rules(names);
        metrics.rules(rules);
        decided(true, verdict(rules, 9_999, Reason.WITHIN_LIMIT), verdict(rules, 999, Reason.WITHIN_LIMIT));
        assertThat(scrape())
                .filteredOn(line -> line.startsWith("ratelimit_denied_total"))
                .hasSize(1_002);
        assertThat(scrape())
                .contains(
                        "ratelimit_decisions_total{domain=\"\",rule=\"(others)\",outcome=\"allowed\"} 1",
                        "ratelimit_decisions_total{domain=\"api\",rule=\"rule999\",outcome=\"allowed\"} 1");
    }

    @Test
    void whateverALabelHoldsItCannotBreakTheFormat() {
        metrics.rules(rules("a\"b\\c\nd"));
        assertThat(scrape()).contains("ratelimit_denied_total{domain=\"api\",rule=\"a\\\"b\\\\c\\nd\"} 0");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1.0E-6, 1",
        "1, 1.0E-6, 1",
        "2, 1.0E-6, 0",
        "2, 2.0E-6, 1",
        "50000, 0.05, 1",
        "50001, 0.05, 0",
        "50001, +Inf, 1"
    })
    void aTimedDecisionIsInTheBucketsAtOrAboveIt(long micros, String bound, int count) {
        RuleIndex rules = rules("timed");
        metrics.rules(rules);
        MutableDecision decision = decision(true, verdict(rules, 0, Reason.WITHIN_LIMIT));
        now.addAndGet(micros);
        metrics.decided(Request.to("api"), decision);
        assertThat(scrape())
                .contains(
                        "ratelimit_check_duration_seconds_bucket{domain=\"api\",rule=\"timed\",outcome=\"allowed\",le=\""
                                + bound + "\"} " + count);
    }

    @Test
    void oneDecisionInSixteenIsTimed() {
        RuleIndex rules = rules("timed");
        metrics.rules(rules);
        for (int i = 0; i < 160; i++) {
            decided(true, verdict(rules, 0, Reason.WITHIN_LIMIT));
        }
        assertThat(scrape())
                .contains(
                        "ratelimit_decisions_total{domain=\"api\",rule=\"timed\",outcome=\"allowed\"} 160",
                        "ratelimit_check_duration_seconds_count{domain=\"api\",rule=\"timed\",outcome=\"allowed\"} 10");
    }

    @Test
    void threadsCountApartAndAreSummed() throws InterruptedException {
        RuleIndex rules = rules("shared");
        metrics.rules(rules);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> {
                for (int n = 0; n < 10_000; n++) {
                    decided(true, verdict(rules, 0, Reason.WITHIN_LIMIT));
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread each : threads) {
            each.join();
        }
        assertThat(scrape())
                .contains("ratelimit_decisions_total{domain=\"api\",rule=\"shared\",outcome=\"allowed\"} 40000");
    }

    private static RuleIndex rules(String... labels) {
        List<EnvoyDescriptor> nodes = new ArrayList<>();
        for (String each : labels) {
            nodes.add(node(Rule.builder("api", each).label(each).limit(LIMIT).build()));
        }
        return RuleIndex.of(WrittenRules.builder().envoy("api", nodes).build());
    }

    private static EnvoyDescriptor node(Rule rule) {
        return new EnvoyDescriptor("key", rule.id(), rule, false, List.of());
    }

    private static MutableVerdict verdict(RuleIndex rules, int ordinal, Reason reason) {
        return new MutableVerdict().set(rules.rules().get(ordinal), LIMIT, 0, 1, reason, 0, 0, 0, 0);
    }

    private void decided(boolean allowed, MutableVerdict... verdicts) {
        metrics.decided(Request.to("api"), decision(allowed, verdicts));
    }

    private MutableDecision decision(boolean allowed, MutableVerdict... verdicts) {
        MutableDecision decision = new MutableDecision();
        decision.begin(now.get());
        for (MutableVerdict each : verdicts) {
            decision.add().set(each);
        }
        decision.end(allowed, verdicts.length - 1);
        return decision;
    }

    private List<String> scrape() {
        Exposition out = new Exposition();
        metrics.write(out);
        return out.toString().lines().toList();
    }
}
