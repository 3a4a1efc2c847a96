package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.EnvoyTrees;
import dev.weir.internal.ruleset.RuleSet;
import dev.weir.internal.ruleset.WeirRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class SeveralStoresTest {

    private static RuleBuilder bucket(String name, long requests) {
        return WeirRules.rule(name, Limit.tokenBucket(requests, Duration.ofMinutes(1)));
    }

    private static final List<Algorithm> ALGORITHMS = List.of(Algorithm.values());

    private static final RuleSet THREE = rules(
            rule(bucket("a", 5).build(), KeyBy.of("a")),
            rule(bucket("b", 3).store("big").build(), KeyBy.of("b")),
            rule(bucket("l", 4).consistency(Consistency.LOCAL).build(), KeyBy.of("l")));

    @Test
    void aRequestTakesFromEachOfItsStores() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        assertThat(fleet.decide(ask("a", "1", "b", "1", "l", "1")))
                .isEqualTo("yes [a WITHIN_LIMIT 4, b WITHIN_LIMIT 2, l WITHIN_LIMIT 3]");
        assertThat(fleet.gaveBack).isZero();
    }

    @Test
    void storesAreAskedOneAfterTheOther() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        SharedLimiterHarness.Answer answer = fleet.ask(ask("a", "1", "b", "1"));
        assertThat(fleet.store("big").waiting).isEmpty();
        fleet.store().answerAll();
        assertThat(answer.told).isZero();
        assertThat(fleet.store("big").waiting).hasSize(1);
        fleet.store("big").answerAll();
        assertThat(answer.text).isEqualTo("yes [a WITHIN_LIMIT 4, b WITHIN_LIMIT 2]");
    }

    @Test
    void afterTheDeadlineNoStoreIsAsked() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        SharedLimiterHarness.Answer answer = fleet.ask(ask("a", "1", "b", "1"));
        fleet.now += LimiterSettings.defaults().deadlineMicros();
        fleet.store().answerAll();
        assertThat(fleet.store("big").asked).isEmpty();
        assertThat(answer.text).startsWith("yes [a WITHIN_LIMIT 4, b ").endsWith(" degraded");
        assertThat(fleet.failures).containsExactly(StoreFailure.TIMEOUT);
    }

    @Test
    void whatTheSecondDeniesGoesBackToTheFirst() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        assertThat(fleet.decide(ask("a", "1", "b", "1").hits(4))).isEqualTo("no [a WITHIN_LIMIT 5, b NEVER 3]");
        assertThat(fleet.store().asked).containsExactly("tb:d:a:1 4", "tb:d:a:1 -4");
        assertThat(fleet.gaveBack).isOne();
        assertThat(fleet.decide(ask("a", "1").hits(5))).isEqualTo("yes [a WITHIN_LIMIT 0]");
    }

    @Test
    void whatTheFirstDeniesIsOnlyAskedOfTheSecond() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        fleet.decide(ask("a", "1").hits(5));
        assertThat(fleet.decide(ask("a", "1", "b", "1"))).isEqualTo("no [a OVER_LIMIT 0, b WITHIN_LIMIT 3]");
        assertThat(fleet.store("big").asked).containsExactly("tb:d:b:1 1 denied");
        assertThat(fleet.decide(ask("b", "1"))).isEqualTo("yes [b WITHIN_LIMIT 2]");
    }

    @Test
    void whoWasDeniedWhileHitsWereAwayPassesWhenTheyAreBack() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        SharedLimiterHarness.Answer answer = fleet.ask(ask("a", "1", "b", "1").hits(4));
        fleet.store().answerAll();
        SharedLimiterHarness.Answer meanwhile = fleet.ask(ask("a", "1").hits(5));
        fleet.store().answerAll();
        assertThat(meanwhile.text).isEqualTo("no [a OVER_LIMIT 1]");
        fleet.store("big").answerAll();
        fleet.store().answerAll();
        assertThat(answer.text).startsWith("no");
        assertThat(fleet.decide(ask("a", "1").hits(5))).isEqualTo("yes [a WITHIN_LIMIT 0]");
    }

    /** Gives {@code a} three back, and takes one of {@code other}. */
    private static Request refund(String other) {
        return Request.to("d")
                .descriptor()
                .with("a", "1")
                .descriptorHits(-3)
                .descriptor()
                .with(other, "1");
    }

    @Test
    void aRequestThatAnotherStoreDeniesGivesNothingBack() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        fleet.decide(ask("a", "1").hits(5));
        fleet.decide(ask("b", "1").hits(2));
        assertThat(fleet.decide(refund("b"))).isEqualTo("yes [a WITHIN_LIMIT 3, b WITHIN_LIMIT 0]");
        assertThat(fleet.decide(refund("b"))).isEqualTo("no [a WITHIN_LIMIT 3, b OVER_LIMIT 0]");
        assertThat(fleet.decide(ask("a", "1").hits(0))).isEqualTo("yes [a WITHIN_LIMIT 3]");
    }

    @Test
    void roomOfThisProcessThatIsGoneInTheMeantimeGivesNothingBack() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        fleet.decide(ask("a", "1").hits(5));
        Request request = refund("l").descriptor().with("b", "1");
        SharedLimiterHarness.Answer answer = fleet.ask(request);
        assertThat(fleet.ask(ask("l", "1").hits(4)).text).startsWith("yes");
        fleet.store("big").answerAll();
        fleet.store().answerAll();
        assertThat(answer.text).isEqualTo("no [a WITHIN_LIMIT 0, l OVER_LIMIT 0, b WITHIN_LIMIT 3]");
        fleet.store("big").answerAll();
        assertThat(fleet.decide(ask("a", "1", "b", "1").hits(0))).isEqualTo("yes [a WITHIN_LIMIT 0, b WITHIN_LIMIT 3]");
    }

    @Test
    void whatThisProcessDeniesNobodyElseIsAsked() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        fleet.decide(ask("l", "1").hits(4));
        SharedLimiterHarness.Answer answer = fleet.ask(ask("a", "1", "b", "1", "l", "1"));
        assertThat(answer.atOnce).isTrue();
        assertThat(answer.text).isEqualTo("no [l OVER_LIMIT 0]");
        assertThat(fleet.store().asked).isEmpty();
    }

    @Test
    void roomOfThisProcessThatIsGoneInTheMeantimeGivesBackToAll() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        SharedLimiterHarness.Answer answer = fleet.ask(ask("a", "1", "b", "1", "l", "1"));
        fleet.store().answerAll();
        assertThat(fleet.ask(ask("l", "1").hits(4)).text).startsWith("yes");
        fleet.store("big").answerAll();
        assertThat(answer.text).isEqualTo("no [a WITHIN_LIMIT 5, b WITHIN_LIMIT 3, l OVER_LIMIT 0]");
        assertThat(fleet.gaveBack).isEqualTo(2);
        fleet.store().answerAll();
        fleet.store("big").answerAll();
        assertThat(fleet.decide(ask("a", "1").hits(5))).isEqualTo("yes [a WITHIN_LIMIT 0]");
        assertThat(fleet.decide(ask("b", "1").hits(3))).isEqualTo("yes [b WITHIN_LIMIT 0]");
    }

    @Test
    void whatCountsWhenDeniedIsChargedAlthoughThisProcessDenies() {
        Rule local = EnvoyTrees.rule("l", Limit.fixedWindow(1, Duration.ofMinutes(1)))
                .consistency(Consistency.LOCAL)
                .build();
        SharedLimiterHarness fleet =
                new SharedLimiterHarness(EnvoyTrees.rules(EnvoyTrees.limited("k"), EnvoyTrees.limited("l", local)));
        assertThat(fleet.decide(EnvoyTrees.ask("k=v", "l=v"))).isEqualTo("yes [k WITHIN_LIMIT 9, l WITHIN_LIMIT 0]");
        assertThat(fleet.decide(EnvoyTrees.ask("k=v", "l=v"))).isEqualTo("no [k WITHIN_LIMIT 8, l OVER_LIMIT 0]");
        assertThat(fleet.store().asked).contains("fw60s:d:k=v 1 denied");
        assertThat(fleet.decide(EnvoyTrees.ask("k=v"))).isEqualTo("yes [k WITHIN_LIMIT 7]");
        assertThat(fleet.gaveBack).isZero();
    }

    @Test
    void quotasDenyTogetherWhereverTheyCount() {
        RuleSet quotas = EnvoyTrees.rules(
                EnvoyTrees.limited("a", quota("a", "default")),
                EnvoyTrees.limited("b", quota("b", "big")),
                EnvoyTrees.limited(
                        "c",
                        EnvoyTrees.rule("c", Limit.tokenBucket(9, Duration.ofMinutes(1)))
                                .countsDenied(false)
                                .build()));
        SharedLimiterHarness fleet = new SharedLimiterHarness(quotas, "big");
        assertThat(fleet.decide(EnvoyTrees.ask("a=1"))).isEqualTo("yes [a WITHIN_LIMIT 0]");
        assertThat(fleet.decide(EnvoyTrees.ask("a=1", "b=1", "c=1")))
                .as("one is over, the other not")
                .isEqualTo("yes [a OVER_LIMIT 0, b WITHIN_LIMIT 0, c WITHIN_LIMIT 8]");
        assertThat(fleet.decide(EnvoyTrees.ask("a=1", "b=1", "c=1")))
                .isEqualTo("no [a OVER_LIMIT 0, b OVER_LIMIT 0, c WITHIN_LIMIT 8]");
        assertThat(fleet.decide(EnvoyTrees.ask("c=1"))).as("given back").isEqualTo("yes [c WITHIN_LIMIT 7]");
    }

    private static Rule quota(String name, String store) {
        return EnvoyTrees.rule(name, Limit.tokenBucket(1, Duration.ofMinutes(1)))
                .countsDenied(false)
                .quota(true)
                .store(store)
                .build();
    }

    @Test
    void aWindowThatMayBeOverGetsNothingBack() {
        RuleSet windows = rules(
                rule(window("fixed", Algorithm.FIXED_WINDOW), KeyBy.of("a")),
                rule(window("sliding", Algorithm.SLIDING_WINDOW), KeyBy.of("b")),
                rule(bucket("none", 0).store("big").build(), KeyBy.of("z")));
        SharedLimiterHarness fleet = new SharedLimiterHarness(windows, "big");
        fleet.decide(ask("a", "1", "b", "1", "z", "1"));
        assertThat(fleet.gaveBack).as("in the middle of the minute").isEqualTo(2);
        fleet.now += 50 * LocalLimiterHarness.SECOND - 9_000;
        fleet.decide(ask("a", "2", "b", "2", "z", "2"));
        assertThat(fleet.gaveBack).as("nine milliseconds before its end").isEqualTo(2);
    }

    /** What has flowed in by then would be given twice. */
    @Test
    void aBucketThatIsAsGoodAsNewGetsNothingBack() {
        Limit fast = Limit.tokenBucket(1_000, Duration.ofSeconds(1)).withBurst(10);
        Limit slow = Limit.tokenBucket(10, Duration.ofSeconds(1)).withBurst(10);
        SharedLimiterHarness fleet = new SharedLimiterHarness(
                rules(
                        rule(WeirRules.rule("fast", fast).build(), KeyBy.of("a")),
                        rule(WeirRules.rule("slow", slow).build(), KeyBy.of("b")),
                        rule(bucket("none", 0).store("big").build(), KeyBy.of("z"))),
                "big");
        fleet.decide(ask("a", "1", "b", "1", "z", "1"));
        assertThat(fleet.gaveBack).isOne();
    }

    private static Rule window(String name, Algorithm algorithm) {
        return WeirRules.rule(name, Limit.of(algorithm, 9, Duration.ofMinutes(1)))
                .build();
    }

    /** Rules over two stores, of which {@code other} is one, and this process, with a limit each. */
    private static RuleSet spread(Random random, String other) {
        List<WeirRule> all = new ArrayList<>();
        String[] attributes = {"a", "b", "c", "d", "e"};
        for (int i = 0; i < attributes.length; i++) {
            Algorithm algorithm = ALGORITHMS.get(random.nextInt(ALGORITHMS.size()));
            Limit limit = Limit.of(algorithm, 1 + random.nextInt(8), Duration.ofMinutes(1));
            all.add(rule(
                    WeirRules.rule("r" + i, limit)
                            .shadow(random.nextInt(5) == 0)
                            .store(random.nextBoolean() ? other : "default")
                            .consistency(random.nextInt(4) == 0 ? Consistency.LOCAL : Consistency.EXACT)
                            .build(),
                    KeyBy.of(attributes[i])));
        }
        return rules(all.toArray(WeirRule[]::new));
    }

    private static Request request(Random random) {
        Request request = Request.to("d").descriptor();
        for (String attribute : List.of("a", "b", "c", "d", "e")) {
            if (random.nextBoolean()) {
                request.with(attribute, "x");
            }
        }
        return request.hits(random.nextInt(4));
    }

    @Property(tries = 80)
    void oneAfterTheOtherRequestsAreDecidedAsIfAllWasCountedInOnePlace(@ForAll long seed) {
        Random random = new Random(seed);
        SharedLimiterHarness fleet = new SharedLimiterHarness(spread(random, "big"), "big");
        LocalLimiterHarness alone = new LocalLimiterHarness(spread(new Random(seed), "default"));
        for (int i = 0; i < 40; i++) {
            Request request = request(random);
            alone.now = fleet.now;
            String expected = alone.ask(request);
            String told = fleet.decide(request);
            // A denial that needs no asking has the verdicts of those who denied, and no others.
            boolean same = told.equals(expected)
                    || (told.startsWith("no") && expected.startsWith("no") && isPartOf(told, expected));
            assertThat(same).as("%s instead of %s", told, expected).isTrue();
            fleet.now += random.nextInt(3) * 100_000L;
        }
    }

    private static boolean isPartOf(String told, String expected) {
        for (String verdict : told.substring(4, told.length() - 1).split(", ", -1)) {
            if (!expected.contains(verdict.replaceAll(" \\d+$", ""))) {
                return false;
            }
        }
        return true;
    }

    @Property(tries = 80)
    void howeverTheyInterleaveNoLimitIsExceededAndEverythingDeniedGoesBack(@ForAll long seed) {
        Random random = new Random(seed);
        List<WeirRule> all = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            RuleBuilder rule = bucket(name, 6);
            rule.store(name.equals("b") ? "big" : "default");
            rule.consistency(name.equals("c") ? Consistency.LOCAL : Consistency.EXACT);
            all.add(rule(rule.build(), KeyBy.of(name)));
        }
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(all.toArray(WeirRule[]::new)), "big");
        Map<SharedLimiterHarness.Answer, Request> asked = new HashMap<>();
        for (int i = 0; i < 60; i++) {
            if (random.nextBoolean()) {
                Request request = Request.to("d").descriptor();
                List.of("a", "b", "c").stream()
                        .filter(each -> random.nextInt(3) > 0)
                        .forEach(each -> request.with(each, "x"));
                request.hits(1 + random.nextInt(3));
                asked.put(fleet.ask(request), request);
            } else {
                ScriptedStore store = fleet.store(random.nextBoolean() ? "big" : "default");
                if (!store.waiting.isEmpty()) {
                    store.answer(random.nextInt(store.waiting.size()));
                }
            }
        }
        for (int i = 0; i < 4; i++) {
            fleet.stores.values().forEach(ScriptedStore::answerAll);
        }
        Map<String, Long> admitted = new HashMap<>();
        asked.forEach((answer, request) -> {
            assertThat(answer.told).isOne();
            for (int i = 0; answer.decision.allowed() && i < request.end(0); i++) {
                admitted.merge(request.key(i), request.hitsOf(0), Long::sum);
            }
        });
        for (String name : List.of("a", "b", "c")) {
            long used = admitted.getOrDefault(name, 0L);
            assertThat(used).isLessThanOrEqualTo(6);
            String left = fleet.decide(ask(name, "x").hits(0));
            assertThat(left).isEqualTo("yes [" + name + " WITHIN_LIMIT " + (6 - used) + "]");
        }
    }
}
