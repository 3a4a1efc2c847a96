package dev.weir.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.algorithm.PermitSet;
import dev.weir.internal.counter.CounterKeyHash;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of every store. */
public abstract class StoreContract {
    protected static final long T0 = 1_700_000_000_000_000L;
    protected static final Duration MINUTE = Duration.ofMinutes(1);

    protected LocalStore store;
    private final Checks checks = new Checks();
    private final CounterKeyHash hash = new CounterKeyHash(1, 2);

    protected abstract LocalStore newStore();

    @BeforeEach
    void open() {
        store = newStore();
    }

    @AfterEach
    void close() {
        store.close();
    }

    protected static Meter meter(Algorithm algorithm, long requests) {
        return Meters.of(Limit.of(algorithm, requests, MINUTE));
    }

    protected Check check(String key, Meter meter, long hits) {
        Check check = checks.add();
        hash.reset().add(key).end();
        check.key0 = hash.key0();
        check.key1 = hash.key1();
        check.meter = meter;
        check.hits = hits;
        check.countsDenied = false;
        check.role = Check.Role.ENFORCE;
        return check;
    }

    protected boolean decide(long now) {
        boolean allowed = store.decide(checks, now);
        assertThat(checks.allowed()).isEqualTo(allowed);
        checks.clear();
        return allowed;
    }

    protected boolean take(String key, Meter meter, long hits, long now) {
        check(key, meter, hits);
        return decide(now);
    }

    /** Hits left, asked without taking. */
    protected long left(String key, Meter meter, long now) {
        Check asked = check(key, meter, 0);
        decide(now);
        return asked.outcome.remaining;
    }

