package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RateLimiterTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final AtomicLong now = new AtomicLong(1_700_000_000_000_000L);

    @Test
    void letsABurstPassAndThenTheRate() {
        RateLimiter limiter = limiter(Limit.tokenBucket(2, SECOND).withBurst(3));
        assertThat(limiter.tryAcquire("ann")).isTrue();
        assertThat(limiter.tryAcquire("ann", 2)).isTrue();
        assertThat(limiter.tryAcquire("ann")).isFalse();
        now.addAndGet(499_999);
        assertThat(limiter.tryAcquire("ann")).isFalse();
        now.addAndGet(1);
        assertThat(limiter.tryAcquire("ann")).isTrue();
    }

    @Test
    void countsEveryKeyOnItsOwn() {
        RateLimiter limiter = limiter(Limit.tokenBucket(1, SECOND));
        assertThat(limiter.tryAcquire("ann")).isTrue();
        assertThat(limiter.tryAcquire("bob")).isTrue();
        assertThat(limiter.tryAcquire(42L)).isTrue();
        assertThat(limiter.tryAcquire("42")).isTrue();
        assertThat(limiter.tryAcquire("ann")).isFalse();
        assertThat(limiter.check(42L, 1).allowed()).isFalse();
    }

    @Test
    void takesAllHitsOrNone() {
        RateLimiter limiter = limiter(Limit.tokenBucket(10, SECOND));
        assertThat(limiter.tryAcquire("ann", 8)).isTrue();
        assertThat(limiter.tryAcquire("ann", 3)).isFalse();
        assertThat(limiter.probe("ann").remaining()).isEqualTo(2);
    }

    @Test
    void saysWhatIsLeftAndWhenItPassesAgain() {
        RateLimiter limiter = limiter(Limit.tokenBucket(10, SECOND));
        Verdict taken = limiter.check("ann", 4);
        assertThat(taken.allowed()).isTrue();
        assertThat(taken.remaining()).isEqualTo(6);
        assertThat(taken.reset()).isEqualTo(Duration.ofMillis(400));
        Verdict denied = limiter.check("ann", 7);
        assertThat(denied.reason()).isEqualTo(Verdict.Reason.OVER_LIMIT);
        assertThat(denied.retryAfter()).isEqualTo(Duration.ofMillis(100));
        assertThat(denied.remaining()).isEqualTo(6);
        Verdict never = limiter.check("ann", 11);
        assertThat(never.reason()).isEqualTo(Verdict.Reason.NEVER);
        assertThat(never.retryAfter()).isNull();
        assertThat(limiter.check("ann").remaining()).isEqualTo(5);
    }

    @Test
    void aVerdictReadsAsASentence() {
        RateLimiter limiter = limiter(Limit.tokenBucket(10, SECOND));
        assertThat(limiter.check("ann", 4)).hasToString("allowed (10 per 1s, token_bucket): 6 left");
        assertThat(limiter.check("ann", 7))
                .hasToString("denied (10 per 1s, token_bucket): 6 left, 7 asked for, passes again in 100ms");
        assertThat(limiter.check("ann", 11)).hasToString("denied (10 per 1s, token_bucket): 11 hits can never fit");
    }

    @Test
    void aWindowLongerThanAnyCounterIsRefusedLikeAnyOtherNumber() {
        assertThatThrownBy(() -> RateLimiter.of(Limit.fixedWindow(1, Duration.ofSeconds(Long.MAX_VALUE))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("window: 9223372036854775807 (expected: <= ");
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void probingTakesNothing(Algorithm algorithm) {
        RateLimiter limiter = limiter(Limit.of(algorithm, 10, SECOND));
        assertThat(limiter.tryAcquire("ann", 7)).isTrue();
        for (int i = 0; i < 3; i++) {
            assertThat(limiter.probe("ann", 3).allowed()).isTrue();
            assertThat(limiter.probe("ann", 3).remaining()).isEqualTo(3);
            Verdict over = limiter.probe("ann", 4);
            assertThat(over.allowed()).isFalse();
            assertThat(over.retryAfter()).isPositive();
        }
        assertThat(limiter.tryAcquire("ann", 3)).isTrue();
        assertThat(limiter.tryAcquire("ann")).isFalse();
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void whatIsGivenBackCanBeTakenAgain(Algorithm algorithm) {
        RateLimiter limiter = limiter(Limit.of(algorithm, 5, SECOND));
        assertThat(limiter.tryAcquire(7L, 5)).isTrue();
        limiter.giveBack(7L, 2);
        assertThat(limiter.tryAcquire(7L, 3)).isFalse();
        assertThat(limiter.tryAcquire(7L, 2)).isTrue();
        limiter.giveBack(7L, Long.MAX_VALUE);
        assertThat(limiter.probe(7L).remaining()).isEqualTo(5);
    }

    @Test
    void aLimitChangedLiveKeepsWhatWasUsed() {
        RateLimiter limiter = limiter(Limit.tokenBucket(10, SECOND));
        assertThat(limiter.tryAcquire("ann", 8)).isTrue();
        limiter.limit(Limit.tokenBucket(20, SECOND));
        assertThat(limiter.probe("ann").remaining()).isEqualTo(12);
        limiter.limit(Limit.tokenBucket(5, SECOND));
        assertThat(limiter.tryAcquire("ann")).isFalse();
        assertThat(limiter.limit().requests()).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void ofManyThreadsExactlyAsManyPassAsTheLimitSays(Algorithm algorithm) throws InterruptedException {
        int limit = 5_000;
        RateLimiter limiter = limiter(Limit.of(algorithm, limit, Duration.ofMinutes(1)));
        int threads = 4;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        CountDownLatch start = new CountDownLatch(1);
        AtomicInteger passed = new AtomicInteger();
        for (int t = 0; t < threads; t++) {
            executor.execute(() -> {
                awaitUninterrupted(start);
                for (int i = 0; i < limit; i++) {
                    if (limiter.tryAcquire("hot")) {
                        passed.incrementAndGet();
                    }
                }
            });
        }
        start.countDown();
        executor.shutdown();
        assertThat(executor.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(passed).hasValue(limit);
    }

    @Test
    void tryAcquireAllocatesNothing() {
        RateLimiter limiter = limiter(Limit.tokenBucket(1_000, SECOND));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        String key = "user-42";
        long taken = 0;
        for (int i = 0; i < 10_000; i++) {
            taken += limiter.tryAcquire(key) ? 1 : 0;
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 100_000; i++) {
            taken += limiter.tryAcquire(key, 1) ? 1 : 0;
            taken += limiter.tryAcquire(42L) ? 1 : 0;
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(taken).isEqualTo(2_000);
        // Not one byte a call; a little for whatever the JVM itself does on this thread.
        assertThat(allocated).isLessThan(10_000);
    }

    @Test
    void forgetsTheLeastUsedBeyondItsBound() {
        RateLimiter limiter = RateLimiter.builder(Limit.tokenBucket(100, Duration.ofHours(1)))
                .maxKeys(100)
                .time(now::get)
                .open();
        assertThat(limiter.tryAcquire("heavy", 100)).isTrue();
        for (long key = 0; key < 10_000; key++) {
            assertThat(limiter.tryAcquire(key)).isTrue();
        }
        assertThat(limiter.tryAcquire("heavy")).isFalse();
    }

    @Test
    void refusesWhatMakesNoSense() {
        RateLimiter limiter = limiter(Limit.tokenBucket(10, SECOND));
        assertThatThrownBy(() -> limiter.tryAcquire("ann", -1)).hasMessage("hits: -1 (expected: >= 0)");
        assertThatThrownBy(() -> limiter.giveBack("ann", 0)).hasMessage("hits: 0 (expected: >= 1)");
        assertThatThrownBy(() -> RateLimiter.builder(limiter.limit()).maxKeys(0))
                .hasMessage("maxKeys: 0 (expected: >= 1)");
        assertThatThrownBy(() -> RateLimiter.of(Limit.of(Algorithm.SLIDING_WINDOW_LOG, 20_000, SECOND)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void acquireWaitsUntilTheHitsFit() throws InterruptedException {
        RateLimiter limiter = RateLimiter.of(Limit.tokenBucket(100, SECOND).withBurst(1));
        long start = System.nanoTime();
        for (int i = 0; i < 4; i++) {
            assertThat(limiter.acquire("ann", Duration.ofSeconds(30))).isTrue();
            assertThat(limiter.acquire(42L, Duration.ofSeconds(30))).isTrue();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(30));
    }

    @Test
    void acquireReturnsAtOnceWhereTheTimeCannotBeEnough() throws InterruptedException {
        RateLimiter limiter = RateLimiter.of(Limit.tokenBucket(1, Duration.ofHours(1)));
        assertThat(limiter.acquire("ann", Duration.ZERO)).isTrue();
        assertThat(limiter.acquire("ann", Duration.ofMinutes(10))).isFalse();
        assertThat(limiter.acquire("ann", 2, Duration.ofDays(1)))
                .as("never fits")
                .isFalse();
        assertThatThrownBy(() -> limiter.acquire("ann", Duration.ofMillis(-1)))
                .hasMessage("atMost: -1ms (expected: >= 0s)");
    }

    @Test
    void acquireWaitsForTheTurnOfAShaperAndGivesItUpWhereItIsTooLate() throws InterruptedException {
        RateLimiter limiter = limiter(Limit.leakyBucket(10, Duration.ofHours(1)));
        assertThat(limiter.acquire("ann", Duration.ZERO)).isTrue();
        assertThat(limiter.acquire("ann", Duration.ofSeconds(1)))
                .as("its turn is in six minutes")
                .isFalse();
        assertThat(limiter.check("ann").delay()).as("the turn was given back").isEqualTo(Duration.ofMinutes(6));
    }

    @Test
    void anInterruptEndsTheWaitAndTakesNothing() {
        RateLimiter limiter = limiter(Limit.tokenBucket(1, SECOND));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> limiter.acquire("ann", SECOND)).isInstanceOf(InterruptedException.class);
        assertThat(limiter.tryAcquire("ann")).isTrue();
    }

    @Test
    @SuppressWarnings("NullAway") // what a caller without a checker may do
    void aMissingKeyIsNamed() {
        RateLimiter limiter = limiter(Limit.tokenBucket(10, SECOND));
        assertThatThrownBy(() -> limiter.tryAcquire((String) null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("key: null (expected: text)");
        assertThatThrownBy(() -> Request.to("api").with("user_id", null)).hasMessage("user_id: null (expected: text)");
        assertThatThrownBy(() -> Request.to("api").with(null, "u")).hasMessage("key: null (expected: text)");
    }

    @Test
    void aNameForALimiterInMemoryChangesNothing() {
        RateLimiter limiter = RateLimiter.open("logins", Limit.tokenBucket(1, SECOND), Store.memory());
        assertThat(limiter.checkAsync("ann", 1).toCompletableFuture().join().allowed())
                .isTrue();
        assertThat(limiter.checkAsync(7L, 2).toCompletableFuture().join().reason())
                .isEqualTo(Verdict.Reason.NEVER);
        assertThatThrownBy(() -> RateLimiter.builder(limiter.limit()).store(" ", Store.memory()))
                .hasMessage("name:   (expected: the name that processes share)");
        assertThatThrownBy(() -> RateLimiter.builder(limiter.limit()).consistency(Consistency.LOCAL))
                .hasMessage("consistency: LOCAL (expected: a limiter without a store)");
    }

    private RateLimiter limiter(Limit limit) {
        return RateLimiter.builder(limit).time(now::get).open();
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
