package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.OnMissing;
import dev.weir.RateAlgorithms;
import dev.weir.Request;
import dev.weir.internal.explain.VerdictExplanation;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.BindingVerdict;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.WeirRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class WeirDecisionTest {

    private static RuleBuilder bucket(String name, long requests) {
        return WeirRules.rule(name, Limit.tokenBucket(requests, Duration.ofMinutes(1)));
    }

    @Test
    void takesFromAllOrFromNone() {
        LocalLimiterHarness d = new LocalLimiterHarness(rules(
                rule(bucket("few", 2).build(), KeyBy.of("user"), "path", "/x"),
                rule(bucket("many", 9).build(), KeyBy.of("user"))));
        assertThat(d.ask(ask("user", "u", "path", "/x").hits(3))).isEqualTo("no [few NEVER 2, many WITHIN_LIMIT 9]");
        assertThat(d.ask(ask("user", "u", "path", "/x").hits(2)))
                .isEqualTo("yes [few WITHIN_LIMIT 0, many WITHIN_LIMIT 7]");
        assertThat(d.ask(ask("user", "u", "path", "/x"))).startsWith("no [few OVER_LIMIT 0, many WITHIN_LIMIT");
        assertThat(d.ask(ask("user", "u").hits(0))).isEqualTo("yes [many WITHIN_LIMIT 7]");
    }

    @Test
    void allOrNothingHoldsOverSeveralDescriptors() {
        LocalLimiterHarness d =
                new LocalLimiterHarness(rules(rule(bucket("r", 2).build(), KeyBy.of("user"))));
        Request both = ask("user", "a").descriptor().with("user", "b").hits(2);
        assertThat(d.ask(ask("user", "b"))).startsWith("yes ");
        assertThat(d.ask(both)).startsWith("no ");
        assertThat(d.ask(ask("user", "a").hits(0))).isEqualTo("yes [r WITHIN_LIMIT 2]");
    }

    @Test
    void oneRuleMetByTwoDescriptorsOfOneCallerIsTakenTwice() {
        LocalLimiterHarness d =
                new LocalLimiterHarness(rules(rule(bucket("r", 3).build(), KeyBy.of("user"))));
        assertThat(d.ask(ask("user", "a").descriptor().with("user", "a")))
                .isEqualTo("yes [r WITHIN_LIMIT 2, r WITHIN_LIMIT 1]");
    }

    @Test
    void anObserverMayDecideInTheMiddleOfADecision() {
        LocalLimiterHarness logLines =
                new LocalLimiterHarness(rules(rule(bucket("lines", 1).build(), KeyBy.global())));
        LimiterObserver observer = new LimiterObserver() {
            @Override
            public void keyMissing(Rule rule) {
                logLines.decide(ask("rule", rule.label()));
            }
        };
        Limiter limiter = new Limiter(
                rules(
                        rule(bucket("by user", 5).build(), KeyBy.of("user")),
                        rule(bucket("all", 2).build(), KeyBy.global()),
                        rule(bucket("by ip", 9).build(), KeyBy.of("ip"))),
                logLines.store,
                () -> logLines.now,
                LimiterSettings.defaults(),
                observer);
        assertThat(LocalLimiterHarness.text(limiter.decide(ask("ip", "10.0.0.1"))))
                .isEqualTo("yes [all WITHIN_LIMIT 1, by ip WITHIN_LIMIT 8]");
        assertThat(logLines.decided).isOne();
    }

    @Test
    void costMultipliesHitsAndSaturates() {
        LocalLimiterHarness d =
                new LocalLimiterHarness(rules(rule(bucket("r", 10).cost(5).build(), KeyBy.global())));
        MutableDecision first = d.decide(ask());
        assertThat(LocalLimiterHarness.text(first)).isEqualTo("yes [r WITHIN_LIMIT 5]");
        assertThat(first.verdict(0).hits()).isEqualTo(5);
        assertThat(d.decide(ask().hits(Long.MAX_VALUE / 2)).verdict(0).hits()).isEqualTo(Long.MAX_VALUE);
        assertThat(d.decide(ask().hits(Long.MIN_VALUE + 1)).verdict(0).hits()).isEqualTo(-Long.MAX_VALUE);
        assertThat(d.ask(ask().hits(0))).isEqualTo("yes [r WITHIN_LIMIT 10]");
    }

    @Test
    void aMissingKeyIsSkippedDeniedOrSharedAndAlwaysObserved() {
        LocalLimiterHarness d = new LocalLimiterHarness(rules(
                rule(bucket("skip", 2).build(), KeyBy.of("user")),
                rule(bucket("share", 2).onMissing(OnMissing.SHARE).build(), KeyBy.of("user"), "path", "/share"),
                rule(bucket("deny", 2).onMissing(OnMissing.DENY).build(), KeyBy.of("user"), "path", "/deny"),
                rule(
                        bucket("watch", 2)
                                .onMissing(OnMissing.DENY)
                                .shadow(true)
                                .build(),
                        KeyBy.of("user"),
                        "path",
                        "/watch")));
        assertThat(d.ask(ask())).isEqualTo("yes []");
        assertThat(d.ask(ask("path", "/share").hits(2))).isEqualTo("yes [share WITHIN_LIMIT 0]");
        assertThat(d.ask(ask("path", "/share"))).startsWith("no ");
        assertThat(d.ask(ask("path", "/share", "user", "u"))).startsWith("yes ");
        MutableDecision denied = d.decide(ask("path", "/deny").hits(0));
        assertThat(LocalLimiterHarness.text(denied)).isEqualTo("no [deny MISSING_KEY 0]");
        assertThat(denied.verdict(0).retryAfter()).isNull();
        assertThat(d.ask(ask("path", "/watch"))).isEqualTo("yes [watch MISSING_KEY 0]");
        assertThat(d.missing)
                .containsExactly("skip", "skip", "share", "skip", "share", "skip", "deny", "skip", "watch");
    }

    @Test
    void aMissingKeyThatDeniesTakesNothingElsewhere() {
        LocalLimiterHarness d = new LocalLimiterHarness(rules(
                rule(bucket("all", 2).build(), KeyBy.global()),
                rule(bucket("deny", 2).onMissing(OnMissing.DENY).build(), KeyBy.of("user"), "path", "/deny")));
        assertThat(d.ask(ask("path", "/deny"))).startsWith("no ");
        assertThat(d.ask(ask().hits(0))).isEqualTo("yes [all WITHIN_LIMIT 2]");
    }

    @Test
    void aShadowRuleThatIsOverTakesNothingAndDeniesNothing() {
        LocalLimiterHarness d = new LocalLimiterHarness(rules(
                rule(bucket("watch", 1).shadow(true).build(), KeyBy.global()),
                rule(bucket("real", 9).build(), KeyBy.global())));
        assertThat(d.ask(ask().hits(2))).isEqualTo("yes [watch NEVER 1, real WITHIN_LIMIT 7]");
    }

    @Test
    void theBindingVerdictIsTheDenialThatLastsLongest() {
        WeirRule second = rule(
                WeirRules.rule("second", Limit.tokenBucket(1, Duration.ofSeconds(1)))
                        .build(),
                KeyBy.global());
        WeirRule hour = rule(
                WeirRules.rule("hour", Limit.tokenBucket(1, Duration.ofHours(1)))
                        .build(),
                KeyBy.global());
        WeirRule roomy = rule(
                WeirRules.rule("roomy", Limit.tokenBucket(5, Duration.ofHours(1)))
                        .build(),
                KeyBy.global());
        WeirRule watch = rule(
                WeirRules.rule("watch", Limit.tokenBucket(0, Duration.ofHours(1)))
                        .shadow(true)
                        .build(),
                KeyBy.global());
        LocalLimiterHarness d = new LocalLimiterHarness(rules(watch, second, roomy, hour));
        assertThat(binding(d.decide(ask()))).as("nothing left of one").isEqualTo("second");
        assertThat(binding(d.decide(ask()))).isEqualTo("hour");
        assertThat(binding(d.decide(ask().hits(9))))
                .as("never, the first of three")
                .isEqualTo("second");
        assertThat(binding(new LocalLimiterHarness(rules(watch, roomy)).decide(ask())))
                .isEqualTo("roomy");
        assertThat(binding(new LocalLimiterHarness(rules(watch)).decide(ask()))).isEqualTo("watch");
    }

    private static String binding(MutableDecision decision) {
        MutableVerdict binding = Objects.requireNonNull(decision.binding());
        return Objects.requireNonNull(binding.rule()).label();
    }

    @Test
    void sharesCompareExactlyAtTheEdgesOf64Bits() {
        MutableVerdict less = new MutableVerdict()
                .set(
                        null,
                        window(Long.MAX_VALUE),
                        0,
                        1,
                        MutableVerdict.Reason.WITHIN_LIMIT,
                        Long.MAX_VALUE - 2,
                        0,
                        0,
                        0);
        MutableVerdict more = new MutableVerdict()
                .set(
                        null,
                        window(Long.MAX_VALUE),
                        0,
                        1,
                        MutableVerdict.Reason.WITHIN_LIMIT,
                        Long.MAX_VALUE - 1,
                        0,
                        0,
                        0);
        assertThat(BindingVerdict.isBefore(less, more)).isTrue();
        assertThat(BindingVerdict.isBefore(more, less)).isFalse();
        assertThat(BindingVerdict.isBefore(less, less)).isFalse();
    }

    private static Limit window(long requests) {
        return Limit.fixedWindow(requests, Duration.ofMinutes(1));
    }

    @Property(tries = 100)
    void theOrderOfRulesAndDescriptorsDoesNotMatter(@ForAll long seed) {
        Random random = new Random(seed);
        List<WeirRule> all = new ArrayList<>();
        for (Algorithm algorithm : RateAlgorithms.ALL) {
            Limit limit = Limit.of(algorithm, 1 + random.nextInt(6), Duration.ofSeconds(1 + random.nextInt(5)));
            all.add(rule(
                    WeirRules.rule("r " + algorithm, limit)
                            .shadow(random.nextInt(5) == 0)
                            .build(),
                    KeyBy.of(pick(random, "u", "v"))));
        }
        List<WeirRule> shuffled = new ArrayList<>(all);
        Collections.shuffle(shuffled, random);
        LocalLimiterHarness one = new LocalLimiterHarness(rules(all.toArray(WeirRule[]::new)));
        LocalLimiterHarness other = new LocalLimiterHarness(rules(shuffled.toArray(WeirRule[]::new)));
        for (int i = 0; i < 30; i++) {
            String u = pick(random, "1", "2");
            long hits = random.nextInt(4);
            MutableDecision a =
                    one.decide(ask("u", u, "v", "x").descriptor().with("v", "y").hits(hits));
            MutableDecision b = other.decide(Request.to("d")
                    .descriptor()
                    .with("v", "y")
                    .descriptor()
                    .with("v", "x")
                    .with("u", u)
                    .hits(hits));
            assertThat(outcomes(b, 1)).isEqualTo(outcomes(a, 0));
            one.now += 300_000;
            other.now += 300_000;
        }
    }

    private static String pick(Random random, String one, String other) {
        return random.nextBoolean() ? one : other;
    }

    /** The verdicts by descriptor and rule, with descriptors counted from {@code first}. */
    private static String outcomes(MutableDecision decision, int first) {
        TreeSet<String> outcomes = new TreeSet<>();
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict each = decision.verdict(i);
            outcomes.add((each.descriptor() ^ first) + ":" + each.rule() + each.reason() + each.remaining() + " "
                    + each.retryAfter());
        }
        return decision.allowed() + " " + outcomes;
    }

    @Test
    void explainsWhichRuleWhichCounterAndWhen() {
        LocalLimiterHarness d =
                new LocalLimiterHarness(rules(rule(bucket("writes", 1).build(), KeyBy.of("api_key", "ip"))));
        Request request = ask("api_key", "a\"b\r\n" + "x".repeat(100), "ip", "2001:db8::1");
        d.decide(request);
        MutableDecision denied = d.decide(request);
        VerdictExplanation why = d.limiter.explain(request, denied.verdict(0));
        assertThat(why.rule()).isEqualTo("writes");
        assertThat(why.counter())
                .startsWith("api_key=a\\u0022b\\u000d\\u000ax")
                .endsWith("x..., ip=2001:db8::/64")
                .hasSizeLessThan(200);
        assertThat(why.retryAfter()).isEqualTo(Duration.ofMinutes(1));
        assertThat(why.text())
                .startsWith("denied by writes (1 per 1m, token_bucket) for api_key=")
                .endsWith(": 0 left, passes again in 1m");
        assertThat(why.bucket()).hasSize(16);
        Request sameBlock = ask("api_key", request.value(0), "ip", "2001:db8::2");
        assertThat(d.limiter.explain(sameBlock, d.decide(sameBlock).verdict(0)).bucket())
                .isEqualTo(why.bucket());
        Request other = ask("api_key", "b", "ip", "2001:db8::1");
        VerdictExplanation room = d.limiter.explain(other, d.decide(other).verdict(0));
        assertThat(room.bucket()).isNotEqualTo(why.bucket());
        assertThat(room.text())
                .isEqualTo("allowed under writes (1 per 1m, token_bucket) for api_key=b, ip=2001:db8::/64: 0 left");
    }

    @Test
    void theBucketIdIsTheSameInEveryProcess() {
        LocalLimiterHarness d =
                new LocalLimiterHarness(rules(rule(bucket("writes", 1).build(), KeyBy.of("api_key"))));
        Request request = ask("api_key", "k");
        assertThat(d.limiter.explain(request, d.decide(request).verdict(0)).bucket())
                .isEqualTo("468d37c49139b6d5");
    }

    @Test
    void anExplanationOutlivesItsRules() {
        LocalLimiterHarness d =
                new LocalLimiterHarness(rules(rule(bucket("writes", 1).build(), KeyBy.of("api_key"))));
        Request request = ask("api_key", "k");
        MutableDecision decision = d.decide(request);
        d.limiter.rules(rules());
        assertThat(d.limiter.explain(request, decision.verdict(0)).rule()).isEqualTo("writes");
    }

    @Test
    void aLimitThatCannotBeCountedIsRefusedAndTheLastSetStays() {
        LocalLimiterHarness d =
                new LocalLimiterHarness(rules(rule(bucket("r", 1).build(), KeyBy.global())));
        Rule bad = WeirRules.rule("bad", Limit.of(Algorithm.SLIDING_WINDOW_LOG, 1_000_000, Duration.ofMinutes(1)))
                .build();
        assertThatThrownBy(() -> d.limiter.rules(rules(rule(bad, KeyBy.global()))))
                .hasMessageContaining("d/bad");
        assertThat(d.ask(ask())).isEqualTo("yes [r WITHIN_LIMIT 0]");
    }
}
