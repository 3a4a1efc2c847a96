package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.RateAlgorithms;
import dev.weir.Request;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Requests under way together share pooled buffers one after the other, and never at the same time. */
class InterleavingTest {

    /** A request under way, and what became of it. */
    private record Asked(Request request, SharedLimiterHarness.Answer answer) {}

    private static WrittenRules someRules(Random random) {
        List<WeirRule> all = new ArrayList<>();
        for (Algorithm algorithm : RateAlgorithms.ALL) {
            Limit limit = Limit.of(algorithm, 1 + random.nextInt(9), Duration.ofMinutes(1));
            boolean shadow = random.nextInt(4) == 0;
            all.add(rule(
                    WeirRules.rule("by " + algorithm, limit).shadow(shadow).build(),
                    KeyBy.of(random.nextBoolean() ? "user" : "team")));
        }
        return rules(all.toArray(WeirRule[]::new));
    }

    private static Request someRequest(Random random) {
        Request request = Request.to("d");
        for (int i = random.nextInt(3); i >= 0; i--) {
            request.descriptor();
            if (random.nextInt(4) > 0) {
                request.with("user", "u" + random.nextInt(3));
            }
            if (random.nextBoolean()) {
                request.with("team", "t" + random.nextInt(2));
            }
        }
        return request.hits(random.nextInt(3));
    }

    @Property(tries = 60)
    void eachWaiterGetsTheDecisionItWouldHaveGotAlone(@ForAll long seed) {
        Random random = new Random(seed);
        WrittenRules rules = someRules(random);
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules);
        LocalLimiterHarness alone = new LocalLimiterHarness(rules);
        alone.now = fleet.now;
        List<Asked> waiting = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            if (random.nextInt(waiting.size() + 3) < 3) {
                Request request = someRequest(random);
                SharedLimiterHarness.Answer answer = fleet.ask(request);
                if (answer.atOnce) {
                    expectAtOnce(alone, request, answer);
                } else {
                    waiting.add(new Asked(request, answer));
                }
            } else {
                int index = random.nextInt(waiting.size());
                Asked asked = waiting.remove(index);
                assertThat(asked.answer().told).isZero();
                fleet.store().answer(index);
                assertThat(asked.answer().text).isEqualTo(alone.ask(asked.request()));
                assertThat(asked.answer().told).isOne();
            }
        }
        for (Asked each : waiting) {
            fleet.store().answer(0);
            assertThat(each.answer().text).isEqualTo(alone.ask(each.request()));
        }
    }

    /** Checks a request that matched no rule, or is known to be denied. */
    private static void expectAtOnce(LocalLimiterHarness alone, Request request, SharedLimiterHarness.Answer answer) {
        String expected = alone.ask(request);
        if (answer.decision.allowed()) {
            assertThat(answer.text).isEqualTo(expected);
        } else {
            String verdict = answer.text.substring("no [".length(), answer.text.length() - 1);
            assertThat(expected).startsWith("no ").contains(verdict.replaceAll(" \\d+$", ""));
        }
    }
}
