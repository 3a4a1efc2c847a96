package dev.weir.redis.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.counter.CounterName;
import dev.weir.internal.store.Check;
import dev.weir.redis.internal.script.RedisKey;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.testkit.RedisCluster;
import dev.weir.redis.testkit.RedisProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A cluster of three masters, one store. */
class ClusterStoreTest {
    private static final Duration AGES = Duration.ofDays(3_650);

    private static RedisCluster cluster;
    private RedisSharedStore store;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start(true);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void open() {
        store = RedisSharedStore.open(RedisSettings.of(cluster.uri()).withDeadline(Duration.ofSeconds(5)));
        AwaitableAsk.awaitServing(store);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void slotsAreThoseThatRedisSays() {
        CounterName name = new CounterName();
        for (long subject = 1; subject != 0 && subject < 1L << 62; subject = subject * 31 + 7) {
            name.subject(subject);
            String key = new String(RedisKey.of(name), StandardCharsets.US_ASCII);
            assertThat(cluster.nodes().get(0).cli("CLUSTER", "KEYSLOT", key)).isEqualTo((long) RedisKey.slot(subject));
            if (subject > 1L << 56) {
                break;
            }
        }
    }

    /** The tightest limit is asked first; that another one is used up is not known before. */
    @ParameterizedTest
    @CsvSource({"100, 0", "2000000, 1999900"})
    void whatATightCheckDeniesTookNothingFromTheOthersWhereverTheyLive(long requests, long used) throws Exception {
        Meter roomy = Meters.of(Limit.fixedWindow(1_000_000, AGES));
        Meter tight = Meters.of(Limit.fixedWindow(requests, AGES));
        String name = requests + " ";
        assertThat(new AwaitableAsk().on(name + "tight", tight, used).now(store).allowed())
                .isTrue();
        int threads = 16;
        AtomicInteger admitted = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            new Thread(() -> {
                        for (int n = 0; n < 50; n++) {
                            AwaitableAsk ask = new AwaitableAsk()
                                    .on(name + "roomy 1", roomy, 1)
                                    .on(name + "tight", tight, 1)
                                    .on(name + "roomy 2", roomy, 1);
                            admitted.addAndGet(ask.now(store).allowed() ? 1 : 0);
                        }
                        done.countDown();
                    })
                    .start();
        }
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(admitted).hasValue(100);
        assertThat(store.stats().giveBacks() > 0).isEqualTo(used > 0);
        Awaitility.await().untilAsserted(() -> {
            AwaitableAsk left =
                    new AwaitableAsk().on(name + "roomy 1", roomy, 0).on(name + "roomy 2", roomy, 0);
            left.now(store);
            assertThat(left.remaining(0)).isEqualTo(999_900);
            assertThat(left.remaining(1)).isEqualTo(999_900);
        });
    }

    /** Requests that are denied elsewhere take from windows and give back, while others use each window up. */
    @Test
    void noWindowGetsBackWhatWasTakenFromTheOneBefore() throws Exception {
        long windowMicros = 100_000;
        Meter window = Meters.of(Limit.fixedWindow(100, Duration.ofNanos(1_000 * windowMicros)));
        Meter used = Meters.of(Limit.fixedWindow(1_000, AGES));
        assertThat(new AwaitableAsk().on("used", used, 1_000).now(store).allowed())
                .isTrue();
        Map<Long, Integer> admitted = new ConcurrentHashMap<>();
        long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
        List<Thread> threads = new ArrayList<>();
        try (RedisSharedStore hasty = RedisSharedStore.open(RedisSettings.of(cluster.uri()))) {
            AwaitableAsk.awaitServing(hasty);
            for (int i = 0; i < 8; i++) {
                boolean denied = i < 6;
                Thread thread = new Thread(() -> {
                    AwaitableAsk ask = new AwaitableAsk().on("window", window, 1);
                    if (denied) {
                        ask.on("used", used, 1);
                    }
                    while (System.nanoTime() < end) {
                        long asked = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
                        boolean passed = ask.now(hasty).allowed();
                        long answered = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() + 1);
                        if (passed && answered - asked < windowMicros) { // otherwise the window is unknown
                            long ends = (answered + ask.checks.get(0).outcome.reset) / windowMicros;
                            admitted.merge(ends, 1, Integer::sum);
                        }
                    }
                });
                thread.start();
                threads.add(thread);
            }
            for (Thread each : threads) {
                each.join();
            }
            assertThat(hasty.stats().giveBacks()).isPositive();
        }
        assertThat(admitted.values()).hasSizeGreaterThan(10).allMatch(each -> each <= 100);
    }

    @Test
    void aHashSlotThatMigratesUnderLoadLosesNothingAndCountsNothingTwice() throws Exception {
        Meter meter = AwaitableAsk.limit(1_000_000);
        Check moving = new AwaitableAsk().check("moving", "moving", meter, 1);
        int slot = RedisKey.slot(moving.name.subject());
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger taken = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(4);
        for (int i = 0; i < 4; i++) {
            new Thread(() -> {
                        AwaitableAsk ask = new AwaitableAsk().on("moving", meter, 1);
                        while (!stop.get()) {
                            ask.now(store);
                            (ask.allowed() ? taken : failed).incrementAndGet();
                        }
                        done.countDown();
                    })
                    .start();
        }
        RedisProcess from = cluster.masterOf(slot);
        RedisProcess to = cluster.masters().stream()
                .filter(each -> each != from)
                .findFirst()
                .orElseThrow();
        cluster.moveSlot(slot, to);
        int before = taken.get();
        Awaitility.await().until(() -> taken.get() > before + 50);
        stop.set(true);
        assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(failed).hasValue(0);
        assertThat(store.stats().redirects()).isPositive();
        assertThat(new AwaitableAsk().on("moving", meter, 0).now(store).remaining(0))
                .isEqualTo(1_000_000 - taken.get());
    }
}
