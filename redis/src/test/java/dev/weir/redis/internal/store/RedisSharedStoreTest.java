package dev.weir.redis.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meter;
import dev.weir.redis.internal.connection.LettuceSetup;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.testkit.RedisProcess;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One Redis, one store. */
class RedisSharedStoreTest {
    private static RedisProcess redis;
    private RedisSharedStore store;

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
    }

    @AfterAll
    static void stop() {
        redis.stop();
    }

    @BeforeEach
    void open() {
        redis.cli("FLUSHALL");
        // A busy machine must not open the breaker: what takes a second is slow.
        store = RedisSharedStore.open(RedisSettings.of(redis.uri()).withDeadline(Duration.ofSeconds(1)));
        AwaitableAsk.awaitServing(store);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aLimitIsAdmittedOnceAndNoMore() {
        Meter meter = AwaitableAsk.limit(10);
        int admitted = 0;
        for (int i = 0; i < 30; i++) {
            admitted += new AwaitableAsk().on("a", meter, 1).now(store).allowed() ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(10);
        assertThat(redis.cli("DBSIZE")).isEqualTo(1L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost", "[::1]"})
    void itIsMetByNumberByNameAndOverIpv6(String host) {
        try (RedisProcess both = RedisProcess.start("bind 127.0.0.1 ::1");
                RedisSharedStore there = StoreFixture.open("redis://" + host + ":" + both.port())) {
            StoreFixture.awaitServed(there, "a");
            assertThat(StoreFixture.ask(there, "a", StoreFixture.PLENTY, 1).outcome.allowed)
                    .isTrue();
        }
    }

    @Test
    void anAskWithoutChecksIsAnswered() {
        assertThat(new AwaitableAsk().now(store).allowed()).isTrue();
    }

    @Test
    void sixtyFourThreadsOnOneCounterAreAdmittedExactlyTheLimitInFewCommands() throws Exception {
        int limit = 1_000;
        int each = 200;
        int threads = 64;
        Meter meter = AwaitableAsk.limit(limit);
        AtomicInteger admitted = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(threads);
        redis.cli("CONFIG", "RESETSTAT");
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> {
                AwaitableAsk ask = new AwaitableAsk().on("hot", meter, 1);
                for (int n = 0; n < each; n++) {
                    ask.now(store);
                    assertThat(ask.failure()).isNull();
                    admitted.addAndGet(ask.allowed() ? 1 : 0);
                }
                done.countDown();
            });
            thread.start();
        }
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(admitted).hasValue(limit);
        long calls = redis.commandCalls().getOrDefault("evalsha", 0L)
                + redis.commandCalls().getOrDefault("eval", 0L);
        assertThat(calls / (double) (threads * each))
                .as("commands per decision")
                .isLessThanOrEqualTo(0.1);
    }

    @Test
    void asksOfOneHomeAreAnsweredInOneTask() throws Exception {
        Meter meter = AwaitableAsk.limit(1_000);
        AtomicInteger tasks = new AtomicInteger();
        Executor home = task -> {
            tasks.incrementAndGet();
            task.run();
        };
        Semaphore answered = new Semaphore(0);
        int asks = 500;
        for (int i = 0; i < asks; i++) {
            AwaitableAsk ask = new AwaitableAsk().on("k" + i % 50, meter, 1);
            ask.home = home;
            var unused = ask.ask(store, AwaitableAsk.PATIENCE).thenRun(answered::release);
        }
        assertThat(answered.tryAcquire(asks, 20, TimeUnit.SECONDS)).isTrue();
        assertThat(tasks.get()).isLessThan(asks / 5);
    }

    @Test
    void aScriptThatRedisForgotIsSentAgainAndNobodyNotices() {
        Meter meter = AwaitableAsk.limit(100);
        for (int i = 0; i < 5; i++) {
            redis.cli("SCRIPT", "FLUSH");
            assertThat(new AwaitableAsk().on("a", meter, 1).now(store).remaining(0))
                    .isEqualTo(99 - i);
        }
        assertThat(store.stats().noScript()).isBetween(5L, 6L);
    }

    @Test
    void aStoreThatIsClosedMayBeClosedAgain() throws Exception {
        EventLoopGroup loops = LettuceSetup.ownLoops();
        RedisSharedStore twice = RedisSharedStore.open(RedisSettings.of(redis.uri()), loops);
        twice.close();
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).get();
        assertThatCode(twice::close).doesNotThrowAnyException();
    }

    @Test
    void aStoppedRedisCostsNobodyMoreThanTheDeadlineAndComesBackByItself() {
        Meter meter = AwaitableAsk.limit(1_000_000);
        Duration deadline = Duration.ofMillis(50);
        redis.pause();
        try {
            List<Long> lateness = new ArrayList<>();
            StoreFailure last = null;
            long end = System.nanoTime() + AwaitableAsk.PATIENCE.toNanos();
            while (last != StoreFailure.OPEN && System.nanoTime() - end < 0) {
                AwaitableAsk ask = new AwaitableAsk().on("a", meter, 1);
                ask.now(store, deadline);
                lateness.add(TimeUnit.NANOSECONDS.toMillis(ask.answeredNanos - ask.deadlineNanos));
                last = ask.failure();
                assertThat(last).isIn(StoreFailure.TIMEOUT, StoreFailure.OPEN, StoreFailure.UNREACHABLE);
            }
            assertThat(last).isEqualTo(StoreFailure.OPEN);
            Collections.sort(lateness);
            assertThat(lateness.get(lateness.size() / 2))
                    .as("ms past the deadline")
                    .isLessThan(10);
            assertThat(lateness.get(lateness.size() - 1))
                    .as("with the worst luck")
                    .isLessThan(500);
        } finally {
            redis.resume();
        }
        AwaitableAsk.awaitServing(store);
        assertThat(new AwaitableAsk().on("a", meter, 0).now(store).remaining(0))
                .as("what timed out was not charged when Redis went on")
                .isEqualTo(1_000_000);
    }
}
