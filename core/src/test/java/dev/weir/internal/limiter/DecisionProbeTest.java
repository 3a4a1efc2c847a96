package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.shared.ProbedDecision;
import dev.weir.internal.limiter.shared.ProbedDecision.Origin;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** A probe says what the next decision says, and what the last one said of the counter; and it takes nothing. */
class DecisionProbeTest {
    private static final Request USER = ask("user", "u");

    private static WrittenRules byUser(Limit limit, Consistency consistency) {
        return rules(
                rule(WeirRules.rule("r", limit).consistency(consistency).cost(2).build(), KeyBy.of("user")));
    }

    @Property(tries = 400)
    void saysWhatDecisionsInMemorySay(
            @ForAll Algorithm algorithm,
            @ForAll @IntRange(min = 1, max = 12) int requests,
            @ForAll @IntRange(min = 1, max = 7_200) int seconds,
            @ForAll long seed) {
        LocalLimiterHarness d = new LocalLimiterHarness(
                byUser(Limit.of(algorithm, requests, Duration.ofSeconds(seconds)), Consistency.EXACT));
        Random random = new Random(seed);
        for (int i = 0; i < 40; i++) {
            d.now += random.nextInt(4) == 0
                    ? random.nextLong(2L * seconds * LocalLimiterHarness.SECOND)
                    : random.nextLong(LocalLimiterHarness.SECOND * seconds / 10 + 1);
            Request request = ask("user", "u").hits(random.nextInt(4));
            MutableDecision probed = probe(d.limiter, request);
            MutableDecision decided = d.decide(request);
            assertSameAnswer(probed, decided);
            MutableVerdict after = probe(d.limiter, request).verdict(0);
            assertThat(after.resetMicros()).isEqualTo(decided.verdict(0).resetMicros());
            assertThat(after.remaining()).isEqualTo(decided.verdict(0).remaining());
        }
        assertThat(d.decided).isEqualTo(40); // nobody is told of a probe
    }

    @Property(tries = 400)
    void saysWhatDecisionsOfSharedStoresSay(
            @ForAll Algorithm algorithm,
            @ForAll @IntRange(min = 1, max = 12) int requests,
            @ForAll @IntRange(min = 1, max = 7_200) int seconds,
            @ForAll boolean reported,
            @ForAll long seed) {
        SharedLimiterHarness fleet = new SharedLimiterHarness(byUser(
                Limit.of(algorithm, requests, Duration.ofSeconds(seconds)),
                reported ? Consistency.REPORTED : Consistency.EXACT));
        fleet.store().answering();
        Random random = new Random(seed);
        for (int i = 0; i < 40; i++) {
            fleet.now += random.nextLong(LocalLimiterHarness.SECOND * seconds / 5 + 1);
            fleet.limiter.tick();
            Request request = ask("user", "u").hits(random.nextInt(4));
            MutableDecision probed = probe(fleet.limiter, request);
            assertThat(probe(fleet.limiter, request)).hasToString(probed.toString());
            assertSameAnswer(probed, decide(fleet, request));
        }
    }

    private static MutableDecision decide(SharedLimiterHarness fleet, Request request) {
        return fleet.limiter.decideAsync(request).toCompletableFuture().join();
    }

    private static void assertSameAnswer(MutableDecision probed, MutableDecision decided) {
        MutableVerdict verdict = decided.verdict(0);
        MutableVerdict probe = probed.verdict(0);
        assertThat(probed.allowed()).isEqualTo(decided.allowed());
        assertThat(probe.reason()).isEqualTo(verdict.reason());
        assertThat(probe.retryAfterMicros()).isEqualTo(verdict.retryAfterMicros());
        assertThat(probe.hits()).isEqualTo(verdict.hits());
        if (!decided.allowed()) {
            assertThat(probe.remaining()).isEqualTo(verdict.remaining());
            assertThat(probe.resetMicros()).isEqualTo(verdict.resetMicros());
        }
    }

    private static MutableDecision probe(Limiter limiter, Request request) {
        return limiter.probe(request).toCompletableFuture().join().decision();
    }

    private static Origin origin(Limiter limiter, Request request) {
        ProbedDecision probed = limiter.probe(request).toCompletableFuture().join();
        return probed.origin(probed.decision().verdict(0));
    }

    @Test
    void everyQuotaMustDenyAndAShadowRuleNeverDoes() {
        Limit one = Limit.fixedWindow(1, Duration.ofHours(1));
        LocalLimiterHarness quotas = new LocalLimiterHarness(
                rules(
                        rule(WeirRules.rule("a", one).build(), KeyBy.of("user")),
                        rule(
                                WeirRules.rule("b", Limit.fixedWindow(2, Duration.ofHours(1)))
                                        .build(),
                                KeyBy.of("user"))),
                new LimiterSettings(false, true, true));
        for (boolean passes : new boolean[] {true, true, false}) {
            assertThat(probe(quotas.limiter, USER).allowed()).isEqualTo(passes);
            assertThat(quotas.decide(USER).allowed()).isEqualTo(passes);
        }
        LocalLimiterHarness shadow = new LocalLimiterHarness(
                rules(rule(WeirRules.rule("r", one).shadow(true).build(), KeyBy.of("user"))));
        assertThat(shadow.decide(USER.hits(1)).allowed()).isTrue();
        assertThat(probe(shadow.limiter, USER).allowed()).isTrue();
        assertThat(probe(shadow.limiter, USER).verdict(0).shadowed()).isTrue();
    }

