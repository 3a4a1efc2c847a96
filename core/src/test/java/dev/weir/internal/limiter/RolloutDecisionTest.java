package dev.weir.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.EnvoyTrees;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A rule that denies some callers and only watches the others. */
class RolloutDecisionTest {
    private static final Limit NONE = Limit.fixedWindow(0, Duration.ofMinutes(1));
    private static final int USERS = 4_000;

    @Test
    void itDeniesAboutThatShareOfCallersAndShadowsTheOthers() {
        LocalLimiterHarness decisions = new LocalLimiterHarness(weir("a", 2_500));
        assertThat(denied(decisions).size()).isCloseTo(USERS / 4, within(USERS / 40));
        MutableDecision spared = decisions.decide(ask(userThat(decisions, true)));
        assertThat(spared.verdict(0).shadowed()).isTrue();
        assertThat(decisions
                        .limiter
                        .explain(ask(userThat(decisions, true)), spared.verdict(0))
                        .text())
                .endsWith("rolled out to 25 % of counters, and not to this one");
    }

    @Test
    void itGrowsByAddingCallersOnly() {
        Set<String> before = Set.of();
        for (int each : new int[] {0, 1, 100, 2_500, 5_000, 9_999, Rule.EVERYONE}) {
            Set<String> now = denied(new LocalLimiterHarness(weir("a", each)));
            assertThat(now).containsAll(before);
            before = now;
        }
        assertThat(before).hasSize(USERS);
        assertThat(denied(new LocalLimiterHarness(weir("a", 0)))).isEmpty();
    }

    @Test
    void theSelectionIsTheSameInEveryProcessAndWithOtherNumbers() {
        // Fixed forever: a new version of Weir must not deny other callers than the one before it.
        assertThat(denied(new LocalLimiterHarness(weir("a", 50))).stream().limit(4))
                .containsExactly("u0", "u1159", "u1448", "u1607");
        WrittenRules other = WeirRules.rules(WeirRules.rule(
                WeirRules.rule("a", Limit.tokenBucket(0, Duration.ofHours(3)))
                        .rollout(50)
                        .build(),
                KeyBy.of("user")));
        assertThat(denied(new LocalLimiterHarness(other))).isEqualTo(denied(new LocalLimiterHarness(weir("a", 50))));
    }

    @Test
    void anotherRulePicksOthers() {
        Set<String> both = denied(new LocalLimiterHarness(weir("a", 5_000)));
        both.retainAll(denied(new LocalLimiterHarness(weir("b", 5_000))));
        assertThat(both.size()).isCloseTo(USERS / 4, within(USERS / 20));
    }

    @Test
    void itHoldsInEnvoysFormatToo() {
        Rule rule = EnvoyTrees.rule("r", NONE).rollout(2_500).build();
        LocalLimiterHarness decisions = new LocalLimiterHarness(EnvoyTrees.rules(EnvoyTrees.limited("user", rule)));
        long denied = IntStream.range(0, USERS)
                .filter(i -> !decisions.decide(EnvoyTrees.ask("user=u" + i)).allowed())
                .count();
        assertThat(denied).isCloseTo(USERS / 4, within(USERS / 40L));
    }

    private static WrittenRules weir(String name, int rollout) {
        return WeirRules.rules(
                WeirRules.rule(WeirRules.rule(name, NONE).rollout(rollout).build(), KeyBy.of("user")));
    }

    private static Set<String> denied(LocalLimiterHarness decisions) {
        Set<String> denied = new TreeSet<>();
        users().stream().filter(each -> !decisions.decide(ask(each)).allowed()).forEach(denied::add);
        return denied;
    }

    private static String userThat(LocalLimiterHarness decisions, boolean passes) {
        return users().stream()
                .filter(each -> decisions.decide(ask(each)).allowed() == passes)
                .findFirst()
                .orElseThrow();
    }

    private static List<String> users() {
        return IntStream.range(0, USERS).mapToObj(i -> "u" + i).toList();
    }

    private static Request ask(String user) {
        return WeirRules.ask("user", user);
    }
}
