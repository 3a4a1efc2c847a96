package dev.weir.redis.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.store.Check;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.testkit.FaultProxy;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An ask that timed out is reused for another request before the late reply arrives. */
class LateReplyTest {
    private static final Duration BACK = Duration.ofMillis(600);

    private RedisProcess redis;
    private FaultProxy proxy;
    private RedisSharedStore store;

    @BeforeEach
    void open() {
        redis = RedisProcess.start();
        proxy = FaultProxy.before(redis.port());
        store = RedisSharedStore.open(RedisSettings.of(proxy.uri()).withDeadline(Duration.ofSeconds(5)));
        AwaitableAsk.awaitServing(store);
    }

    @AfterEach
    void close() {
        store.close();
        proxy.close();
        redis.stop();
    }

    @Test
    void aReplyThatComesLateForSomeTouchesOnlyThoseWhoStillWait() throws Exception {
        Meter meter = AwaitableAsk.limit(100);
        new AwaitableAsk().on("other", meter, 1).now(store); // so that Redis knows the script
        proxy.latency(Duration.ZERO, BACK);
        long sent = store.stats().batches();
        CompletableFuture<AwaitableAsk> first =
                new AwaitableAsk().on("other", meter, 1).ask(store, AwaitableAsk.PATIENCE);
        Awaitility.await()
                .pollInterval(Duration.ofMillis(2))
                .until(() -> store.stats().batches() > sent);
        // While that is under way, these two gather for the next batch, in which one of them runs out of time.
        AwaitableAsk hasty = new AwaitableAsk().on("k", meter, 3);
        CompletableFuture<AwaitableAsk> hastyAnswer = hasty.ask(store, BACK.plus(BACK.dividedBy(2)));
        CompletableFuture<AwaitableAsk> patient =
                new AwaitableAsk().on("k", meter, 5).ask(store, AwaitableAsk.PATIENCE);
        first.get(10, TimeUnit.SECONDS);
        hastyAnswer.get(10, TimeUnit.SECONDS);
        assertThat(hasty.failure()).isEqualTo(StoreFailure.TIMEOUT);

        Check reused = hasty.checks.get(0);
        AwaitableAsk.fill(reused, "another", "another", meter, 77);
        reused.failure = null;
        reused.outcome.remaining = -1;
        reused.outcome.allowed = false;

        AwaitableAsk answered = patient.get(10, TimeUnit.SECONDS);
        assertThat(answered.failure()).isNull();
        assertThat(answered.remaining(0))
                .as("after the 3 hits of who went before")
                .isEqualTo(92);
        assertThat(reused.outcome.remaining).isEqualTo(-1);
        assertThat(reused.outcome.allowed).isFalse();
        assertThat(reused.failure).isNull();
        assertThat(reused.hits).isEqualTo(77);
    }

    @Test
    void asksThatTimeOutAndAreAskedAgainAtOnceGetTheirOwnAnswers() throws Exception {
        Meter meter = AwaitableAsk.limit(1_000_000);
        proxy.latency(Duration.ZERO, Duration.ofMillis(60));
        List<AwaitableAsk> asks = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            asks.add(new AwaitableAsk().on("k" + i, meter, 0));
        }
        for (int turn = 0; turn < 6; turn++) {
            for (AwaitableAsk ask : asks) {
                ask.checks.get(0).outcome.remaining = -1;
                var unused = ask.ask(store, Duration.ofMillis(turn % 2 == 0 ? 20 : 10_000));
            }
            for (AwaitableAsk ask : asks) {
                ask.await();
                if (ask.failure() == null) {
                    assertThat(ask.remaining(0)).isEqualTo(1_000_000);
                } else {
                    assertThat(ask.failure()).isEqualTo(StoreFailure.TIMEOUT);
                    assertThat(ask.remaining(0)).as("untouched").isEqualTo(-1);
                }
            }
        }
        assertThat(store.stats().failures(StoreFailure.TIMEOUT)).isPositive();
        assertThat(store.stats().answered()).isPositive();
    }

    @Test
    void tooManyWhoWaitAreTurnedAwayAtOnce() {
        try (RedisSharedStore small = RedisSharedStore.open(RedisSettings.of(proxy.uri())
                .withDeadline(Duration.ofSeconds(5))
                .withMaxWaiting(10))) {
            AwaitableAsk.awaitServing(small);
            proxy.blackHole();
            for (int i = 0; i < 10; i++) {
                var unused =
                        new AwaitableAsk().on("k", AwaitableAsk.limit(10), 1).ask(small, AwaitableAsk.PATIENCE);
            }
            AwaitableAsk over = new AwaitableAsk().on("k", AwaitableAsk.limit(10), 1);
            over.now(small);
            assertThat(over.failure()).isEqualTo(StoreFailure.OVERLOADED);
            assertThat(over.deadlineNanos - over.answeredNanos).isPositive();
            assertThat(small.health().get(0).waiting()).isEqualTo(10);
        }
    }

    @Test
    void aRedisThatIsNotThereFailsAtOnceAndIsFoundWhenItComes() {
        proxy.refuse();
        Awaitility.await().until(() -> !store.serves());
        AwaitableAsk ask = new AwaitableAsk().on("k", AwaitableAsk.limit(10), 1);
        ask.now(store);
        assertThat(ask.failure()).isEqualTo(StoreFailure.UNREACHABLE);
        assertThat(TimeUnit.NANOSECONDS.toMillis(ask.deadlineNanos - ask.answeredNanos))
                .as("ms left")
                .isGreaterThan(5_000);
        assertThat(store.warmUp(Duration.ofMillis(300))).isFalse();
        proxy.flow();
        AwaitableAsk.awaitServing(store);
        assertThat(new AwaitableAsk()
                        .on("k", AwaitableAsk.limit(10), 1)
                        .now(store)
                        .remaining(0))
                .isEqualTo(9);
    }
}
