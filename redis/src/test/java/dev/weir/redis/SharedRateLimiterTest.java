package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Algorithm;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.RateLimiter;
import dev.weir.Verdict;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One limit over a real Redis: what holds in memory holds here. */
class SharedRateLimiterTest {
    private static final Duration LONG = Duration.ofDays(30);

    @SuppressWarnings("NullAway") // set before all tests
    private static RedisProcess redis;

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
    }

    @AfterAll
    static void stop() {
        redis.stop();
    }

    private static RateLimiter open(String name, Limit limit) {
        return builder(name, limit).open();
    }

    private static RateLimiter.Builder builder(String name, Limit limit) {
        return RateLimiter.builder(limit)
                .store(name, RedisStore.at(redis.uri()))
                .deadline(Duration.ofSeconds(5));
    }

    @Test
    void limitersOfOneNameShareTheirCountersAndOthersDoNot() {
        Limit two = Limit.fixedWindow(2, LONG);
        try (RateLimiter one = open("logins", two);
                RateLimiter same = open("logins", two);
                RateLimiter other = open("signups", two)) {
            assertThat(one.tryAcquire("ann")).isTrue();
            assertThat(same.tryAcquire("ann")).isTrue();
            assertThat(one.tryAcquire("ann")).isFalse();
            assertThat(other.tryAcquire("ann", 2)).isTrue();
            assertThat(one.tryAcquire("bob", 3)).isFalse();
            assertThat(one.check("bob", 3).reason()).isEqualTo(Verdict.Reason.NEVER);
        }
    }

    @Test
    void aNumberAndItsDigitsAreTwoKeys() {
        try (RateLimiter limiter = open("numbers", Limit.fixedWindow(1, LONG))) {
            assertThat(limiter.tryAcquire(42L)).isTrue();
            assertThat(limiter.tryAcquire("42")).isTrue();
            assertThat(limiter.tryAcquire(42L)).isFalse();
            assertThat(limiter.checkAsync("42", 1).toCompletableFuture().join().allowed())
                    .isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void probingTakesNothingAndWhatIsGivenBackCanBeTakenAgain(Algorithm algorithm) {
        try (RateLimiter limiter = open("probes-" + algorithm, Limit.of(algorithm, 10, LONG))) {
            Verdict taken = limiter.check("ann", 7);
            assertThat(taken.degraded()).isFalse();
            assertThat(taken.allowed()).isTrue();
            for (int i = 0; i < 3; i++) {
                Verdict fits = limiter.probe("ann", 3);
                assertThat(fits.degraded()).isFalse();
                assertThat(fits.allowed()).isTrue();
                assertThat(fits.remaining()).isEqualTo(3);
                Verdict over = limiter.probe("ann", 4);
                assertThat(over.allowed()).isFalse();
                assertThat(over.retryAfter()).isPositive();
                assertThat(limiter.probe("ann", 11).retryAfter()).isNull();
            }
            assertThat(limiter.tryAcquire("ann", 3)).isTrue();
            limiter.giveBack("ann", 2);
            assertThat(limiter.probe("ann").remaining()).isEqualTo(2);
        }
    }

    @Test
    void acquireWaitsForAnotherProcess() throws InterruptedException {
        Limit limit = Limit.tokenBucket(20, Duration.ofSeconds(1)).withBurst(1);
        try (RateLimiter one = open("waits", limit);
                RateLimiter other = open("waits", limit)) {
            for (int i = 0; i < 3; i++) {
                assertThat(one.acquire("ann", Duration.ofSeconds(30))).isTrue();
                assertThat(other.acquire("ann", Duration.ofSeconds(30))).isTrue();
            }
        }
    }

    @Test
    void aLimitChangedLiveKeepsWhatWasUsed() {
        try (RateLimiter limiter = open("live", Limit.fixedWindow(10, LONG))) {
            assertThat(limiter.tryAcquire("ann", 8)).isTrue();
            limiter.limit(Limit.fixedWindow(20, LONG));
            assertThat(limiter.probe("ann").remaining()).isEqualTo(12);
            assertThat(limiter.limit().requests()).isEqualTo(20);
        }
    }

    @Test
    void aLimiterMayLease() {
        try (RateLimiter limiter = builder("leased", Limit.fixedWindow(50, LONG))
                .consistency(Consistency.LEASED)
                .open()) {
            int passed = 0;
            for (int i = 0; i < 100; i++) {
                passed += limiter.tryAcquire("ann") ? 1 : 0;
            }
            assertThat(passed).isEqualTo(50);
        }
    }

    @Test
    void onFailDecidesWhileRedisIsAway() {
        try (RedisProcess stopped = RedisProcess.start()) {
            Limit one = Limit.fixedWindow(1, LONG);
            try (RateLimiter allows = RateLimiter.open("a", one, RedisStore.at(stopped.uri()));
                    RateLimiter denies = RateLimiter.builder(one)
                            .store("d", RedisStore.at(stopped.uri()))
                            .onFail(OnFail.DENY)
                            .open()) {
                stopped.stop();
                for (int i = 0; i < 3; i++) {
                    assertThat(allows.check("ann").degraded()).isTrue();
                    assertThat(allows.check("ann").allowed()).isTrue();
                    assertThat(allows.probe("ann").degraded()).isTrue();
                    assertThat(denies.check("ann").reason()).isEqualTo(Verdict.Reason.STORE_DOWN);
                    assertThat(denies.probe("ann").reason()).isEqualTo(Verdict.Reason.STORE_DOWN);
                }
            }
        }
    }

    @Test
    void callsThatWaitRefuseOnAnEventLoopAndAfterClosing() {
        RateLimiter limiter = open("loops", Limit.fixedWindow(10, LONG));
        redis.pause(); // so that the answer comes after this thread has said what to do with it
        CompletableFuture<Verdict> nested = limiter.checkAsync("ann", 1)
                .thenApply(first -> limiter.check("ann"))
                .toCompletableFuture();
        redis.resume();
        assertThatThrownBy(nested::join)
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .rootCause()
                .hasMessageStartingWith("decide would block the event loop");
        limiter.close();
        assertThatThrownBy(() -> limiter.tryAcquire("ann"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("closed");
    }
}
