package dev.weir.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.OnMissing;
import dev.weir.Request;
import dev.weir.internal.match.keyby.CounterLabel;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.match.override.LimitOverride;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.EnvoyTrees;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A decision names the counter of its binding verdict, if the request asks for that. */
class NamedCountersTest {
    private static final Limit ONE = Limit.fixedWindow(1, Duration.ofMinutes(1));
    private static final WrittenRules BY_USER =
            WeirRules.rules(WeirRules.rule(WeirRules.rule("r", ONE).build(), KeyBy.of("user")));

    private static Request ask(String user) {
        return WeirRules.ask("user", user).nameCounter();
    }

    /** The decision names what a second look at the request finds. */
    private static void assertNamed(RuleIndex index, Request request, MutableDecision decision) {
        MutableVerdict binding = decision.binding();
        CounterLabel found = binding == null ? null : index.counter(request, binding);
        assertThat(decision.counterName()).isEqualTo(found == null ? null : found.text());
        assertThat(decision.counterBucket()).isEqualTo(found == null ? null : found.bucket());
    }

    @Test
    void onlyWhoAsksIsToldTheName() {
        LocalLimiterHarness decisions = new LocalLimiterHarness(BY_USER);
        assertThat(decisions.decide(WeirRules.ask("user", "u")).counterName()).isNull();
        MutableDecision denied = decisions.decide(ask("u"));
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.counterName()).isEqualTo("user=u");
        assertThat(denied.counterBucket()).hasSize(16);
        assertThat(decisions.decide(WeirRules.ask("user", "u")).counterName()).isNull();
    }

    @Test
    void aDecisionThatIsReusedForgetsTheName() {
        LocalLimiterHarness decisions = new LocalLimiterHarness(BY_USER);
        MutableDecision decision = new MutableDecision();
        decisions.limiter.decide(ask("u"), decisions.now, decision);
        assertThat(decision.counterName()).isEqualTo("user=u");
        decisions.limiter.decide(WeirRules.ask("user", "u"), decisions.now, decision);
        assertThat(decision.counterName()).isNull();
        assertThat(decision.counterBucket()).isNull();
    }

    @Test
    void whatASharedStoreAnswersLaterIsNamedEachByItsOwn() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(BY_USER);
        List<SharedLimiterHarness.Answer> answers = new ArrayList<>();
        Request buffer = Request.to("d");
        for (int round = 0; round < 3; round++) {
            answers.clear();
            for (String user : List.of("a", "b", "c")) {
                answers.add(fleet.ask(buffer.set(ask(user + round))));
            }
            buffer.clear("other");
            fleet.store().answerAll();
            for (int i = 0; i < 3; i++) {
                MutableDecision decision = answers.get(i).decision;
                assertThat(decision.counterName()).isEqualTo("user=" + "abc".charAt(i) + round);
                assertNamed(fleet.limiter.index(), ask("abc".charAt(i) + "" + round), decision);
            }
        }
    }

    @Test
    void aKnownDenialIsNamedAtOnce() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(BY_USER);
        fleet.decide(ask("u"));
        fleet.decide(ask("u"));
        SharedLimiterHarness.Answer known = fleet.ask(ask("u"));
        assertThat(known.atOnce).isTrue();
        assertThat(known.text).startsWith("no ");
        assertThat(known.decision.counterName()).isEqualTo("user=u");
    }

    @Test
    void ofSeveralLimitsOfOneCallerTheBindingOneIsNamed() {
        CallerOverrides quota = new CallerOverrides(
                null,
                List.of(
                        new LimitOverride("endpoint:/a", 1, 1_000_000, null),
                        new LimitOverride("method:GET", 9, 1_000_000, null)));
        RuleIndex index = RuleIndex.of(BY_USER, key -> quota, RuleSwitches.NONE);
        Request request =
                WeirRules.ask("api_key", "k", "endpoint", "/a", "method", "GET").nameCounter();
        MutableDecision decision = new LocalLimiterHarness(index).decide(request);
        assertThat(decision.size()).isEqualTo(2);
        assertThat(decision.counterName()).isEqualTo("api_key=k, descriptor=endpoint:/a");
        assertNamed(index, request, decision);
    }

    @Test
    void whatIsNotCountedHasNoName() {
        WrittenRules free =
                WeirRules.rules(WeirRules.rule(Rule.builder("d", "r").build(), KeyBy.of("user")));
        MutableDecision decision = new LocalLimiterHarness(free).decide(ask("u"));
        assertThat(decision.size()).isEqualTo(1);
        assertThat(decision.counterName()).isNull();
        assertThat(new LocalLimiterHarness(WrittenRules.empty())
                        .decide(ask("u"))
                        .counterName())
                .isNull();
    }

    @Test
    void theNameIsThatOfASecondLookWhateverTheRules() {
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            RuleIndex index = someRules(random);
            LocalLimiterHarness decisions = new LocalLimiterHarness(index);
            for (int i = 0; i < 6; i++) {
                Request request = someRequest(random);
                assertNamed(index, request, decisions.decide(request));
            }
        }
    }

    private static RuleIndex someRules(Random random) {
        String[] keys = {"user", "ip", "user | ip", "api_key", "user : path"};
        List<WeirRule> rules = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Limit limit = Limit.slidingWindow(1 + random.nextInt(4), Duration.ofMinutes(1));
            OnMissing onMissing = List.of(OnMissing.values()).get(random.nextInt(3));
            rules.add(WeirRules.rule(
                    WeirRules.rule("r" + i, limit).onMissing(onMissing).build(),
                    KeyBy.parse(keys[random.nextInt(keys.length)])));
        }
        WrittenRules set = random.nextBoolean()
                ? WeirRules.rules(rules.toArray(WeirRule[]::new))
                : EnvoyTrees.rules(
                        EnvoyTrees.limited("user", EnvoyTrees.limited("path")),
                        EnvoyTrees.sharing(EnvoyTrees.limited("path=/*")),
                        EnvoyTrees.limited("ip"));
        LimitOverride override = new LimitOverride("r1", 1 + random.nextInt(3), 1_000_000, null);
        return random.nextBoolean()
                ? RuleIndex.of(set)
                : RuleIndex.of(set, key -> new CallerOverrides(null, List.of(override)), RuleSwitches.NONE);
    }

    private static Request someRequest(Random random) {
        String[][] attributes = {
            {"user", "u", "v"}, {"ip", "10.0.0.1", "2001:db8::1"}, {"api_key", "k", "l"}, {"path", "/a", "x"}
        };
        Request request = Request.to("d").descriptor();
        for (String[] each : attributes) {
            if (random.nextInt(3) > 0) {
                request.with(each[0], each[1 + random.nextInt(2)]);
            }
        }
        if (random.nextInt(5) == 0) {
            request.override(Limit.fixedWindow(2, Duration.ofMinutes(1)));
        }
        return (random.nextBoolean() ? request.asAttributes() : request).nameCounter();
    }

    @Test
    void aCopyKeepsTheName() {
        MutableDecision decision = new LocalLimiterHarness(BY_USER).decide(ask("u"));
        MutableDecision copy = new MutableDecision();
        copy.set(decision);
        assertThat(Objects.requireNonNull(copy.counterName())).isEqualTo("user=u");
        assertThat(copy.counterBucket()).isEqualTo(decision.counterBucket());
    }
}
