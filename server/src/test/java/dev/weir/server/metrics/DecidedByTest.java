package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.Verdict.Reason;
import dev.weir.internal.match.override.OverrideLookup;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.rules.internal.load.RuleLoader;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Where a decision was made, and how close callers came, in the page of metrics. */
class DecidedByTest {
    private static final Limit LIMIT = Limit.fixedWindow(10, Duration.ofMinutes(1));
    private static final RuleIndex RULES = RuleIndex.of(
            Objects.requireNonNull(RuleLoader.parse("api.yaml", """
                            domain: api
                            rules:
                              - { name: all, key_by: ip, limit: { requests: 10, window: 1m } }
                            """).rules()), OverrideLookup.NONE, RuleSwitches.NONE);
    private static final Rule RULE = RULES.rules().get(0);

    private final RuleMetrics metrics = new RuleMetrics(() -> 1_000, false, null, Set.of(Rule.DEFAULT_STORE));
    private final MutableDecision decision = new MutableDecision();

    DecidedByTest() {
        metrics.rules(RULES);
    }

    private MutableVerdict begin(boolean allowed, long asked) {
        decision.begin(990);
        decision.asked(asked);
        return decision.add()
                .set(RULE, LIMIT, 0, 1, allowed ? Reason.WITHIN_LIMIT : Reason.OVER_LIMIT, 3, 0, 0, 0)
                .counter(1);
    }

    private void end(boolean allowed) {
        decision.end(allowed);
        for (int i = 0; i < ThreadCounts.SAMPLED; i++) { // one of them is timed
            metrics.decided(Request.to("api"), decision);
        }
    }

    private String page() {
        Exposition out = new Exposition();
        metrics.write(out);
        return out.toString();
    }

    private void assertOnly(String by) {
        assertThat(page().lines()
                        .filter(line -> line.startsWith("ratelimit_decision_duration_seconds_count"))
                        .filter(line -> !line.endsWith(" 0")))
                .containsExactly("ratelimit_decision_duration_seconds_count{by=\"" + by + "\"} 1");
    }

    @Test
    void memory() {
        begin(true, 990);
        end(true);
        assertOnly("memory");
    }

    @Test
    void aLease() {
        begin(true, 990).leased(true);
        end(true);
        assertOnly("lease");
    }

    @Test
    void aDenialThatIsKnownWithoutAsking() {
        begin(false, 990);
        end(false);
        assertOnly("denial");
    }

    @Test
    void aStore() {
        begin(false, 500);
        end(false);
        assertOnly("store");
    }

    @Test
    void theFailurePolicy() {
        begin(true, 500).degraded(true);
        end(true);
        assertOnly("policy");
    }

    @Test
    void aBan() {
        decision.begin(990);
        decision.ban(new Ban(BanKind.BAN, "ip", "192.0.2.1", "", Ban.FOREVER, "", "ada", false));
        end(false);
        assertOnly("ban");
    }

    @Test
    void theFullestCounterOfARuleIsShownAndNoCaller() {
        assertThat(page())
                .contains("ratelimit_utilisation_ratio{domain=\"api\",rule=\"all\",tier=\"\"} 0.0\n")
                .contains("ratelimit_remaining{domain=\"api\",rule=\"all\",tier=\"\"} 1.0\n");
        metrics.use((domain, rule) -> rule.equals("all") ? 1.25 : Double.NaN);
        assertThat(page())
                .contains("ratelimit_utilisation_ratio{domain=\"api\",rule=\"all\",tier=\"\"} 1.25\n")
                .contains("ratelimit_remaining{domain=\"api\",rule=\"all\",tier=\"\"} 0.0\n");
    }
}
