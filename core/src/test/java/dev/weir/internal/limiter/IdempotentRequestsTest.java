package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.limiter.idempotency.IdempotencyLookupLimit;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.EnvoyTrees;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Idempotency;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Requests that are sent again with their idempotency key, wherever their counters live. */
class IdempotentRequestsTest {
    private static final long HOUR = 3600 * LocalLimiterHarness.SECOND;

    private static RuleBuilder bucket(String name, long requests) {
        return WeirRules.rule(name, Limit.tokenBucket(requests, Duration.ofHours(1)));
    }

    private static final WrittenRules ONE = rules(rule(bucket("a", 5).build(), KeyBy.of("a")));

    /** {@code b} is asked last: it is the last that is shared. */
    private static WrittenRules three(OnFail onFail) {
        return rules(
                rule(bucket("a", 5).onFail(onFail).build(), KeyBy.of("a")),
                rule(bucket("b", 3).store("big").build(), KeyBy.of("b")),
                rule(bucket("l", 4).consistency(Consistency.LOCAL).build(), KeyBy.of("l")));
    }

    private static final WrittenRules THREE = three(OnFail.ALLOW);
    private static final Request ALL = ask("a", "1", "b", "1", "l", "1");

    private static Idempotency key(String key) {
        return key(key, "body");
    }

    private static Idempotency key(String key, String body) {
        return new Idempotency(hash("caller"), hash(key), hash(body), HOUR, 10);
    }

    /** The same key and body of another caller. */
    private static Idempotency from(String caller) {
        return new Idempotency(hash(caller), hash("k"), hash("body"), HOUR, 10);
    }

    private static byte[] hash(String text) {
        return Arrays.copyOf(text.getBytes(UTF_8), Idempotency.HASH);
    }

    /** Probes how many hits every counter has room for. */
    private static String room(SharedLimiterHarness fleet) {
        return fleet.decide(ask("a", "1", "b", "1", "l", "1").hits(0));
    }

    private static String left(int a, int b, int l) {
        return "yes [a WITHIN_LIMIT " + a + ", b WITHIN_LIMIT " + b + ", l WITHIN_LIMIT " + l + "]";
    }

