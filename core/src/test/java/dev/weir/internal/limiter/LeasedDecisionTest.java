package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.internal.lease.LeaseStats;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeasedDecisionTest {
    private static final Limit WINDOW = Limit.fixedWindow(1_000, Duration.ofMinutes(1));
    private static final Request USER = ask("user", "u");

    private static WeirRule leased(String name, Limit limit, String key) {
        return rule(builder(name, limit).build(), KeyBy.of(key));
    }

    private static RuleBuilder builder(String name, Limit limit) {
        return WeirRules.rule(name, limit).consistency(Consistency.LEASED);
    }

    private static SharedLimiterHarness fleet(Limit limit) {
        return new SharedLimiterHarness(rules(leased("r", limit, "user")));
    }

    private static LeaseStats stats(SharedLimiterHarness fleet) {
        return Objects.requireNonNull(fleet.limiter.tier()).leases().stats();
    }

    /** Asks until a lease of some size is held, and forgets what was asked for it. */
    private static void lease(SharedLimiterHarness fleet, Request request) {
        for (int i = 0; i < 50; i++) {
            fleet.decide(request);
            fleet.ask(request);
            fleet.stores.values().forEach(ScriptedStore::answerAll);
            if (Objects.requireNonNull(fleet.limiter.tier()).leases().held() >= 6) {
                fleet.stores.values().forEach(each -> each.asked.clear());
                return;
            }
        }
        throw new AssertionError("no lease");
    }

    @Test
    void aKeySeenOnceCostsOneExactCheck() {
        SharedLimiterHarness fleet = fleet(WINDOW);
        assertThat(fleet.decide(USER)).isEqualTo("yes [r WITHIN_LIMIT 999]");
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 1");
        fleet.now += 2 * LocalLimiterHarness.SECOND;
        assertThat(fleet.decide(USER)).isEqualTo("yes [r WITHIN_LIMIT 998]");
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 1", "fw:d:r:u 1");
        assertThat(stats(fleet).taken()).isZero();
    }

    @Test
    void aBusyKeyIsDecidedAtOnceFromItsLease() {
        SharedLimiterHarness fleet = fleet(WINDOW);
        fleet.decide(USER);
        fleet.decide(USER);
        assertThat(fleet.decide(USER)).isEqualTo("yes [r WITHIN_LIMIT 997]");
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 1", "fw:d:r:u 1", "fw:d:r:u 1+3");
        SharedLimiterHarness.Answer answer = fleet.ask(USER);
        assertThat(answer.atOnce).isTrue();
        assertThat(answer.text).isEqualTo("yes [r WITHIN_LIMIT 996]");
        assertThat(answer.decision.verdict(0).leased()).isTrue();
        assertThat(answer.decision.verdict(0).resetMicros()).isEqualTo(50 * LocalLimiterHarness.SECOND);
        assertThat(fleet.store().asked).hasSize(3);
    }

    @Test
    void theNextLeaseIsFetchedBeforeTheLastIsSpentAndByOneRequestAlone() {
        SharedLimiterHarness fleet = fleet(WINDOW);
        lease(fleet, USER);
        while (fleet.store().asked.isEmpty()) {
            assertThat(fleet.ask(USER).atOnce).isTrue();
        }
        assertThat(fleet.store().asked).singleElement().asString().startsWith("fw:d:r:u 0+");
        SharedLimiterHarness.Answer meanwhile = fleet.ask(USER);
        assertThat(meanwhile.atOnce).isTrue();
        assertThat(fleet.store().asked).hasSize(1);
        // Nothing left: who comes now asks for itself, and for nothing ahead.
        SharedLimiterHarness.Answer waits = fleet.ask(USER);
        while (waits.atOnce) {
            waits = fleet.ask(USER);
        }
        assertThat(fleet.store().asked.get(1)).isEqualTo("fw:d:r:u 1");
        fleet.store().answerAll();
        assertThat(waits.told).isOne();
        assertThat(fleet.ask(USER).atOnce).isTrue();
    }

    @Test
    void aCallerThatCannotWaitTakesNothingAndAsksForNothing() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(
                leased("r", WINDOW, "user"),
                rule(WeirRules.rule("exact", WINDOW).build(), KeyBy.of("team"))));
        fleet.decide(USER);
        fleet.decide(USER);
        assertThatThrownBy(() -> fleet.limiter.decide(USER)).isInstanceOf(IllegalStateException.class);
        fleet.decide(USER);
        assertThat(fleet.store().asked).last().asString().isEqualTo("fw:d:r:u 1+3");
        long held = Objects.requireNonNull(fleet.limiter.tier()).leases().held();
        assertThat(held).isPositive();
        Request both = ask("user", "u", "team", "t");
        assertThatThrownBy(() -> fleet.limiter.decide(both)).isInstanceOf(IllegalStateException.class);
        assertThat(fleet.limiter.tier().leases().held()).isEqualTo(held);
    }

    @Test
    void anExpiredLeaseIsNeverSpentHoweverLongTheProcessWasStopped() {
        SharedLimiterHarness fleet = fleet(WINDOW);
        lease(fleet, USER);
        fleet.now += 10 * LocalLimiterHarness.SECOND; // and no tick
        SharedLimiterHarness.Answer answer = fleet.ask(USER);
        assertThat(answer.atOnce).isFalse();
        fleet.store().answerAll();
        assertThat(answer.text).startsWith("yes");
    }

    @Test
    void aLeaseEndsWithItsWindow() {
        SharedLimiterHarness fleet = fleet(WINDOW);
        fleet.now += 50 * LocalLimiterHarness.SECOND - 100_000; // a tenth of a second is left
        lease(fleet, USER);
        fleet.now += 98_999; // the wall clock shows whole milliseconds, so the last one is not used
        assertThat(fleet.ask(USER).atOnce).isTrue();
        fleet.now += 1;
        assertThat(fleet.ask(USER).atOnce).isFalse();
    }

    @Test
    void unspentHitsAreGivenBackOnceWhenTheLeaseExpires() {
        SharedLimiterHarness fleet = fleet(WINDOW);
        lease(fleet, USER);
        fleet.store().answerAll();
        long used = 1_000 - remaining(fleet);
        fleet.store().asked.clear();
        fleet.now += 5 * LocalLimiterHarness.SECOND;
        fleet.limiter.tick();
        fleet.limiter.tick();
        fleet.store().answerAll();
        assertThat(fleet.store().asked).singleElement().asString().startsWith("fw:d:r:u -");
        assertThat(stats(fleet).returned()).isPositive();
        assertThat(1_000 - remaining(fleet)).isEqualTo(used - stats(fleet).returned());
        assertThat(stats(fleet).expired()).isOne();
        assertThat(stats(fleet).stranded()).isZero();
    }

    /** The hits left in the store, whatever is held here. */
    private static long remaining(SharedLimiterHarness fleet) {
        SharedLimiterHarness other = new SharedLimiterHarness(fleet.limiter.rules());
        other.now = fleet.now;
        Limiter looking = new Limiter(
                fleet.limiter.rules(),
                other.local,
                SharedStores.of(fleet.stores),
                fleet,
                LimiterSettings.defaults(),
                new LimiterObserver() {});
        CompletableFuture<Long> remaining = looking.decideAsync(ask("user", "u").hits(0))
                .thenApply(decision -> decision.verdict(0).remaining())
                .toCompletableFuture();
        fleet.store().answerAll();
        return remaining.join();
    }

    @Test
    void hitsThatWouldMissTheirWindowAreNotGivenBack() {
        SharedLimiterHarness fleet = fleet(WINDOW);
        fleet.now += 50 * LocalLimiterHarness.SECOND - 100_000;
        lease(fleet, USER);
        fleet.now += 95_000; // less than a deadline before the end
        fleet.limiter.returnLeases();
        assertThat(fleet.store().asked).isEmpty();
        assertThat(stats(fleet).stranded()).isPositive();
        assertThat(stats(fleet).returns()).isZero();
    }

    @Test
    void unspentHitsOfABucketThatIsFullAgainAreNotMissing() {
        SharedLimiterHarness fleet = fleet(Limit.tokenBucket(1_000_000, Duration.ofHours(1)));
        lease(fleet, USER);
        fleet.now += 5 * LocalLimiterHarness.SECOND;
        fleet.limiter.tick();
        assertThat(fleet.store().asked).isEmpty();
        assertThat(stats(fleet).refilled()).isPositive();
        assertThat(stats(fleet).stranded()).isZero();
        assertThat(remaining(fleet)).isEqualTo(1_000_000);
    }

    @Test
    void onShutdownEverythingGoesBackAtOnceAndNoLeaseIsTakenAnyMore() {
        SharedLimiterHarness fleet = fleet(WINDOW);
        lease(fleet, USER);
        CompletableFuture<Void> done = fleet.limiter.returnLeases().toCompletableFuture();
        assertThat(done).isNotDone();
        fleet.store().answerAll();
        assertThat(done).isDone();
        assertThat(stats(fleet).hits() - stats(fleet).returned()).isLessThan(8);
        fleet.store().asked.clear();
        for (int i = 0; i < 5; i++) {
            assertThat(fleet.decide(USER)).startsWith("yes");
        }
        assertThat(fleet.store().asked).containsOnly("fw:d:r:u 1").hasSize(5);
    }

    @Test
    void aCallerDeniedBecauseOfALeasePassesOnceItIsGivenBack() {
        SharedLimiterHarness fleet = fleet(WINDOW);
        lease(fleet, USER);
        Request costly = ask("user", "u").hits(remaining(fleet) + 1);
        assertThat(fleet.decide(costly)).startsWith("no");
        assertThat(fleet.ask(costly).atOnce).isTrue();
        fleet.limiter.returnLeases();
        fleet.store().answerAll();
        assertThat(fleet.decide(costly)).startsWith("yes");
    }

    @Test
    void aLeaseThatComesAfterShutdownGoesBackToo() {
        SharedLimiterHarness fleet = fleet(WINDOW);
        lease(fleet, USER);
        while (fleet.store().waiting.isEmpty()) {
            fleet.ask(USER);
        }
        CompletableFuture<Void> done = fleet.limiter.returnLeases().toCompletableFuture();
        fleet.store().answer(0);
        assertThat(done).isNotDone();
        fleet.store().answerAll();
        assertThat(done).isDone();
    }

    @Test
    void aReturnThatIsLostCountsAsSpent() {
        SharedLimiterHarness fleet = fleet(WINDOW);
        lease(fleet, USER);
        CompletableFuture<Void> done = fleet.limiter.returnLeases().toCompletableFuture();
        fleet.store().fail(StoreFailure.TIMEOUT);
        fleet.store().answerAll();
        assertThat(done).isDone();
        assertThat(stats(fleet).returned()).isZero();
        assertThat(stats(fleet).stranded()).isPositive();
    }

    @Test
    void whileTheStoreIsUnreachableHeldLeasesAreStillSpent() {
        SharedLimiterHarness fleet = fleet(WINDOW);
        lease(fleet, USER);
        fleet.store().answering().fail(StoreFailure.OPEN);
        assertThat(fleet.ask(USER).text).doesNotContain("degraded").startsWith("yes");
        SharedLimiterHarness.Answer last = fleet.ask(USER);
        for (int i = 0; i < 20; i++) {
            last = fleet.ask(USER);
        }
        assertThat(last.text).endsWith("degraded");
        fleet.store().fail(null);
        lease(fleet, USER);
    }

    /** As new rules do, which are the same. */
    private static void forgetDenials(SharedLimiterHarness fleet) {
        fleet.limiter.rules(fleet.limiter.rules());
    }

    @Test
    void aRequestThatIsDeniedElsewhereLeavesTheLeaseAsItWas() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(
                leased("a", WINDOW, "user"),
                rule(
                        WeirRules.rule("b", Limit.fixedWindow(1, Duration.ofMinutes(1)))
                                .build(),
                        KeyBy.of("team"))));
        lease(fleet, USER);
        SharedLimiterHarness.Answer before = fleet.ask(USER);
        assertThat(before.text).startsWith("yes");
        Request both = ask("user", "u", "team", "t");
        fleet.decide(both);
        forgetDenials(fleet);
        assertThat(fleet.decide(both)).startsWith("no [").contains("b OVER_LIMIT 0");
        forgetDenials(fleet);
        String after = fleet.decide(both);
        forgetDenials(fleet);
        assertThat(fleet.decide(both)).isEqualTo(after);
        SharedLimiterHarness.Answer next = fleet.ask(USER);
        assertThat(next.decision.verdict(0).remaining())
                .isEqualTo(before.decision.verdict(0).remaining() - 2);
    }

    @Test
    void aLocalRuleThatDeniesLeavesTheLeaseAsItWas() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(
                leased("a", WINDOW, "user"),
                rule(
                        WeirRules.rule("b", Limit.fixedWindow(1, Duration.ofMinutes(1)))
                                .consistency(Consistency.LOCAL)
                                .build(),
                        KeyBy.of("team"))));
        lease(fleet, USER);
        long before = fleet.ask(USER).decision.verdict(0).remaining();
        Request both = ask("user", "u", "team", "t");
        assertThat(fleet.ask(both).atOnce).isTrue();
        for (int i = 0; i < 3; i++) {
            SharedLimiterHarness.Answer denied = fleet.ask(both);
            assertThat(denied.atOnce).isTrue();
            assertThat(denied.decision.allowed()).isFalse();
        }
        assertThat(fleet.ask(USER).decision.verdict(0).remaining()).isEqualTo(before - 2);
    }

    @Test
    void aNearlyUsedUpCounterIsAskedHitByHit() {
        SharedLimiterHarness fleet = fleet(Limit.fixedWindow(40, Duration.ofMinutes(1)));
        int passed = 0;
        for (int i = 0; i < 60; i++) {
            passed += fleet.decide(USER).startsWith("yes") ? 1 : 0;
        }
        assertThat(passed).isEqualTo(40);
        assertThat(fleet.store().asked.get(fleet.store().asked.size() - 1)).isEqualTo("fw:d:r:u 1");
        assertThat(stats(fleet).taken()).isPositive();
    }

    @Test
    void aRequestToAnExhaustedBucketGetsARetryAfterAndThenPasses() {
        SharedLimiterHarness fleet = fleet(Limit.tokenBucket(10_000, Duration.ofMinutes(1)));
        SharedLimiterHarness.Answer denied = runDry(fleet);
        fleet.store().asked.clear();
        long wait = denied.decision.verdict(0).retryAfterMicros();
        assertThat(wait).as("a hit flows in every 6 ms").isBetween(6_000L, 600_000L);
        fleet.now += wait - 1;
        SharedLimiterHarness.Answer early = fleet.ask(USER);
        assertThat(early.atOnce).isTrue();
        assertThat(early.text).isEqualTo("no [r OVER_LIMIT 0]");
        assertThat(early.decision.verdict(0).retryAfterMicros()).isOne();
        assertThat(fleet.ask(ask("user", "u").hits(10_001)).text).isEqualTo("no [r NEVER 0]");
        fleet.now += 1;
        SharedLimiterHarness.Answer next = fleet.ask(USER);
        fleet.store().answerAll();
        assertThat(next.text).startsWith("yes");
        assertThat(fleet.store().asked).containsExactly("tb:d:r:u 1");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1})
    void aCostlierRequestToAnExhaustedBucketWaitsForTheInflow(long tooEarly) {
        SharedLimiterHarness fleet = fleet(Limit.tokenBucket(10_000, Duration.ofMinutes(1)));
        runDry(fleet);
        fleet.now += 50_000; // the store's own denial of one hit is over
        Request costly = ask("user", "u").hits(500);
        SharedLimiterHarness.Answer denied = fleet.ask(costly);
        assertThat(denied.atOnce).isTrue();
        fleet.now += denied.decision.verdict(0).retryAfterMicros() - tooEarly;
        assertThat(fleet.decide(costly)).startsWith(tooEarly == 0 ? "yes" : "no");
    }

    /** Somebody else empties the bucket; returns the first denial here that asked nobody. */
    private static SharedLimiterHarness.Answer runDry(SharedLimiterHarness fleet) {
        lease(fleet, USER);
        long left = remaining(fleet);
        fleet.store().counters.decide(taking(fleet, left), fleet.now);
        SharedLimiterHarness.Answer denied = fleet.ask(USER);
        while (denied.text.startsWith("yes") || !denied.atOnce) {
            fleet.store().answerAll();
            denied = fleet.ask(USER);
        }
        return denied;
    }

    /** A check of {@code hits}, by somebody else. */
    private static Checks taking(SharedLimiterHarness fleet, long hits) {
        Checks checks = new Checks();
        Check check = checks.add();
        check.set(fleet.limiter.counters(USER).get(0).check());
        check.hits = hits;
        return checks;
    }

    @Test
    void aLeaseHoldsWholeRequests() {
        SharedLimiterHarness fleet = fleet(WINDOW);
        Request costly = ask("user", "u").hits(7);
        for (int i = 0; i < 3; i++) {
            fleet.decide(costly);
        }
        String last = fleet.store().asked.get(2);
        assertThat(Long.parseLong(last.substring(last.indexOf('+') + 1)) % 7).isZero();
        assertThat(fleet.ask(costly).atOnce).isTrue();
    }

    @Test
    void aChangedLimitGivesBackTheLeasesOfTheOldOne() {
        SharedLimiterHarness fleet = fleet(WINDOW);
        lease(fleet, USER);
        fleet.limiter.rules(rules(leased("r", WINDOW, "user")));
        assertThat(fleet.store().asked).isEmpty();
        assertThat(fleet.ask(USER).atOnce).as("the same rule loaded again").isTrue();
        fleet.limiter.rules(rules(leased("r", Limit.fixedWindow(500, Duration.ofMinutes(1)), "user")));
        assertThat(fleet.store().asked).singleElement().asString().startsWith("fw:d:r:u -");
        assertThat(fleet.ask(USER).atOnce).isFalse();
    }
}
