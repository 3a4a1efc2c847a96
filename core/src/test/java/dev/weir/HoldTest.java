package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Hold.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Holds of the library, on counters in memory. */
class HoldTest {
    private static final long START = 1_700_000_000_000_000L;

    private final AtomicLong now = new AtomicLong(START);
    private final List<Decision> decisions = new ArrayList<>();
    private final Weir weir = Weir.builder(RuleSet.builder("llm")
                    .rule("tokens", Limit.tokenBucket(1_000, Duration.ofDays(100)))
                    .counts("tokens")
                    .keyBy("user")
                    .rule("calls", Limit.tokenBucket(10, Duration.ofDays(100)))
                    .keyBy("user")
                    .build())
            .time(now::get)
            .observer(new WeirObserver() {
                @Override
                public void decided(Request request, Decision decision) {
                    decisions.add(decision);
                }
            })
            .open();

    @AfterEach
    void close() {
        weir.close();
    }

    private static Request estimate(long tokens) {
        return Request.to("llm").with("user", "u").hits("tokens", tokens);
    }

    /** The tokens and calls that are left. */
    private List<Long> left() {
        Request asking = estimate(0).hits(0);
        return weir.decide(asking).verdicts().stream().map(Verdict::remaining).toList();
    }

    private static Settlement settled(Hold hold, long tokens) {
        return hold.settle("tokens", tokens).toCompletableFuture().join();
    }

    @Test
    void settlingChargesTheTrueCostOnce() {
        try (Hold hold = weir.reserve(estimate(400))) {
            assertThat(hold.isHeld()).isTrue();
            assertThat(hold.expiresAt()).isEqualTo(Instant.ofEpochMilli(START / 1_000 + 60_000));
            assertThat(left()).containsExactly(600L, 9L);
            assertThat(settled(hold, 150)).isEqualTo(Settlement.DONE);
            assertThat(hold.isHeld()).isFalse();
            assertThat(settled(hold, 0)).isEqualTo(Settlement.BEFORE);
        }
        assertThat(left()).as("after close").containsExactly(850L, 9L);
    }

    @Test
    void settlingIsNoDecision() {
        Hold hold = weir.reserve(estimate(400));
        assertThat(decisions).hasSize(1);
        assertThat(settled(hold, 150)).isEqualTo(Settlement.DONE);
        assertThat(decisions).hasSize(1);
    }

    @Test
    void everyUnitIsSettledByItself() {
        Hold hold = weir.reserve(estimate(400).hits(5));
        assertThat(left()).containsExactly(600L, 5L);
        assertThat(hold.settle(Map.of("tokens", 500L, "requests", 2L))
                        .toCompletableFuture()
                        .join())
                .isEqualTo(Settlement.DONE);
        assertThat(left()).containsExactly(500L, 8L);
    }

    @Test
    void aCallThatThrowsReleasesItsHold() {
        assertThatThrownBy(() -> {
                    try (Hold hold = weir.reserve(estimate(400))) {
                        assertThat(hold.isHeld()).isTrue();
                        throw new IllegalStateException("the model is away");
                    }
                })
                .hasMessage("the model is away");
        assertThat(left()).containsExactly(1_000L, 10L);
    }

    @Test
    void aReleasedHoldIsNotSettledLater() {
        Hold hold = weir.reserve(estimate(400));
        hold.close();
        hold.close();
        assertThat(settled(hold, 300)).isEqualTo(Settlement.BEFORE);
        assertThat(left()).containsExactly(1_000L, 10L);
    }

