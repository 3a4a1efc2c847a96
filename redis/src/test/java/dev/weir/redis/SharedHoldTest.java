package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Consistency;
import dev.weir.Hold;
import dev.weir.Hold.Settlement;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.RuleSet;
import dev.weir.Verdict;
import dev.weir.Weir;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Holds of the library on a real Redis. */
class SharedHoldTest {
    private static final Duration LONG = Duration.ofDays(30);
    private static final Duration PATIENT = Duration.ofSeconds(5);

    private static RedisProcess redis;
    private static RedisProcess other;

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
        other = RedisProcess.start();
    }

    @AfterAll
    static void stop() {
        redis.stop();
        other.stop();
    }

    @BeforeEach
    void flush() {
        redis.cli("FLUSHALL");
        other.cli("FLUSHALL");
    }

    private static Weir open(Duration deadline, RuleSet rules) {
        return Weir.builder(rules)
                .store(RedisStore.at(redis.uri()))
                .store("other", RedisStore.at(other.uri()))
                .deadline(deadline)
                .open();
    }

    private static RuleSet tokens(Consistency consistency) {
        return RuleSet.builder("llm")
                .rule("tokens", Limit.fixedWindow(1_000, LONG))
                .counts("tokens")
                .keyBy("user")
                .consistency(consistency)
                .build();
    }

    private static Request estimate(long tokens) {
        return Request.to("llm").with("user", "u").hits("tokens", tokens);
    }

    private static List<Long> left(Weir weir) {
        return weir.decide(estimate(0)).verdicts().stream()
                .map(Verdict::remaining)
                .toList();
    }

    private static List<Hold> reserve(int count, Weir... nodes) {
        List<CompletableFuture<Hold>> asked = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            asked.add(nodes[i % nodes.length]
                    .reserveAsync(estimate(100), Hold.DEFAULT_TTL)
                    .toCompletableFuture());
        }
        return asked.stream().map(CompletableFuture::join).filter(Hold::isHeld).toList();
    }

    @Test
    void ofAHundredReservesOfATenthExactlyTenPassAndFiveMoreOnceHalfIsSettled() {
        try (Weir one = open(PATIENT, tokens(Consistency.LEASED));
                Weir two = open(PATIENT, tokens(Consistency.LEASED))) {
            List<Hold> held = reserve(100, one, two);
            assertThat(held).hasSize(10);
            for (Hold each : held) {
                assertThat(each.settle("tokens", 50).toCompletableFuture().join())
                        .isEqualTo(Settlement.DONE);
            }
            assertThat(reserve(100, one, two)).hasSize(5);
        }
    }

    @Test
    void aHoldWhoseCallerWasGoneIsReleased() {
        try (Weir weir = open(PATIENT, tokens(Consistency.EXACT))) {
            redis.cli("CLIENT", "PAUSE", "200");
            CompletableFuture<Hold> gone =
                    weir.reserveAsync(estimate(400), Hold.DEFAULT_TTL).toCompletableFuture();
            assertThat(gone.cancel(false)).isTrue();
            await().untilAsserted(() -> assertThat(left(weir)).containsExactly(1_000L));
            assertThat(redis.commandCalls().get("evalsha"))
                    .as("reserved and released")
                    .isPositive();
        }
    }

    /** Each store and this process settle their part of a hold once, however often it is settled. */
    @Test
    void settlingAgainChargesOnlyTheStoresThatDidNotAnswer() {
        RuleSet rules = RuleSet.builder("llm")
                .rule("here", Limit.fixedWindow(1_000, LONG))
                .counts("tokens")
                .consistency(Consistency.LOCAL)
                .rule("first", Limit.fixedWindow(1_000, LONG))
                .counts("tokens")
                .keyBy("user")
                .rule("second", Limit.fixedWindow(1_000, LONG))
                .counts("tokens")
                .keyBy("user")
                .store("other")
                .build();
        try (Weir weir = open(Duration.ofMillis(500), rules)) {
            Hold more = weir.reserve(estimate(100));
            Hold less = weir.reserve(estimate(100));
            assertThat(left(weir)).containsExactly(800L, 800L, 800L);
            other.pause();
            try {
                assertThat(settled(more, 150)).isEqualTo(Settlement.UNANSWERED);
                assertThat(settled(less, 10)).isEqualTo(Settlement.UNANSWERED);
            } finally {
                other.resume();
            }
            await().until(() -> settled(more, 150) == Settlement.DONE);
            await().until(() -> settled(less, 10) == Settlement.DONE);
            assertThat(settled(more, 150)).isEqualTo(Settlement.BEFORE);
            assertThat(left(weir)).containsExactly(840L, 840L, 840L);
        }
    }

    private static Settlement settled(Hold hold, long tokens) {
        return hold.settle("tokens", tokens).toCompletableFuture().join();
    }

    @Test
    void whoReservesOnAnEventLoopIsToldToDoSoAsynchronously() {
        try (Weir weir = open(Duration.ofMillis(500), tokens(Consistency.EXACT))) {
            redis.pause(); // so that the answer comes after this thread has said what to do with it
            CompletableFuture<Hold> nested = weir.reserveAsync(estimate(1), Hold.DEFAULT_TTL)
                    .thenApply(first -> weir.reserve(estimate(1)))
                    .toCompletableFuture();
            assertThatThrownBy(nested::join)
                    .hasRootCauseInstanceOf(IllegalStateException.class)
                    .rootCause()
                    .hasMessageContaining("expected: reserveAsync");
            redis.resume();
        }
    }
}