    @Test
    void aRequestWithoutChecksPasses() {
        assertThat(decide(T0)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void aLimitIsAdmittedOnceAndNoMore(Algorithm algorithm) {
        Meter meter = meter(algorithm, 10);
        int admitted = 0;
        for (int i = 0; i < 30; i++) {
            admitted += take("a", meter, 1, T0) ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(10);
        assertThat(take("b", meter, 10, T0)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void askingTakesNothing(Algorithm algorithm) {
        Meter meter = meter(algorithm, 10);
        assertThat(left("a", meter, T0)).isEqualTo(10);
        assertThat(take("a", meter, 4, T0)).isTrue();
        assertThat(left("a", meter, T0)).isEqualTo(6);
        assertThat(left("a", meter, T0)).isEqualTo(6);
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void hitsGivenBackCanBeTakenAgain(Algorithm algorithm) {
        Meter meter = meter(algorithm, 10);
        assertThat(take("a", meter, -3, T0)).isTrue();
        assertThat(left("a", meter, T0)).isEqualTo(10);
        assertThat(take("a", meter, 10, T0)).isTrue();
        assertThat(take("a", meter, -3, T0)).isTrue();
        assertThat(left("a", meter, T0)).isEqualTo(3);
        assertThat(take("a", meter, 4, T0)).isFalse();
        assertThat(take("a", meter, 3, T0)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"TOKEN_BUCKET", "GCRA"})
    void hitsBeyondTheBurstPassOnceOnCredit(Algorithm algorithm) {
        Meter meter = Meters.of(Limit.of(algorithm, 60, MINUTE).withBurst(10).withCredit(4));
        assertThat(take("a", meter, 15, T0)).isFalse();
        assertThat(take("a", meter, 10, T0)).isTrue();
        for (int debt = 1; debt <= 4; debt++) {
            Check check = check("a", meter, 1);
            assertThat(decide(T0)).isTrue();
            assertThat(check.outcome.debt).isEqualTo(debt);
        }
        Check over = check("a", meter, 2);
        assertThat(decide(T0)).isFalse();
        assertThat(over.outcome.debt).isEqualTo(4);
        assertThat(over.outcome.retryAfter).isEqualTo(2_000_000);
        // The credit comes back by repaying, not beside the refill.
        assertThat(take("a", meter, 3, T0 + 2_000_000)).isFalse();
        assertThat(take("a", meter, 2, T0 + 2_000_000)).isTrue();
        assertThat(take("a", meter, -6, T0 + 2_000_000)).isTrue();
        Check asked = check("a", meter, 0);
        decide(T0 + 2_000_000);
        assertThat(asked.outcome.debt).isZero();
        assertThat(asked.outcome.remaining).isEqualTo(6);
    }

    @Test
    void hitsGivenBackReachTheWindowThatTheyWereTakenFromAndNoOther() {
        Meter meter = meter(Algorithm.FIXED_WINDOW, 10);
        Check taken = check("k", meter, 4);
        assertThat(decide(T0)).isTrue();
        Check first = new Check();
        first.set(taken);
        first.outcome.set(taken.outcome);
        assertThat(returned(first, T0 + 1, 1)).isFalse();
        assertThat(left("k", meter, T0 + 1)).isEqualTo(7);
        // Others have taken hits of the next window meanwhile.
        long next = T0 + MINUTE.toNanos() / 1_000;
        assertThat(take("k", meter, 5, next)).isTrue();
        assertThat(returned(first, next, 1)).isTrue();
        assertThat(returned(first, next, 2)).isTrue();
        assertThat(left("k", meter, next)).isEqualTo(5);
    }

    /** Gives back one of the hits of {@code taken}, so many times in one request; returns whether its window is over. */
    private boolean returned(Check taken, long now, int times) {
        Check[] back = new Check[times];
        for (int i = 0; i < times; i++) {
            back[i] = checks.add();
            back[i].setReturning(taken);
            back[i].hits = -1;
        }
        decide(now);
        return back[0].windowOver;
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void aForgottenCounterIsAsGoodAsNewAndLaterReturnsAddNothing(Algorithm algorithm) {
        Meter meter = meter(algorithm, 10);
        Check asked = check("a", meter, 7);
        assertThat(decide(T0)).isTrue();
        assertThat(store.forget(asked)).isTrue();
        assertThat(left("a", meter, T0)).isEqualTo(10);
        // Taken before it was forgotten, and given back into the fresh one.
        assertThat(take("a", meter, 2, T0)).isTrue();
        assertThat(take("a", meter, -7, T0)).isTrue();
        assertThat(left("a", meter, T0)).isEqualTo(10);
        assertThat(take("a", meter, 11, T0)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void aRequestMayTakeTheHitsItGivesBack(Algorithm algorithm) {
        for (Meter meter : List.of(meter(algorithm, 10), inParts(algorithm, 10))) {
            String key = meter.getClass().getName();
            take(key, meter, 10, T0);
            check(key, meter, -3);
            check(key, meter, 4);
            assertThat(decide(T0)).isFalse();
            check(key, meter, -3);
            Check first = check(key, meter, 1);
            Check second = check(key, meter, 2);
            assertThat(decide(T0)).isTrue();
            assertThat(first.outcome.remaining).isEqualTo(2);
            assertThat(second.outcome.remaining).isZero();
            assertThat(left(key, meter, T0)).isZero();
            // No more comes back than was taken, also when it is given back in the middle.
            check(key, meter, -30);
            check(key, meter, 6);
            check(key, meter, -2);
            check(key, meter, 7);
            assertThat(decide(T0)).isFalse();
            check(key, meter, -30);
            check(key, meter, 6);
            check(key, meter, -2);
            check(key, meter, 6);
            assertThat(decide(T0)).isTrue();
            assertThat(left(key, meter, T0)).isZero();
        }
    }

    /** The finer variant of a sliding window; the same as {@link #meter} for the others. */
    private static Meter inParts(Algorithm algorithm, long requests) {
        Limit limit = Limit.of(algorithm, requests, MINUTE);
        return Meters.of(
                algorithm == Algorithm.SLIDING_WINDOW
                        ? new Limit(algorithm, requests, limit.windowMicros(), limit.burst(), 4)
                        : limit);
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void retryAfterIsExact(Algorithm algorithm) {
        Meter meter = meter(algorithm, 10);
        take("a", meter, 10, T0);
        Check denied = check("a", meter, 7);
        assertThat(decide(T0)).isFalse();
        long wait = denied.outcome.retryAfter;
        assertThat(wait).isPositive();
        assertThat(take("a", meter, 7, T0 + wait - 1)).isFalse();
        assertThat(take("a", meter, 7, T0 + wait)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void hitsThatCanNeverFitAreDeniedAsNever(Algorithm algorithm) {
        for (long hits : new long[] {11, 1L << 32, 1L << 53, Long.MAX_VALUE}) {
            Check check = check("a", meter(algorithm, 10), hits);
            assertThat(decide(T0)).isFalse();
            assertThat(check.outcome.retryAfter).isEqualTo(Outcome.NEVER);
        }
        assertThat(take("a", meter(algorithm, 10), 10, T0)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void aLimitChangedLiveKeepsTheUsedHits(Algorithm algorithm) {
        take("a", meter(algorithm, 10), 6, T0);
        assertThat(left("a", meter(algorithm, 20), T0)).isEqualTo(14);
        assertThat(left("a", meter(algorithm, 5), T0)).isZero();
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void aClockThatStepsBackLocksNobodyOut(Algorithm algorithm) {
        Meter meter = meter(algorithm, 10);
        long dayAhead = T0 + Duration.ofDays(1).toMillis() * 1_000;
        take("alone", meter, 10, dayAhead);
        take("together", meter, 10, dayAhead);
        assertThat(take("alone", meter, 1, T0)).as("no free burst").isFalse();
        check("together", meter, 1);
        check("other", meter, 1);
        assertThat(decide(T0)).as("no free burst").isFalse();
        long later = T0 + 2 * MINUTE.toMillis() * 1_000;
        assertThat(take("alone", meter, 10, later)).isTrue();
        check("together", meter, 10);
        check("other", meter, 10);
        assertThat(decide(later)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void aDeniedRequestTakesNothingFromAnyCheck(Algorithm algorithm) {
        Meter roomy = meter(algorithm, 10);
        Meter tight = meter(algorithm, 1);
        assertThat(take("tight", tight, 1, T0)).isTrue();
        Check before = check("roomy", roomy, 2);
        check("tight", tight, 1);
        Check after = check("roomy too", roomy, 3);
        assertThat(decide(T0)).isFalse();
        assertThat(before.outcome.allowed).isTrue();
        assertThat(after.outcome.allowed).isTrue();
        assertThat(before.outcome.remaining).as("as things stand").isEqualTo(10);
        assertThat(after.outcome.remaining).as("as things stand").isEqualTo(10);
        assertThat(left("roomy", roomy, T0)).isEqualTo(10);
        assertThat(left("roomy too", roomy, T0)).isEqualTo(10);
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void anAdmittedRequestTakesFromEveryCheck(Algorithm algorithm) {
        Meter meter = meter(algorithm, 100);
        for (int i = 0; i < 40; i++) {
            check("key " + i, meter, i);
        }
        assertThat(decide(T0)).isTrue();
        for (int i = 0; i < 40; i++) {
            assertThat(left("key " + i, meter, T0)).isEqualTo(100 - i);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void twoChecksOnOneCounterAreTakenOneAfterTheOther(Algorithm algorithm) {
        Meter meter = meter(algorithm, 10);
        Check first = check("a", meter, 4);
        Check second = check("a", meter, 5);
        assertThat(decide(T0)).isTrue();
        assertThat(first.outcome.remaining).isEqualTo(6);
        assertThat(second.outcome.remaining).isEqualTo(1);
        assertThat(left("a", meter, T0)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void twoChecksOnOneCounterThatDoNotFitTogetherTakeNothing(Algorithm algorithm) {
        Meter meter = meter(algorithm, 10);
        Check first = check("a", meter, 6);
        Check second = check("a", meter, 6);
        assertThat(decide(T0)).isFalse();
        assertThat(first.outcome.allowed).isTrue();
        assertThat(second.outcome.allowed).isFalse();
        assertThat(second.outcome.remaining).as("as things stand").isEqualTo(10);
        assertThat(left("a", meter, T0)).isEqualTo(10);
    }

    /** A pattern, because an algorithm that counts no rate has no debt. */
    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.MATCH_NONE, names = "CONCURRENCY")
    void hitsThatAreOwedAreChargedBeyondTheLimitAndRepaid(Algorithm algorithm) {
        Meter meter = meter(algorithm, 10);
        assertThat(outcome(meter, 4, T0).allowed).isTrue();
        assertThat(owe(meter, 16)).isTrue();
        long wait = outcome(meter, 1, T0).retryAfter;
        assertThat(wait).isPositive();
        assertThat(outcome(meter, 1, T0 + wait - 1).allowed).isFalse();
        assertThat(outcome(meter, 0, T0 + wait - 1).remaining).isZero();
        assertThat(outcome(meter, 1, T0 + wait).allowed).isTrue();
        if (algorithm.isBucket()) {
            assertThat(wait).isEqualTo(66_000_000); // 20 used of 10, and room for one after eleven have drained
        }
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.MATCH_NONE, names = "CONCURRENCY")
    void aDebtSaturates(Algorithm algorithm) {
        Meter meter = meter(algorithm, 10);
        for (int i = 0; i < 3; i++) {
            assertThat(owe(meter, Long.MAX_VALUE)).isTrue();
        }
        Outcome denied = outcome(meter, 1, T0);
        assertThat(denied.allowed).isFalse();
        assertThat(denied.remaining).isZero();
        assertThat(denied.retryAfter).isPositive();
        assertThat(outcome(meter, -Long.MAX_VALUE, T0).allowed).isTrue();
        assertThat(outcome(meter, 10, T0).allowed).isTrue();
    }

    private boolean owe(Meter meter, long hits) {
        Check check = check("k", meter, hits);
        check.owed = true;
        check.role = Check.Role.SHADOW;
        return decide(T0) && check.outcome.allowed;
    }

    private Outcome outcome(Meter meter, long hits, long now) {
        Check check = check("k", meter, hits);
        decide(now);
        return check.outcome;
    }

    @Test
    void aFixedWindowMayCountDeniedHits() {
        Meter meter = meter(Algorithm.FIXED_WINDOW, 10);
        take("a", meter, 8, T0);
        check("a", meter, 5).countsDenied = true;
        assertThat(decide(T0)).isFalse();
        assertThat(left("a", meter, T0)).isZero();
        assertThat(take("a", meter, 1, T0)).isFalse();
    }

    @Test
    void aCheckThatCountsDeniedHitsCountsWhenAnotherDenies() {
        Meter meter = meter(Algorithm.FIXED_WINDOW, 10);
        take("tight", meter, 10, T0);
        check("counts", meter, 3).countsDenied = true;
        check("tight", meter, 1);
        Check again = check("counts", meter, 2);
        again.countsDenied = true;
        check("does not", meter, 3);
        assertThat(decide(T0)).isFalse();
        assertThat(again.outcome.remaining).isEqualTo(5);
        assertThat(left("counts", meter, T0)).isEqualTo(5);
        assertThat(left("does not", meter, T0)).isEqualTo(10);
    }

    @Test
    void ofTwoChecksOnOneCounterOnlyTheOneThatCountsIsCountedWhenDenied() {
        Meter meter = meter(Algorithm.FIXED_WINDOW, 10);
        check("a", meter, 4);
        check("a", meter, 7).countsDenied = true;
        assertThat(decide(T0)).isFalse();
        assertThat(left("a", meter, T0)).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void aShadowCheckThatIsOverTakesNothingAndDeniesNothing(Algorithm algorithm) {
        Meter meter = meter(algorithm, 10);
        take("watched", meter, 8, T0);
        Check watched = check("watched", meter, 3);
        watched.role = Check.Role.SHADOW;
        check("a", meter, 3);
        assertThat(decide(T0)).isTrue();
        assertThat(watched.outcome.allowed).isFalse();
        assertThat(left("watched", meter, T0)).isEqualTo(2);
        assertThat(left("a", meter, T0)).isEqualTo(7);
        Check alone = check("watched", meter, 3);
        alone.role = Check.Role.SHADOW;
        assertThat(decide(T0)).isTrue();
        assertThat(alone.outcome.allowed).isFalse();
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void aShadowCheckWithRoomIsTakenOnlyWithTheRequest(Algorithm algorithm) {
        Meter meter = meter(algorithm, 10);
        check("watched", meter, 3).role = Check.Role.SHADOW;
        assertThat(decide(T0)).isTrue();
        assertThat(left("watched", meter, T0)).isEqualTo(7);
        check("watched", meter, 3).role = Check.Role.SHADOW;
        check("denies", meter, 11);
        assertThat(decide(T0)).isFalse();
        assertThat(left("watched", meter, T0)).isEqualTo(7);
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void quotasDenyOnlyTogether(Algorithm algorithm) {
        Meter meter = meter(algorithm, 10);
        check("one", meter, 11).role = Check.Role.QUOTA;
        check("two", meter, 6).role = Check.Role.QUOTA;
        assertThat(decide(T0)).isTrue();
        assertThat(left("one", meter, T0)).isEqualTo(10);
        assertThat(left("two", meter, T0)).isEqualTo(4);
        check("one", meter, 11).role = Check.Role.QUOTA;
        check("two", meter, 6).role = Check.Role.QUOTA;
        check("three", meter, 1);
        assertThat(decide(T0)).isFalse();
        assertThat(left("three", meter, T0)).isEqualTo(10);
    }

    @Test
    void aQuotaThatNeededNoCountingPassesForAll() {
        check("one", meter(Algorithm.TOKEN_BUCKET, 10), 11).role = Check.Role.QUOTA;
        checks.quotaPassed = true;
        assertThat(decide(T0)).isTrue();
        check("one", meter(Algorithm.TOKEN_BUCKET, 10), 11).role = Check.Role.QUOTA;
        assertThat(decide(T0)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void threadsOnOneCounterAreAdmittedExactlyTheLimit(Algorithm algorithm) throws Exception {
        int limit = 1_000;
        int threads = 4;
        Meter meter = meter(algorithm, limit);
        AtomicLong admitted = new AtomicLong();
        inThreads(threads, thread -> {
            Checks own = new Checks();
            for (int i = 0; i < limit; i++) {
                own.clear();
                fill(own.add(), new CounterKeyHash(1, 2).add("shared"), meter);
                fill(own.add(), new CounterKeyHash(1, 2).add("own").add(thread), meter);
                admitted.addAndGet(store.decide(own, T0) ? 1 : 0);
            }
        });
        assertThat(admitted).hasValue(limit);
        assertThat(left("shared", meter, T0)).isZero();
        long left = 0;
        for (int thread = 0; thread < threads; thread++) {
            Check asked = check("", meter, 0);
            fill(asked, new CounterKeyHash(1, 2).add("own").add(thread), meter);
            asked.hits = 0;
            decide(T0);
            left += asked.outcome.remaining;
        }
        assertThat(left).as("taken from both counters or from none").isEqualTo((threads - 1) * (long) limit);
    }

    protected static void fill(Check check, CounterKeyHash key, Meter meter) {
        key.end();
        check.key0 = key.key0();
        check.key1 = key.key1();
        check.meter = meter;
        check.hits = 1;
    }

    /** Runs {@code body} in threads that start together, and waits for them. */
    protected static void inThreads(int count, ThreadBody body) throws Exception {
        CyclicBarrier start = new CyclicBarrier(count);
        Thread[] threads = new Thread[count];
        Throwable[] failures = new Throwable[count];
        for (int i = 0; i < count; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                try {
                    start.await();
                    body.run(number);
                } catch (Throwable e) {
                    failures[number] = e;
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).containsOnlyNulls();
    }

    /** The work of one thread. */
    protected interface ThreadBody {
        void run(int thread) throws Exception;
    }

    protected static PermitSet permits(long requests) {
        return (PermitSet) meter(Algorithm.CONCURRENCY, requests);
    }

    /** Releases or renews permits, and returns whether they were in flight. */
    private boolean isInFlight(String key, PermitSet meter, long hits, long now) {
        Check check = check(key, meter, hits);
        check.role = Check.Role.SHADOW;
        decide(now);
        return check.outcome.allowed;
    }

    @Test
    void permitsAreTakenUpToTheLimitAndComeBackOnce() {
        PermitSet limit = permits(3);
        for (int id = 1; id <= 3; id++) {
            assertThat(take("p", limit.holding(id, 1), 1, T0)).isTrue();
        }
        Check denied = check("p", limit.holding(4, 1), 1);
        assertThat(decide(T0)).isFalse();
        assertThat(denied.outcome.remaining).isZero();
        assertThat(denied.outcome.retryAfter).isEqualTo(1_000_000);
        assertThat(denied.outcome.reset).isEqualTo(MINUTE.toMillis() * 1_000);
        assertThat(isInFlight("p", limit.holding(2, 1), -1, T0)).isTrue();
        assertThat(isInFlight("p", limit.holding(2, 1), -1, T0))
                .as("released twice")
                .isFalse();
        assertThat(isInFlight("p", limit.holding(99, 1), -1, T0))
                .as("of no request")
                .isFalse();
        assertThat(left("p", limit, T0)).isEqualTo(1);
        assertThat(take("p", limit.holding(5, 1), 1, T0)).isTrue();
        assertThat(take("p", limit.holding(6, 1), 1, T0)).isFalse();
    }

    @Test
    void permitsForSeveralHitsAreTakenAndReleasedTogether() {
        PermitSet limit = permits(10);
        assertThat(take("p", limit.holding(100, 7), 7, T0)).isTrue();
        assertThat(take("p", limit.holding(200, 4), 4, T0)).isFalse();
        assertThat(take("p", limit.holding((1L << 32) - 1, 3), 3, T0))
                .as("ids beyond 32 bits")
                .isTrue();
        assertThat(isInFlight("p", limit.holding((1L << 32) - 1, 3), -3, T0)).isTrue();
        assertThat(left("p", limit, T0)).isEqualTo(3);
        assertThat(isInFlight("p", limit.holding(100, 7), -7, T0)).isTrue();
        assertThat(left("p", limit, T0)).isEqualTo(10);
        Check never = check("p", limit.holding(300, 11), 11);
        assertThat(decide(T0)).isFalse();
        assertThat(never.outcome.retryAfter).isEqualTo(Outcome.NEVER);
    }

    @Test
    void aPermitThatNobodyReleasesExpiresUnlessItIsRenewed() {
        PermitSet limit = permits(2);
        long ttl = MINUTE.toMillis() * 1_000;
        assertThat(take("p", limit.holding(1, 1), 1, T0)).isTrue();
        assertThat(take("p", limit.holding(2, 1), 1, T0)).isTrue();
        assertThat(isInFlight("p", limit.renewing(2, 1), 1, T0 + ttl / 2)).isTrue();
        assertThat(left("p", limit, T0 + ttl - 1)).isZero();
        assertThat(left("p", limit, T0 + ttl)).isEqualTo(1);
        assertThat(isInFlight("p", limit.renewing(1, 1), 1, T0 + ttl))
                .as("expired")
                .isFalse();
        assertThat(isInFlight("p", limit.holding(1, 1), -1, T0 + ttl))
                .as("expired")
                .isFalse();
        assertThat(take("p", limit.holding(3, 1), 1, T0 + ttl)).isTrue();
        assertThat(take("p", limit.holding(4, 1), 1, T0 + ttl)).isFalse();
        assertThat(left("p", limit, T0 + ttl / 2 + ttl)).isEqualTo(1);
        assertThat(isInFlight("p", limit.renewing(2, 1), 1, T0 + ttl / 2 + ttl)).isFalse();
    }

    @Test
    void aGiveBackWithoutAPermitReleasesTheOldest() {
        PermitSet limit = permits(3);
        for (int id = 1; id <= 3; id++) {
            assertThat(take("p", limit.holding(id, 1), 1, T0 + id)).isTrue();
        }
        assertThat(isInFlight("p", limit.renewing(1, 1), 1, T0 + 10)).isTrue();
        assertThat(take("p", limit, -1, T0 + 11)).isTrue();
        assertThat(isInFlight("p", limit.holding(2, 1), -1, T0 + 12))
                .as("the oldest")
                .isFalse();
        assertThat(isInFlight("p", limit.holding(3, 1), -1, T0 + 12)).isTrue();
        assertThat(take("p", limit, -5, T0 + 13)).isTrue();
        assertThat(left("p", limit, T0 + 14)).isEqualTo(3);
        assertThat(take("p", limit, Long.MIN_VALUE, T0 + 15)).isTrue();
        assertThat(left("p", limit, T0 + 15)).isEqualTo(3);
    }

    @Test
    void permitsAndRatesAreTakenTogetherOrNotAtAll() {
        PermitSet limit = permits(2);
        Meter rate = meter(Algorithm.FIXED_WINDOW, 3);
        for (int id = 1; id <= 2; id++) {
            check("p", limit.holding(id, 1), 1);
            check("r", rate, 1);
            assertThat(decide(T0)).isTrue();
        }
        check("r", rate, 1);
        check("p", limit.holding(3, 1), 1);
        assertThat(decide(T0)).isFalse();
        assertThat(left("r", rate, T0)).isEqualTo(1);
        assertThat(isInFlight("p", limit.holding(1, 1), -1, T0)).isTrue();
        check("p", limit.holding(4, 1), 1);
        check("r", rate, 2);
        assertThat(decide(T0)).isFalse();
        assertThat(left("p", limit, T0)).isEqualTo(1);
        assertThat(isInFlight("p", limit.holding(4, 1), -1, T0)).isFalse();
    }

    @Test
    void aLoweredConcurrencyLimitDeniesUntilEnoughCallsHaveEnded() {
        assertThat(take("p", permits(5).holding(1, 5), 5, T0)).isTrue();
        PermitSet lowered = permits(2);
        assertThat(take("p", lowered.holding(10, 1), 1, T0)).isFalse();
        assertThat(left("p", lowered, T0)).isZero();
        assertThat(isInFlight("p", lowered.holding(1, 4), -4, T0)).isTrue();
        assertThat(take("p", lowered.holding(10, 1), 1, T0)).isTrue();
    }
}