    @Test
    void aLeaseOfThisProcessAnswersAndStaysWhole() {
        SharedLimiterHarness fleet =
                new SharedLimiterHarness(byUser(Limit.fixedWindow(10_000, Duration.ofMinutes(1)), Consistency.LEASED));
        fleet.store().answering();
        assertThat(origin(fleet.limiter, USER)).isEqualTo(Origin.STORE);
        for (int i = 0; i < 40; i++) {
            decide(fleet, USER);
        }
        long held = Objects.requireNonNull(fleet.limiter.tier()).leases().held();
        assertThat(held).isPositive();
        fleet.store().asked.clear();
        assertThat(origin(fleet.limiter, USER)).isEqualTo(Origin.LEASE);
        assertThat(fleet.store().asked).isEmpty();
        assertThat(Objects.requireNonNull(fleet.limiter.tier()).leases().held()).isEqualTo(held);
        // The counter itself is asked of its store, whatever this process holds.
        ProbedDecision stored = fleet.limiter
                .probeCounters(USER, Duration.ofSeconds(1))
                .toCompletableFuture()
                .join();
        assertThat(stored.origin(stored.decision().verdict(0))).isEqualTo(Origin.STORE);
        assertThat(stored.decision().verdict(0).remaining())
                .isEqualTo(probe(fleet.limiter, USER).verdict(0).remaining() - held);
    }

    @Test
    void aCachedDenialIsSaidAsSuchUntilItIsDue() {
        SharedLimiterHarness fleet =
                new SharedLimiterHarness(byUser(Limit.fixedWindow(2, Duration.ofHours(1)), Consistency.EXACT));
        fleet.store().answering();
        decide(fleet, USER);
        assertThat(origin(fleet.limiter, USER)).isEqualTo(Origin.STORE);
        decide(fleet, USER);
        assertThat(origin(fleet.limiter, USER)).isEqualTo(Origin.CACHED_DENIAL);
        assertThat(Objects.requireNonNull(fleet.limiter.tier()).denied()).isZero();
        fleet.now += 2 * LocalLimiterHarness.SECOND;
        assertThat(origin(fleet.limiter, USER)).isEqualTo(Origin.STORE);
        assertThat(origin(fleet.limiter, USER)).isEqualTo(Origin.STORE); // no probe spends the re-validation
    }

    @Test
    void onFailAnswersForAStoreThatDoesNot() {
        for (OnFail onFail : OnFail.values()) {
            SharedLimiterHarness fleet = new SharedLimiterHarness(rules(rule(
                    WeirRules.rule("r", Limit.fixedWindow(2, Duration.ofHours(1)))
                            .onFail(onFail)
                            .build(),
                    KeyBy.of("user"))));
            fleet.store().answering();
            fleet.store().fail(StoreFailure.TIMEOUT);
            for (int i = 0; i < 4; i++) {
                MutableDecision probed = probe(fleet.limiter, USER);
                assertThat(probed.degraded()).isTrue();
                assertThat(fleet.failures).hasSize(i); // a probe is no failed decision
                MutableDecision decided = decide(fleet, USER);
                assertThat(probed.allowed()).isEqualTo(decided.allowed());
                assertThat(probed.verdict(0).reason())
                        .isEqualTo(decided.verdict(0).reason());
                assertThat(origin(fleet.limiter, USER)).isEqualTo(Origin.ON_FAIL);
            }
        }
    }

    @Test
    void severalStoresAndHashSlotsAnswerTogether() {
        Limit two = Limit.tokenBucket(2, Duration.ofMinutes(1));
        SharedLimiterHarness fleet = new SharedLimiterHarness(
                rules(
                        rule(WeirRules.rule("a", two).build(), KeyBy.of("user")),
                        rule(WeirRules.rule("b", two).build(), KeyBy.global()),
                        rule(WeirRules.rule("c", two).store("other").build(), KeyBy.of("user")),
                        rule(
                                WeirRules.rule("d", Limit.tokenBucket(1, Duration.ofMinutes(1)))
                                        .consistency(Consistency.LOCAL)
                                        .build(),
                                KeyBy.of("user"))),
                "other");
        fleet.store().slots = 64;
        CompletableFuture<ProbedDecision> before = fleet.limiter.probe(USER).toCompletableFuture();
        assertThat(before).isNotDone();
        fleet.stores.values().forEach(ScriptedStore::answerAll);
        assertThat(before.join().decision().allowed()).isTrue();
        assertThat(before.join().decision().size()).isEqualTo(4);
        assertThat(fleet.decide(USER)).startsWith("yes ");
        CompletableFuture<ProbedDecision> after = fleet.limiter.probe(USER).toCompletableFuture();
        fleet.stores.values().forEach(ScriptedStore::answerAll);
        assertThat(LocalLimiterHarness.text(after.join().decision()))
                .isEqualTo("no [a WITHIN_LIMIT 1, b WITHIN_LIMIT 1, c WITHIN_LIMIT 1, d OVER_LIMIT 0]");
    }
}
