package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.RateAlgorithms;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.EnvoyTrees;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.DeadlineExtension;
import dev.weir.internal.store.Idempotency;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SeveralStoresTest {

    private static RuleBuilder bucket(String name, long requests) {
        return WeirRules.rule(name, Limit.tokenBucket(requests, Duration.ofMinutes(1)));
    }

    private static final List<Algorithm> ALGORITHMS = RateAlgorithms.ALL;

    private static final WrittenRules THREE = rules(
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

    /** A rule in each of four stores, of which {@code b} is the tightest. */
    private static final WrittenRules FOUR = rules(
            rule(bucket("a", 50).build(), KeyBy.of("a")),
            rule(bucket("b", 3).store("big").onFail(OnFail.DENY).build(), KeyBy.of("b")),
            rule(bucket("c", 40).store("far").onFail(OnFail.DENY).build(), KeyBy.of("c")),
            rule(bucket("d", 60).store("high").build(), KeyBy.of("d")));

    private static final Request OVER_FOUR = ask("a", "1", "b", "1", "c", "1", "d", "1");

    private static SharedLimiterHarness four() {
        return new SharedLimiterHarness(FOUR, "big", "far", "high");
    }

    @Test
    void theTightestIsAskedFirstAndThenAllOthersAtOnce() {
        SharedLimiterHarness fleet = four();
        SharedLimiterHarness.Answer answer = fleet.ask(OVER_FOUR);
        assertThat(waiting(fleet)).containsExactly("big");
        fleet.store("big").answerAll();
        assertThat(waiting(fleet)).containsExactly("default", "far", "high");
        assertThat(answer.told).isZero();
        fleet.stores.values().forEach(ScriptedStore::answerAll);
        assertThat(answer.text).startsWith("yes");
        assertThat(waiting(fleet)).as("two round trips, however many stores").isEmpty();
    }

    /** Two stores with slots, and this process: still the tightest first and then all others at once. */
    @Test
    void slotsOfAllStoresArePlacesOfOneRequest() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(
                rules(
                        rule(bucket("a", 50).build(), KeyBy.of("a")),
                        rule(bucket("b", 30).build(), KeyBy.of("b")),
                        rule(bucket("c", 40).store("big").build(), KeyBy.of("c")),
                        rule(bucket("d", 60).store("big").build(), KeyBy.of("d")),
                        rule(bucket("e", 70).store("big").build(), KeyBy.of("d")),
                        rule(bucket("l", 1).consistency(Consistency.LOCAL).build(), KeyBy.of("l"))),
                "big");
        fleet.stores.values().forEach(each -> each.slots = 1 << 20);
        Request request = ask("a", "1", "b", "1", "c", "1", "d", "1", "l", "1");
        SharedLimiterHarness.Answer answer = fleet.ask(request);
        assertThat(fleet.store().asked).containsExactly("tb:d:b:1 1");
        assertThat(fleet.store("big").asked).isEmpty();
        fleet.store().answer(0);
        assertThat(fleet.store().waiting).hasSize(1);
        assertThat(fleet.store("big").waiting).as("d and e share a slot").hasSize(2);
        fleet.stores.values().forEach(ScriptedStore::answerAll);
        assertThat(answer.text)
                .isEqualTo("yes [a WITHIN_LIMIT 49, b WITHIN_LIMIT 29, c WITHIN_LIMIT 39, d WITHIN_LIMIT 59,"
                        + " e WITHIN_LIMIT 69, l WITHIN_LIMIT 0]");
        assertThat(fleet.ask(request).atOnce).as("this process has no room").isTrue();
    }

    /** The stores that have something to answer. */
    private static List<String> waiting(SharedLimiterHarness fleet) {
        return fleet.stores.entrySet().stream()
                .filter(each -> !each.getValue().waiting.isEmpty())
                .map(Map.Entry::getKey)
                .toList();
    }

    @Test
    void whatTheTightestDeniesTakesNothingElsewhere() {
        SharedLimiterHarness fleet = four();
        fleet.decide(ask("b", "1").hits(3));
        SharedLimiterHarness.Answer answer = fleet.ask(OVER_FOUR);
        fleet.store("big").answerAll();
        assertThat(waiting(fleet)).containsExactly("default", "far", "high");
        fleet.stores.values().forEach(ScriptedStore::answerAll);
        assertThat(answer.text)
                .isEqualTo("no [a WITHIN_LIMIT 50, b OVER_LIMIT 0, c WITHIN_LIMIT 40, d WITHIN_LIMIT 60]");
        assertThat(fleet.store().asked).containsExactly("tb:d:a:1 1 denied");
        assertThat(fleet.gaveBack).isZero();
    }

    @Test
    void whatAnotherDeniesGoesBackToAllWhoTookBeforeTheRequestIsAnswered() {
        SharedLimiterHarness fleet = four();
        fleet.decide(ask("c", "1").hits(40));
        assertThat(fleet.decide(OVER_FOUR))
                .isEqualTo("no [a WITHIN_LIMIT 50, b WITHIN_LIMIT 3, c OVER_LIMIT 0, d WITHIN_LIMIT 60]");
        assertThat(fleet.gaveBack).isEqualTo(3);
        assertThat(fleet.store("big").asked).containsExactly("tb:d:b:1 1", "tb:d:b:1 -1");
        assertThat(fleet.decide(ask("a", "1", "b", "1", "d", "1").hits(0)))
                .isEqualTo("yes [a WITHIN_LIMIT 50, b WITHIN_LIMIT 3, d WITHIN_LIMIT 60]");
    }

    @Test
    void whatAStoreDoesNotAnswerItsRulesSay() {
        SharedLimiterHarness fleet = four();
        fleet.store("high").fail(StoreFailure.TIMEOUT);
        assertThat(fleet.decide(OVER_FOUR))
                .as("on_fail: allow")
                .startsWith("yes")
                .endsWith("degraded");
        assertThat(fleet.gaveBack).isZero();
        fleet.store("far").fail(StoreFailure.OPEN);
        assertThat(fleet.decide(OVER_FOUR)).as("on_fail: deny").startsWith("no").endsWith("degraded");
        assertThat(fleet.gaveBack).as("what failed took nothing that is known").isEqualTo(2);
        assertThat(fleet.decide(ask("a", "1", "b", "1").hits(0)))
                .isEqualTo("yes [a WITHIN_LIMIT 49, b WITHIN_LIMIT 2]");
        fleet.store("big").fail(StoreFailure.OPEN);
        assertThat(fleet.decide(OVER_FOUR)).startsWith("no").endsWith("degraded");
        assertThat(fleet.store().asked).as("the tightest fails closed").endsWith("tb:d:a:1 1 denied");
    }

    @Test
    void afterTheDeadlineNoStoreIsAsked() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        long deadline = LimiterSettings.defaults().deadlineMicros();
        SharedLimiterHarness.Answer answer = fleet.ask(ask("a", "1", "b", "1"), deadline);
        fleet.now += deadline;
        fleet.store("big").answerAll();
        assertThat(fleet.store().asked).isEmpty();
        assertThat(answer.text)
                .startsWith("yes [a ")
                .contains("b WITHIN_LIMIT 2")
                .endsWith(" degraded");
        assertThat(fleet.failures).containsExactly(StoreFailure.TIMEOUT);
    }

    /** The store was in time, and this process was not: who waits for longer still gets an answer of the others. */
    @Test
    void anAnswerThatIsHeardLateStillAsksTheOthersIfTheCallerWaits() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        SharedLimiterHarness.Answer answer = fleet.ask(ask("a", "1", "b", "1"));
        fleet.now += LimiterSettings.defaults().deadlineMicros();
        fleet.store("big").answerAll();
        Ask late = fleet.store().waiting.get(0);
        assertThat(late.deadlineNanos - fleet.nanos())
                .isEqualTo(late.patienceNanos)
                .isPositive();
        assertThat(late.graceNanos).isLessThan(DeadlineExtension.MOST_NANOS);
        fleet.store().answerAll();
        assertThat(answer.text).isEqualTo("yes [a WITHIN_LIMIT 4, b WITHIN_LIMIT 2]");
    }

    @Test
    void afterAFailureThatIsHeardLateNobodyElseIsAsked() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        fleet.store("big").fail(StoreFailure.TIMEOUT);
        fleet.ask(ask("a", "1", "b", "1"));
        fleet.now += LimiterSettings.defaults().deadlineMicros();
        fleet.store("big").answerAll();
        assertThat(fleet.store().asked).isEmpty();
    }

    @Test
    void whatTheSecondDeniesGoesBackToTheFirst() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        fleet.decide(ask("a", "1").hits(5));
        assertThat(fleet.decide(ask("a", "1", "b", "1"))).isEqualTo("no [a OVER_LIMIT 0, b WITHIN_LIMIT 3]");
        assertThat(fleet.store("big").asked).containsExactly("tb:d:b:1 1", "tb:d:b:1 -1");
        assertThat(fleet.gaveBack).isOne();
        assertThat(fleet.decide(ask("b", "1").hits(3))).isEqualTo("yes [b WITHIN_LIMIT 0]");
    }

    @Test
    void whatTheFirstDeniesIsOnlyAskedOfTheSecond() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        assertThat(fleet.decide(ask("a", "1", "b", "1").hits(4))).isEqualTo("no [a WITHIN_LIMIT 5, b NEVER 3]");
        assertThat(fleet.store().asked).containsExactly("tb:d:a:1 4 denied");
        assertThat(fleet.decide(ask("a", "1"))).isEqualTo("yes [a WITHIN_LIMIT 4]");
    }

    @Test
    void whoWasDeniedWhileHitsWereAwayPassesWhenTheyAreBack() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        fleet.decide(ask("a", "1").hits(4));
        SharedLimiterHarness.Answer answer = fleet.ask(ask("a", "1", "b", "1").hits(2));
        fleet.store("big").answerAll();
        SharedLimiterHarness.Answer meanwhile = fleet.ask(ask("b", "1").hits(3));
        fleet.store("big").answerAll();
        assertThat(meanwhile.text).isEqualTo("no [b OVER_LIMIT 1]");
        fleet.store().answerAll();
        fleet.store("big").answerAll();
        assertThat(answer.text).startsWith("no");
        assertThat(fleet.decide(ask("b", "1").hits(3))).isEqualTo("yes [b WITHIN_LIMIT 0]");
    }

    /** The store that is asked last has it, and it alone. */
    @Test
    void anIdempotencyKeyGoesWithTheLastAsk() {
        SharedLimiterHarness fleet = four();
        byte[] hash = new byte[Idempotency.HASH];
        Idempotency key = new Idempotency(hash, hash, hash, 1_000_000, 10);
        SharedLimiterHarness.Answer answer = fleet.ask(OVER_FOUR, Long.MAX_VALUE, key);
        assertThat(waiting(fleet)).containsExactly("big");
        assertThat(fleet.store("big").waiting).allMatch(ask -> ask.idempotency == null);
        fleet.store("big").answerAll();
        assertThat(waiting(fleet)).containsExactly("default", "far");
        assertThat(fleet.store("far").waiting).allMatch(ask -> ask.idempotency == null);
        fleet.store().answerAll();
        fleet.store("far").answerAll();
        assertThat(waiting(fleet)).as("the store of the last check").containsExactly("high");
        assertThat(fleet.store("high").waiting).allMatch(ask -> ask.idempotency == key && !ask.lookOnly);
        fleet.store("high").answerAll();
        assertThat(answer.text).startsWith("yes");
        assertThat(fleet.decide(OVER_FOUR, key)).endsWith("again");
        assertThat(fleet.gaveBack).isEqualTo(3);
        assertThat(fleet.decide(ask("b", "1").hits(0))).isEqualTo("yes [b WITHIN_LIMIT 2]");
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
        fleet.store("big").answerAll();
        assertThat(fleet.ask(ask("l", "1").hits(4)).text).startsWith("yes");
        fleet.store().answerAll();
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
        WrittenRules quotas = EnvoyTrees.rules(
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
        WrittenRules windows = rules(
                rule(window("fixed", Algorithm.FIXED_WINDOW), KeyBy.of("a")),
                rule(window("sliding", Algorithm.SLIDING_WINDOW), KeyBy.of("b")),
                rule(bucket("used", 99).store("big").build(), KeyBy.of("z")));
        SharedLimiterHarness fleet = new SharedLimiterHarness(windows, "big");
        fleet.decide(ask("z", "1").hits(99));
        fleet.decide(ask("a", "1", "b", "1", "z", "1"));
        assertThat(fleet.gaveBack).as("in the middle of the minute").isEqualTo(2);
        fleet.now += 50 * LocalLimiterHarness.SECOND - 9_000;
        fleet.decide(ask("z", "2").hits(99));
        fleet.decide(ask("a", "2", "b", "2", "z", "2"));
        assertThat(fleet.gaveBack).as("nine milliseconds before its end").isEqualTo(2);
    }

    /** Hits that were refilled by then would be given twice. */
    @Test
    void aBucketThatIsAsGoodAsNewGetsNothingBack() {
        Limit fast = Limit.tokenBucket(1_000, Duration.ofSeconds(1)).withBurst(10);
        Limit slow = Limit.tokenBucket(10, Duration.ofSeconds(1)).withBurst(10);
        SharedLimiterHarness fleet = new SharedLimiterHarness(
                rules(
                        rule(WeirRules.rule("fast", fast).build(), KeyBy.of("a")),
                        rule(WeirRules.rule("slow", slow).build(), KeyBy.of("b")),
                        rule(bucket("used", 99).store("big").build(), KeyBy.of("z"))),
                "big");
        fleet.decide(ask("z", "1").hits(99));
        fleet.decide(ask("a", "1", "b", "1", "z", "1"));
        assertThat(fleet.gaveBack).isOne();
    }

    /** The window ends 20 ms after the hits were asked for; the denial is heard so many milliseconds after that, by one round trip. */
    @ParameterizedTest
    @CsvSource({"0, 1", "4, 1", "5, 0", "9, 0"})
    void whatMayComeBackAfterItsWindowStaysTaken(long elapsedMillis, int givenBack) {
        WrittenRules windows = rules(
                rule(window("fixed", Algorithm.FIXED_WINDOW), KeyBy.of("a")),
                rule(bucket("used", 99).store("big").build(), KeyBy.of("z")));
        SharedLimiterHarness fleet = new SharedLimiterHarness(windows, "big");
        fleet.now += 50 * LocalLimiterHarness.SECOND - 20_000;
        fleet.decide(ask("z", "1").hits(99));
        SharedLimiterHarness.Answer answer = fleet.ask(ask("a", "1", "z", "1"));
        fleet.store().answerAll();
        fleet.store("big").answerAllAfter(elapsedMillis * 1_000);
        assertThat(answer.text).startsWith("no [fixed WITHIN_LIMIT " + (givenBack == 0 ? 8 : 9));
        assertThat(fleet.gaveBack).isEqualTo(givenBack);
        for (Ask back : fleet.store().waiting) {
            assertThat(back.deadlineNanos - fleet.nanos()).isEqualTo((20 - 2 * elapsedMillis) * 1_000_000);
        }
    }

    private static Rule window(String name, Algorithm algorithm) {
        return WeirRules.rule(name, Limit.of(algorithm, 9, Duration.ofMinutes(1)))
                .build();
    }

    /** Rules over two stores, of which {@code other} is one, and this process, with a limit each. */
    private static WrittenRules spread(Random random, String other) {
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

    /** Quotas, and checks that count when denied, in whatever store. A second later no denial is remembered any more. */
    @Property(tries = 80)
    void quotasAndWhatCountsWhenDeniedAreDecidedAsIfAllWasCountedInOnePlace(@ForAll long seed) {
        Random random = new Random(seed);
        SharedLimiterHarness fleet = new SharedLimiterHarness(envoy(new Random(seed), "big", "far"), "big", "far");
        LocalLimiterHarness alone = new LocalLimiterHarness(envoy(new Random(seed), "default", "default"));
        for (int i = 0; i < 40; i++) {
            List<String> descriptors = new ArrayList<>();
            for (String key : List.of("a", "b", "c", "d", "e")) {
                if (random.nextBoolean()) {
                    descriptors.add(key + "=x");
                }
            }
            Request request = EnvoyTrees.ask(descriptors.toArray(String[]::new)).hits(random.nextInt(3));
            alone.now = fleet.now;
            String expected = alone.ask(request);
            assertThat(fleet.decide(request)).isEqualTo(expected);
            fleet.now += 1_100_000;
        }
    }

    /** Five rules over three stores, some of them quotas, some shadows; fixed windows count when denied. */
    private static WrittenRules envoy(Random random, String second, String third) {
        List<String> stores = List.of("default", second, third);
        List<EnvoyDescriptor> all = new ArrayList<>();
        for (String key : List.of("a", "b", "c", "d", "e")) {
            boolean fixed = random.nextBoolean();
            Limit limit = fixed
                    ? Limit.fixedWindow(1 + random.nextInt(8), Duration.ofMinutes(1))
                    : Limit.tokenBucket(1 + random.nextInt(8), Duration.ofMinutes(1));
            all.add(EnvoyTrees.limited(
                    key,
                    EnvoyTrees.rule(key, limit)
                            .countsDenied(fixed)
                            .quota(random.nextInt(3) > 0)
                            .shadow(random.nextInt(5) == 0)
                            .store(stores.get(random.nextInt(3)))
                            .build()));
        }
        return EnvoyTrees.rules(all.toArray(EnvoyDescriptor[]::new));
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