    @Test
    void aRepeatIsNotChargedAndGetsTheSameAnswer() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(ONE);
        assertThat(fleet.decide(ask("a", "1").hits(2), key("k"))).isEqualTo("yes [a WITHIN_LIMIT 3]");
        assertThat(fleet.decide(ask("a", "1"))).isEqualTo("yes [a WITHIN_LIMIT 2]");
        assertThat(fleet.decide(ask("a", "1").hits(2), key("k"))).isEqualTo("yes [a WITHIN_LIMIT 3] again");
        assertThat(fleet.decided).as("what metrics count").isEqualTo(2);
        assertThat(fleet.decide(ask("a", "1"))).isEqualTo("yes [a WITHIN_LIMIT 1]");
    }

    @Test
    void anotherRequestWithItsKeyIsAConflict() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(ONE);
        fleet.decide(ask("a", "1"), key("k"));
        assertThat(fleet.decide(ask("a", "1"), key("k", "other"))).isEqualTo("no [] conflict");
        assertThat(fleet.decide(ask("a", "1"))).isEqualTo("yes [a WITHIN_LIMIT 3]");
    }

    @Test
    void aRepeatOfAnAdmittedRequestPassesDespiteACachedDenial() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(ONE);
        fleet.decide(ask("a", "1").hits(5), key("k"));
        assertThat(fleet.decide(ask("a", "1").hits(5))).isEqualTo("no [a OVER_LIMIT 0]");
        assertThat(fleet.ask(ask("a", "1").hits(5)).atOnce).isTrue();
        assertThat(fleet.decide(ask("a", "1").hits(5), key("k"))).isEqualTo("yes [a WITHIN_LIMIT 0] again");
        assertThat(fleet.ask(ask("a", "1").hits(5)).atOnce)
                .as("an answer of before says nothing of now")
                .isTrue();
    }

    @Test
    void aRepeatOfAnAdmittedRequestPassesDespiteAReportedCounterThatIsOver() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(
                rule(
                        WeirRules.rule("r", Limit.fixedWindow(3, Duration.ofMinutes(1)))
                                .consistency(Consistency.REPORTED)
                                .build(),
                        KeyBy.of("a")),
                rule(bucket("a", 5).build(), KeyBy.of("a"))));
        String first = "yes [r WITHIN_LIMIT 2, a WITHIN_LIMIT 4]";
        assertThat(fleet.decide(ask("a", "1"), key("k"))).isEqualTo(first);
        fleet.decide(ask("a", "1").hits(2));
        fleet.now += 200_000;
        fleet.limiter.tick();
        fleet.store().answerAll();
        assertThat(fleet.decide(ask("a", "1"))).isEqualTo("no [r OVER_LIMIT 0]");
        assertThat(fleet.decide(ask("a", "1"), key("k"))).isEqualTo("yes [r WITHIN_LIMIT 0, a WITHIN_LIMIT 4] again");
        assertThat(fleet.decide(ask("a", "1"), key("new"))).startsWith("no [r OVER_LIMIT 0");
        assertThat(fleet.decide(ask("a", "1"), key("new"))).startsWith("no [r OVER_LIMIT 0");
        assertThat(fleet.decide(ask("a", "1").hits(0))).endsWith("a WITHIN_LIMIT 2]");
    }

    @Test
    void aDenialThatIsRetriedReachesTheStoreAFewTimesASecond() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(ONE);
        fleet.decide(ask("a", "1").hits(5));
        assertThat(fleet.decide(ask("a", "1"), key("k"))).isEqualTo("no [a OVER_LIMIT 0]");
        int asked = fleet.store().asked.size();
        for (int i = 0; i < 1_000; i++) {
            assertThat(fleet.decide(ask("a", "1"), key("k"))).isEqualTo("no [a OVER_LIMIT 0]");
        }
        assertThat(fleet.store().asked).hasSize(asked + IdempotencyLookupLimit.MOST);
        fleet.now += LocalLimiterHarness.SECOND;
        assertThat(fleet.ask(ask("a", "1"), Long.MAX_VALUE, key("k")).atOnce).isFalse();
    }

    @Test
    void aRequestWithManyKnownDenialsIsOneLookup() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(
                rule(bucket("a", 5).build(), KeyBy.of("a")),
                rule(bucket("b", 5).build(), KeyBy.of("a")),
                rule(bucket("c", 5).build(), KeyBy.of("a"))));
        fleet.decide(ask("a", "1").hits(5));
        fleet.decide(ask("a", "1"));
        for (int i = 0; i < IdempotencyLookupLimit.MOST; i++) {
            assertThat(fleet.ask(ask("a", "1"), Long.MAX_VALUE, key("k" + i)).atOnce)
                    .isFalse();
            fleet.store().answerAll();
        }
        assertThat(fleet.ask(ask("a", "1"), Long.MAX_VALUE, key("k")).atOnce).isTrue();
    }

    @Test
    void aKeyThatAnotherNodeAdmittedIsKnownAlsoWithinTheCachedDenial() {
        WrittenRules rules = rules(rule(bucket("a", 5).build(), KeyBy.of("a")));
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules);
        Limiter other = new Limiter(
                rules,
                fleet.local,
                SharedStores.of(fleet.stores),
                fleet,
                LimiterSettings.defaults(),
                new LimiterObserver() {});
        fleet.decide(ask("a", "1").hits(5));
        assertThat(fleet.decide(ask("a", "1"), key("k"))).isEqualTo("no [a OVER_LIMIT 0]");
        SharedLimiterHarness.Answer ignored = new SharedLimiterHarness.Answer(Long.MAX_VALUE);
        other.decide(ask("a", "1").hits(-1), fleet.now, new MutableDecision(), () -> ignored, null);
        SharedLimiterHarness.Answer admitted = new SharedLimiterHarness.Answer(Long.MAX_VALUE);
        other.decide(ask("a", "1"), fleet.now, new MutableDecision(), () -> admitted, key("k"));
        fleet.store().answerAll();
        assertThat(admitted.text).isEqualTo("yes [a WITHIN_LIMIT 0]");
        assertThat(fleet.decide(ask("a", "1"), key("k"))).isEqualTo("yes [a WITHIN_LIMIT 0] again");
    }

    @Test
    void aKeyThatAnotherNodeAdmittedSinceItWasDeniedHereIsKnown() {
        WrittenRules rules = rules(rule(
                WeirRules.rule("a", Limit.tokenBucket(10, Duration.ofSeconds(1)))
                        .build(),
                KeyBy.of("a")));
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules);
        Limiter other = new Limiter(
                rules,
                fleet.local,
                SharedStores.of(fleet.stores),
                fleet,
                LimiterSettings.defaults(),
                new LimiterObserver() {});
        fleet.decide(ask("a", "1").hits(10));
        assertThat(fleet.decide(ask("a", "1"), key("k"))).isEqualTo("no [a OVER_LIMIT 0]");
        fleet.now += 100_000;
        SharedLimiterHarness.Answer admitted = new SharedLimiterHarness.Answer(Long.MAX_VALUE);
        other.decide(ask("a", "1"), fleet.now, new MutableDecision(), () -> admitted, key("k"));
        fleet.store().answerAll();
        assertThat(admitted.text).isEqualTo("yes [a WITHIN_LIMIT 0]");
        fleet.now += 1_000;
        assertThat(fleet.decide(ask("a", "1"))).isEqualTo("no [a OVER_LIMIT 0]");
        assertThat(fleet.decide(ask("a", "1"), key("k"))).isEqualTo("yes [a WITHIN_LIMIT 0] again");
    }

    @Test
    void freshKeysDoNotGetAFloodPastTheDenyCache() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(ONE);
        fleet.decide(ask("a", "1").hits(5));
        fleet.decide(ask("a", "1"));
        int asked = fleet.store().asked.size();
        for (int i = 0; i < 1_000; i++) {
            assertThat(fleet.decide(ask("a", "1"), key("k" + i))).isEqualTo("no [a OVER_LIMIT 0]");
        }
        assertThat(fleet.store().asked).hasSize(asked + IdempotencyLookupLimit.MOST);
        fleet.now += LocalLimiterHarness.SECOND / 2;
        assertThat(fleet.ask(ask("a", "1"), Long.MAX_VALUE, from("other")).atOnce)
                .as("whoever else meets that limit has lookups of its own")
                .isFalse();
    }

    @Test
    void aRequestThatChargesNothingIsNotKeptButConflictsWithOneThatDid() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        fleet.decide(ask("a", "1", "b", "1").hits(0), key("k"));
        fleet.decide(ALL, key("new"));
        assertThat(fleet.decide(ask("a", "1", "b", "1").hits(0), key("k")))
                .as("as things are now")
                .isEqualTo("yes [a WITHIN_LIMIT 4, b WITHIN_LIMIT 2]");
        assertThat(fleet.decide(ask("b", "1").hits(0), key("new", "other"))).isEqualTo("no [] conflict");
    }

    @Test
    void madeUpCallersDoNotFillTheStoreWithKeys() {
        int most = 100;
        SharedLimiterHarness fleet =
                new SharedLimiterHarness(ONE, LimiterSettings.defaults().withKeptKeys(most));
        assertThat(fleet.decide(ask("a", "1"), key("before"))).startsWith("yes");
        for (int i = 1; i < 3 * most; i++) {
            assertThat(fleet.decide(ask("a", "user" + i), from("user" + i))).isEqualTo("yes [a WITHIN_LIMIT 4]");
        }
        assertThat(fleet.keysNotKept).isEqualTo(2 * most);
        assertThat(fleet.decide(ask("a", "1"), key("before"))).endsWith("again");
        assertThat(fleet.decide(ask("a", "user1"), from("user1"))).endsWith("again");
        assertThat(fleet.decide(ask("a", "user299"), from("user299"))).isEqualTo("yes [a WITHIN_LIMIT 3]");
        fleet.now += HOUR / most;
        assertThat(fleet.decide(ask("a", "late"), from("late"))).isEqualTo("yes [a WITHIN_LIMIT 4]");
        assertThat(fleet.decide(ask("a", "late"), from("late")))
                .as("one has expired")
                .endsWith("again");
    }

    @Test
    void onlyKeptKeysUseTheKeyBudget() {
        SharedLimiterHarness fleet =
                new SharedLimiterHarness(ONE, LimiterSettings.defaults().withKeptKeys(2));
        fleet.decide(ask("a", "1").hits(5), key("k"));
        for (int i = 0; i < 10; i++) {
            fleet.decide(ask("a", "1").hits(5), key("k"));
            fleet.decide(ask("a", "1"), key("denied" + i));
        }
        fleet.store().fail(StoreFailure.TIMEOUT);
        for (int i = 0; i < 10; i++) {
            fleet.decide(ask("a", "2"), key("unanswered" + i));
        }
        fleet.store().fail(null);
        fleet.decide(ask("a", "2"), key("second"));
        assertThat(fleet.keysNotKept).isZero();
        assertThat(fleet.decide(ask("a", "2"), key("second"))).endsWith("again");
        fleet.decide(ask("a", "3"), key("third"));
        assertThat(fleet.keysNotKept).isOne();
    }

    @Test
    void aDenialIsNotKept() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(ONE);
        fleet.decide(ask("a", "1").hits(5));
        assertThat(fleet.decide(ask("a", "1"), key("k"))).isEqualTo("no [a OVER_LIMIT 0]");
        fleet.now += HOUR;
        assertThat(fleet.decide(ask("a", "1"), key("k"))).isEqualTo("yes [a WITHIN_LIMIT 4]");
        assertThat(fleet.decide(ask("a", "1"), key("k"))).isEqualTo("yes [a WITHIN_LIMIT 4] again");
    }

    @Test
    void acrossStoresTheHitsOfARetryAreGivenBack() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        assertThat(fleet.decide(ALL, key("k"))).isEqualTo(left(4, 2, 3));
        assertThat(fleet.gaveBack).isZero();
        assertThat(fleet.decide(ALL, key("k"))).isEqualTo(left(4, 2, 3) + " again");
        assertThat(fleet.gaveBack).isOne();
        assertThat(room(fleet)).isEqualTo(left(4, 2, 3));
        assertThat(fleet.decide(ALL, key("k", "other"))).isEqualTo("no [] conflict");
        assertThat(room(fleet)).isEqualTo(left(4, 2, 3));
    }

    @Test
    void acrossStoresARetryGivesNothingBackAgain() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        fleet.decide(ask("a", "1", "l", "1").hits(4));
        Request refund = Request.to("d").descriptor().with("a", "1").with("l", "1");
        refund.descriptorHits(-1).descriptor().with("b", "1");
        assertThat(fleet.decide(refund, key("k")))
                .isEqualTo("yes [a WITHIN_LIMIT 2, l WITHIN_LIMIT 1, b WITHIN_LIMIT 2]");
        assertThat(fleet.decide(refund, key("k"))).endsWith("b WITHIN_LIMIT 2] again");
        assertThat(room(fleet)).isEqualTo(left(2, 2, 1));
        fleet.store("big").fail(StoreFailure.TIMEOUT);
        assertThat(fleet.decide(refund, key("k"))).startsWith("yes").endsWith("degraded");
        fleet.store("big").fail(null);
        assertThat(room(fleet)).as("it may have been known").startsWith("yes [a WITHIN_LIMIT 2");
    }

    @Test
    void acrossStoresARepeatPassesThoughAnotherStoreDeniesNow() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        fleet.decide(ALL, key("k"));
        fleet.decide(ask("a", "1").hits(4));
        assertThat(fleet.decide(ask("a", "1"))).isEqualTo("no [a OVER_LIMIT 0]");
        assertThat(fleet.decide(ALL, key("k"))).isEqualTo(left(0, 2, 3) + " again");
        assertThat(room(fleet)).isEqualTo(left(0, 2, 3));
    }

    @Test
    void acrossStoresARepeatPassesThoughThisProcessDeniesNow() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        fleet.decide(ALL, key("k"));
        assertThat(fleet.decide(ask("l", "1").hits(3))).startsWith("yes");
        assertThat(fleet.decide(ALL, key("new"))).startsWith("no");
        assertThat(fleet.decide(ALL, key("k"))).isEqualTo(left(4, 2, 0) + " again");
        assertThat(room(fleet)).isEqualTo(left(4, 2, 0));
    }

    @Test
    void acrossStoresADenialOfTheLastIsNotKeptAndAllGoesBack() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        fleet.decide(ask("b", "1").hits(3));
        assertThat(fleet.decide(ALL, key("k"))).isEqualTo("no [a WITHIN_LIMIT 5, b OVER_LIMIT 0, l WITHIN_LIMIT 4]");
        assertThat(room(fleet)).isEqualTo(left(5, 0, 4));
        fleet.now += HOUR;
        assertThat(fleet.decide(ALL, key("k"))).isEqualTo(left(4, 2, 3));
    }

    @Test
    void acrossStoresNothingIsKeptOfARequestThatAnotherDenies() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        fleet.decide(ask("l", "1").hits(4));
        assertThat(fleet.decide(ALL, key("k"))).isEqualTo("no [a WITHIN_LIMIT 5, b WITHIN_LIMIT 3, l OVER_LIMIT 0]");
        fleet.now += HOUR;
        assertThat(fleet.decide(ALL, key("k"))).isEqualTo(left(4, 2, 3));
    }

    @Test
    void anAnswerWithoutAStoreIsNotKept() {
        for (OnFail onFail : OnFail.values()) {
            SharedLimiterHarness fleet = new SharedLimiterHarness(three(onFail), "big");
            fleet.store().fail(StoreFailure.TIMEOUT);
            String answer = fleet.decide(ALL, key("k"));
            assertThat(answer).startsWith(onFail == OnFail.DENY ? "no" : "yes").endsWith("degraded");
            fleet.store().fail(null);
            assertThat(fleet.decide(ALL, key("k")))
                    .as("after %s", onFail)
                    .isEqualTo(onFail == OnFail.DENY ? left(4, 2, 3) : left(4, 1, 2));
        }
    }

    @Test
    void ofTwoAtOnceOneIsChargedWhoeverIsAnsweredFirst() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        SharedLimiterHarness.Answer first = fleet.ask(ALL, Long.MAX_VALUE, key("k"));
        SharedLimiterHarness.Answer second = fleet.ask(ALL, Long.MAX_VALUE, key("k"));
        fleet.store().answerAll();
        fleet.store("big").answer(1);
        fleet.store("big").answer(0);
        assertThat(second.text).startsWith("yes").doesNotContain("again");
        assertThat(first.text).startsWith("yes").endsWith("again");
        fleet.store().answerAll();
        assertThat(room(fleet)).isEqualTo(left(4, 2, 3));
    }

    @Test
    void aCheckThatCountsDeniedHitsIsNotChargedAgainEither() {
        Rule big = EnvoyTrees.rule("b", Limit.fixedWindow(10, Duration.ofMinutes(1)))
                .store("big")
                .build();
        Rule local = EnvoyTrees.rule("l", Limit.fixedWindow(2, Duration.ofMinutes(1)))
                .consistency(Consistency.LOCAL)
                .build();
        SharedLimiterHarness fleet = new SharedLimiterHarness(
                EnvoyTrees.rules(EnvoyTrees.limited("a"), EnvoyTrees.limited("b", big), EnvoyTrees.limited("l", local)),
                "big");
        Request request = EnvoyTrees.ask("a=1", "b=1", "l=1");
        assertThat(fleet.decide(request, key("k"))).isEqualTo(left(9, 9, 1));
        for (int i = 0; i < 5; i++) {
            assertThat(fleet.decide(request, key("k"))).endsWith("again");
        }
        assertThat(fleet.decide(request)).isEqualTo(left(8, 8, 0));
    }

    @Test
    void aRequestWithoutASharedStoreIsChargedEveryTime() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(THREE, "big");
        assertThat(fleet.decide(ask("l", "1"), key("k"))).isEqualTo("yes [l WITHIN_LIMIT 3]");
        assertThat(fleet.decide(ask("l", "1"), key("k"))).isEqualTo("yes [l WITHIN_LIMIT 2]");
    }

    @Property(tries = 80)
    void howeverRetriesInterleaveWhatIsAdmittedIsChargedOnce(@ForAll long seed) {
        Random random = new Random(seed);
        List<WeirRule> all = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            RuleBuilder rule = bucket(name, 6);
            rule.store(name.equals("b") ? "big" : "default");
            rule.consistency(name.equals("c") ? Consistency.LOCAL : Consistency.EXACT);
            all.add(rule(rule.build(), KeyBy.of(name)));
        }
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(all.toArray(WeirRule[]::new)), "big");
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Request request = Request.to("d").descriptor().with(random.nextBoolean() ? "a" : "b", "x");
            request.with("c", random.nextBoolean() ? "x" : "y");
            requests.add(request.hits(1 + random.nextInt(3)));
        }
        requests.set(0, ask("a", "x", "b", "x", "c", "x").hits(2));
        requests.set(1, ask("a", "x", "b", "x").hits(1));
        Map<SharedLimiterHarness.Answer, Integer> asked = new HashMap<>();
        for (int i = 0; i < 80; i++) {
            if (random.nextBoolean()) {
                int which = random.nextInt(requests.size());
                asked.put(fleet.ask(requests.get(which), Long.MAX_VALUE, key("k" + which)), which);
            } else {
                ScriptedStore store = fleet.store(random.nextBoolean() ? "big" : "default");
                if (!store.waiting.isEmpty()) {
                    store.answer(random.nextInt(store.waiting.size()));
                }
            }
        }
        for (int i = 0; i < 6; i++) {
            fleet.stores.values().forEach(ScriptedStore::answerAll);
        }
        Map<Integer, Integer> charged = new HashMap<>();
        Map<Integer, Integer> admitted = new HashMap<>();
        asked.forEach((answer, which) -> {
            assertThat(answer.told).isOne();
            charged.merge(which, answer.decision.allowed() && !answer.decision.repeated() ? 1 : 0, Integer::sum);
            admitted.merge(which, answer.decision.allowed() ? 1 : 0, Integer::sum);
        });
        Map<String, Long> used = new HashMap<>();
        charged.forEach((which, times) -> {
            assertThat(times).isEqualTo(Math.min(1, admitted.getOrDefault(which, 0)));
            Request request = requests.get(which);
            for (int i = 0; times > 0 && i < request.end(0); i++) {
                used.merge(request.key(i) + request.value(i), request.hitsOf(0), Long::sum);
            }
        });
        for (String counter : List.of("ax", "bx", "cx", "cy")) {
            String name = counter.substring(0, 1);
            long left = 6 - used.getOrDefault(counter, 0L);
            assertThat(left).isNotNegative();
            assertThat(fleet.decide(ask(name, counter.substring(1)).hits(0)))
                    .isEqualTo("yes [" + name + " WITHIN_LIMIT " + left + "]");
        }
    }
}