    @Test
    void aCallThatEndsLaterSettlesOrReleasesItsHold() {
        CompletableFuture<String> good = new CompletableFuture<>();
        CompletableFuture<String> bad = new CompletableFuture<>();
        CompletableFuture<String> odd = new CompletableFuture<>();
        for (CompletableFuture<String> call : List.of(good, bad, odd)) {
            weir.reserveAsync(estimate(300), Hold.DEFAULT_TTL)
                    .thenCompose(hold -> hold.settleAfter(call, text -> Map.of("tokens", (long) text.indexOf('!'))));
        }
        assertThat(left()).containsExactly(100L, 7L);
        good.complete("twelve chars!");
        assertThat(left()).containsExactly(388L, 7L);
        bad.completeExceptionally(new IllegalStateException("the model is away"));
        assertThat(left()).containsExactly(688L, 8L);
        odd.complete("its cost is negative");
        assertThat(left()).containsExactly(988L, 9L);
    }

    @Test
    void aDeniedReserveHoldsNothing() {
        assertThat(settled(weir.reserve(estimate(700)), 700)).isEqualTo(Settlement.DONE);
        Hold hold = weir.reserve(estimate(301));
        assertThat(hold.decision().allowed()).isFalse();
        assertThat(hold.decision().ruleName()).isEqualTo("tokens");
        assertThat(hold.decision().counterName()).isEqualTo("user=u");
        assertThat(hold.isHeld()).isFalse();
        assertThat(hold.expiresAt()).isNull();
        assertThat(settled(hold, 5)).isEqualTo(Settlement.BEFORE);
        hold.close();
        assertThat(left()).containsExactly(300L, 9L);
    }

    @Test
    void anExpiredHoldStaysCharged() {
        Hold hold = weir.reserve(estimate(400), Duration.ofSeconds(2));
        now.addAndGet(2_000_000);
        assertThat(settled(hold, 0)).isEqualTo(Settlement.EXPIRED);
        hold.close();
        assertThat(left()).containsExactly(600L, 9L);
    }

    @Test
    void theTrueCostMayExceedEveryLimit() {
        assertThat(settled(weir.reserve(estimate(1)), Long.MAX_VALUE)).isEqualTo(Settlement.DONE);
        assertThat(weir.reserve(estimate(1)).isHeld()).isFalse();
    }

    @Test
    void refusesWhatCannotBeReservedOrSettled() {
        assertThatThrownBy(() -> weir.reserve(estimate(1), Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ttl: 0s (expected: 1ms to 10m)");
        assertThatThrownBy(() -> weir.reserve(estimate(1), Duration.ofMinutes(11)))
                .hasMessage("ttl: 11m (expected: 1ms to 10m)");
        assertThatThrownBy(() -> weir.reserve(estimate(-1)))
                .hasMessage("hits: negative (expected: >= 0; a hold is given back by settling it)");
        assertThatThrownBy(() -> weir.reserve(estimate(1).hits(-1)))
                .hasMessage("hits: negative (expected: >= 0; a hold is given back by settling it)");
        assertThatThrownBy(() -> weir.reserve(estimate(1).override(Limit.tokenBucket(1, Duration.ofSeconds(1)))))
                .hasMessage("override: not for reserve (expected: a limit of a rule)");
        Hold hold = weir.reserve(estimate(400));
        assertThatThrownBy(() -> hold.settle("tokens", -1)).hasMessage("tokens: -1 (expected: >= 0)");
        assertThat(hold.isHeld()).isTrue();
        hold.close();
        assertThat(left()).containsExactly(1_000L, 10L);
    }

    @Test
    void openHoldsAreBounded() {
        for (int i = 0; i < 100_000; i++) {
            var unused = weir.reserve(estimate(0).hits(0));
        }
        assertThatThrownBy(() -> weir.reserve(estimate(0)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("open holds: 100000 (expected: fewer");
        now.addAndGet(60_000_000);
        assertThat(weir.reserve(estimate(0)).isHeld()).as("they have expired").isTrue();
    }

    @Test
    void nothingIsReservedAfterTheEndAndHoldsStillClose() {
        Hold hold = weir.reserve(estimate(400));
        weir.close();
        hold.close();
        assertThatThrownBy(() -> weir.reserve(estimate(1))).isInstanceOf(IllegalStateException.class);
    }
}
