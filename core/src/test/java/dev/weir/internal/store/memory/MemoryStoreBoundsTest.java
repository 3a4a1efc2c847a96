package dev.weir.internal.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryStoreBoundsTest {
    private static final long T0 = 1_700_000_000_000_000L;
    private static final long SECOND = 1_000_000;
    private static final Meter HUNDRED = Meters.of(Limit.tokenBucket(100, Duration.ofHours(1)));

    private static final Meter FIVE_LOGGED = Meters.of(Limit.slidingWindowLog(5, Duration.ofHours(1)));

    private final Checks checks = new Checks();
    private final CounterKeyHash hash = new CounterKeyHash(3, 4);

    private Check check(String kind, long number, Meter meter, long hits) {
        checks.clear();
        return add(kind, number, meter, hits);
    }

    private Check add(String kind, long number, Meter meter, long hits) {
        Check check = checks.add();
        hash.reset().add(kind).add(number).end();
        check.key0 = hash.key0();
        check.key1 = hash.key1();
        check.meter = meter;
        check.hits = hits;
        return check;
    }

    private boolean take(MemoryStore store, String kind, long number, Meter meter, long hits, long now) {
        check(kind, number, meter, hits);
        return store.decide(checks, now);
    }

    @Test
    void asManyKeysAsItIsMadeForFitWithoutEviction() {
        MemoryStore store = new MemoryStore(100_000);
        for (int i = 0; i < 100_000; i++) {
            take(store, "user", i, HUNDRED, 1, T0);
        }
        assertThat(store.size()).isEqualTo(100_000);
        assertThat(store.evictions()).isZero();
    }

    /** A denial writes nothing, but a state must not be overwritten while it denies. */
    @ParameterizedTest
    @CsvSource({"TOKEN_BUCKET, 1", "FIXED_WINDOW, 1", "SLIDING_WINDOW, 1", "SLIDING_WINDOW, 10", "SLIDING_WINDOW_LOG, 1"
    })
    void aCallerDeniedAfterTheLimitBecameSlowerStaysDenied(Algorithm algorithm, int parts) {
        MemoryStore store = new MemoryStore(1_000);
        Meter quick = Meters.of(new Limit(algorithm, 5, SECOND, 5, parts));
        Meter slow = Meters.of(new Limit(algorithm, 5, 86_400 * SECOND, 5, parts));
        for (int i = 0; i < 100; i++) {
            assertThat(take(store, "user", i, quick, 5, T0)).isTrue();
            assertThat(take(store, "user", i, slow, 1, T0)).isFalse();
        }
        long later = T0 + 60 * SECOND;
        for (int i = 0; i < 1_000; i++) {
            take(store, "new", i, quick, 1, later);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(take(store, "user", i, slow, 1, later)).isFalse();
        }
    }

    @Test
    void aFloodOfNewKeysStaysInBoundsAndLeavesThoseNearTheirLimitUntouched() {
        MemoryStore store = new MemoryStore(20_000);
        int heavy = 1_000;
        for (int i = 0; i < heavy; i++) {
            assertThat(take(store, "heavy", i, HUNDRED, 100, T0)).isTrue();
        }
        int flooded = 0;
        int heavyAdmitted = 0;
        for (int i = 0; i < 500_000; i++) {
            flooded += take(store, "flood", i, HUNDRED, 1, T0) ? 1 : 0;
            if (i % 100 == 0) {
                heavyAdmitted += take(store, "heavy", (i / 100) % heavy, HUNDRED, 1, T0) ? 1 : 0;
            }
        }
        assertThat(flooded).as("nobody new is denied").isEqualTo(500_000);
        assertThat(heavyAdmitted).isZero();
        for (int i = 0; i < heavy; i++) {
            assertThat(take(store, "heavy", i, HUNDRED, 1, T0)).isFalse();
        }
        assertThat(store.size()).isBetween(20_000L, 22_000L);
        assertThat(store.evictions()).isEqualTo(heavy + 500_000 - store.size());
    }

    @Test
    void expiredCountersMakeRoomAndAreNotEvictions() {
        MemoryStore store = new MemoryStore(5_000);
        Meter second = Meters.of(Limit.tokenBucket(100, Duration.ofSeconds(1)));
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 4_500; i++) {
                assertThat(take(store, "round" + round, i, second, 100, T0 + 2 * SECOND * round))
                        .isTrue();
            }
        }
        assertThat(store.evictions()).isZero();
        assertThat(store.size()).isLessThanOrEqualTo(5_400);
    }

    @Test
    void aCounterIsKeptUntilItIsAsGoodAsNew() {
        MemoryStore store = new MemoryStore(100);
        Meter window = Meters.of(Limit.fixedWindow(10, Duration.ofMinutes(1)));
        long start = T0 - T0 % (60 * SECOND);
        take(store, "a", 0, window, 10, start + 1);
        long end = start + 60 * SECOND;
        for (int i = 0; i < 90; i++) {
            take(store, "other", i, window, 1, end - 1); // meets what has expired, and would reuse it
        }
        assertThat(take(store, "a", 0, window, 1, end - 1)).isFalse();
        assertThat(take(store, "a", 0, window, 1, end)).isTrue();
    }

    @Test
    void aRequestThatLeavesNoStateTakesNoSlot() {
        MemoryStore store = new MemoryStore(100);
        take(store, "asks", 0, HUNDRED, 0, T0);
        take(store, "gives back", 0, HUNDRED, -5, T0);
        take(store, "is denied", 0, HUNDRED, 101, T0);
        assertThat(store.size()).isZero();
    }

    @Test
    void aLogLivesInTheArenaAndItsMemoryComesBack() {
        Meter log = Meters.of(Limit.of(Algorithm.SLIDING_WINDOW_LOG, 1_000, Duration.ofSeconds(1)));
        MemoryStore store = new MemoryStore(10_000, 1 << 20);
        for (int round = 0; round < 200; round++) {
            long now = T0 + 3 * SECOND * round;
            for (int i = 0; i < 10; i++) {
                for (int n = 0; n < 10; n++) {
                    assertThat(take(store, "log" + round, i, log, 100, now)).isTrue();
                }
                assertThat(take(store, "log" + round, i, log, 1, now)).isFalse();
            }
        }
        assertThat(store.refusals()).isZero();
        assertThat(store.blockBytes()).isLessThanOrEqualTo(1 << 20);
    }

    @Test
    void aFloodOfNewLogsEvictsTheLeastUsedAndNotTheHeavy() {
        Meter log = Meters.of(Limit.of(Algorithm.SLIDING_WINDOW_LOG, 100, Duration.ofHours(1)));
        MemoryStore store = new MemoryStore(100_000, 4 << 20);
        for (int i = 0; i < 500; i++) {
            assertThat(take(store, "heavy", i, log, 100, T0)).isTrue();
        }
        int admitted = 0;
        for (int i = 0; i < 100_000; i++) {
            admitted += take(store, "flood", i, log, 1, T0) ? 1 : 0;
        }
        for (int i = 0; i < 500; i++) {
            assertThat(take(store, "heavy", i, log, 1, T0)).isFalse();
        }
        assertThat(store.blockBytes()).isLessThanOrEqualTo(4 << 20);
        assertThat(store.evictions()).isPositive();
        assertThat(admitted + store.refusals())
                .as("every denial is a refusal that was counted")
                .isEqualTo(100_000);
        assertThat(store.refusals()).isLessThan(1_000);
    }

    @Test
    void aFloodOfNewLogsLeavesThoseWhoAreKnownRoomToGrow() {
        MemoryStore store = new MemoryStore(100_000);
        Meter log = Meters.of(Limit.of(Algorithm.SLIDING_WINDOW_LOG, 100, Duration.ofDays(1)));
        int known = 100;
        for (int i = 0; i < known; i++) {
            assertThat(take(store, "known", i, log, 5, T0)).isTrue();
        }
        for (int i = 0; i < 60_000; i++) {
            take(store, "flood", i, log, 1, T0 + i);
        }
        int admitted = 0;
        for (int i = 0; i < known; i++) {
            for (int hit = 0; hit < 50; hit++) {
                admitted += take(store, "known", i, log, 1, T0 + 3_600 * SECOND + hit) ? 1 : 0;
            }
        }
        assertThat(admitted).isEqualTo(50 * known);
        assertThat(store.refusals()).isZero();
        assertThat(store.blockBytes()).isLessThanOrEqualTo(100_000 * 32);
    }

    @Test
    void aNewLogCostsLittleMoreWhereItMustEvictAnother() {
        MemoryStore store = new MemoryStore(1_000_000);
        long warmUp = cpuNanosOfNewLogs(store, 0, 200_000);
        long toTheBrim = cpuNanosOfNewLogs(store, 200_000, 400_000);
        assertThat(store.evictions()).as("400,000 blocks fit").isPositive();
        long beyond = cpuNanosOfNewLogs(store, 400_000, 420_000);
        assertThat(beyond / 20_000)
                .as("%d ns in all, after %d and %d", beyond, warmUp, toTheBrim)
                .isLessThan(10 * (warmUp + toTheBrim) / 400_000);
    }

    private long cpuNanosOfNewLogs(MemoryStore store, int from, int to) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadCpuTime();
        for (int i = from; i < to; i++) {
            take(store, "log", i, FIVE_LOGGED, 1, T0);
        }
        return threads.getCurrentThreadCpuTime() - before;
    }

    @Test
    void asManyKeysAsThereAreNumbersForIsABoundToo() {
        MemoryStore store = new MemoryStore(Integer.MAX_VALUE);
        assertThat(take(store, "user", 1, HUNDRED, 100, T0)).isTrue();
        assertThat(take(store, "user", 1, HUNDRED, 1, T0)).isFalse();
    }

    @Test
    void withoutMemoryForBlocksARequestIsRefusedForASecondAndCounted() {
        Meter log = Meters.of(Limit.of(Algorithm.SLIDING_WINDOW_LOG, 100, Duration.ofHours(1)));
        MemoryStore store = new MemoryStore(100, 0);
        Check check = check("log", 0, log, 1);
        assertThat(store.decide(checks, T0)).isFalse();
        assertThat(check.outcome.retryAfter).isEqualTo(SECOND);
        assertThat(check.outcome.remaining).isEqualTo(100);
        assertThat(store.refusals()).isEqualTo(1);
        assertThat(store.size()).isZero();
    }

    @Test
    void aRequestIsCountedAlsoWhereItsOwnLogsAreTheEmptiestOfAFullArena() {
        MemoryStore store = fullOfLogs();
        Meter two = Meters.of(Limit.slidingWindowLog(2, Duration.ofHours(1)));
        Meter thousand = Meters.of(Limit.slidingWindowLog(1_000, Duration.ofHours(1)));
        int admitted = 0;
        for (int i = 0; i < 200; i++) {
            check("two", 0, two, 1);
            add("thousand", 0, thousand, 1);
            admitted += store.decide(checks, T0 + i) ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(2);
    }

    @Test
    void aLogThatIsThereIsNotEvictedForAnotherOfItsRequest() {
        MemoryStore store = fullOfLogs();
        Meter thousand = Meters.of(Limit.slidingWindowLog(1_000, Duration.ofHours(1)));
        for (int i = 0; i < 5; i++) {
            check("log", 0, thousand, 1);
            add("fresh", i, FIVE_LOGGED, 1);
            assertThat(store.decide(checks, T0 + i)).isTrue();
        }
        Check known = check("log", 0, thousand, 0);
        store.decide(checks, T0 + 5);
        assertThat(known.outcome.remaining).isEqualTo(995);
    }

    @Test
    void theLogsOfDeniedRequestsAreTheFirstToGo() {
        MemoryStore store = fullOfLogs();
        Meter none = Meters.of(Limit.fixedWindow(1, Duration.ofHours(1)));
        take(store, "none", 0, none, 1, T0);
        for (int i = 0; i < 10_000; i++) {
            check("flood", i, FIVE_LOGGED, 1);
            add("none", 0, none, 1);
            assertThat(store.decide(checks, T0)).isFalse();
        }
        int forgotten = 0;
        for (int i = 0; i < 512; i++) {
            Check check = check("known", i, FIVE_LOGGED, 0);
            store.decide(checks, T0);
            forgotten += check.outcome.remaining == 5 ? 1 : 0;
        }
        assertThat(forgotten).isLessThanOrEqualTo(1);
    }

    /** One stripe, and as many blocks as there may be of the smallest size, 512, each of a log with one hit in five. */
    private MemoryStore fullOfLogs() {
        MemoryStore store = new MemoryStore(2_000, 1 << 16);
        for (int i = 0; i < 512; i++) {
            assertThat(take(store, "known", i, FIVE_LOGGED, 1, T0)).isTrue();
        }
        assertThat(store.evictions()).isZero();
        return store;
    }

    @Test
    void changingFromPlainToSubWindowsStartsACounterOfItsOwn() {
        MemoryStore store = new MemoryStore(100);
        Limit limit = Limit.slidingWindow(10, Duration.ofMinutes(1));
        assertThat(take(store, "a", 0, Meters.of(limit), 10, T0)).isTrue();
        assertThat(take(store, "a", 0, Meters.of(limit.withSubWindows(6)), 10, T0))
                .isTrue();
        assertThat(take(store, "a", 0, Meters.of(limit.withSubWindows(60)), 1, T0))
                .isFalse();
        assertThat(take(store, "a", 0, Meters.of(limit), 1, T0)).isFalse();
    }

    @Test
    void tablesGrowUnderThreadsWithoutLosingAHit() throws InterruptedException {
        MemoryStore store = new MemoryStore(200_000);
        int keys = 20_000;
        AtomicInteger admitted = new AtomicInteger();
        Thread[] threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                MemoryStoreBoundsTest own = new MemoryStoreBoundsTest();
                for (int i = 0; i < keys; i++) {
                    admitted.addAndGet(own.take(store, "user", i, HUNDRED, 40, T0) ? 1 : 0);
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(admitted).hasValue(2 * keys);
        assertThat(store.size()).isEqualTo(keys);
    }
}
