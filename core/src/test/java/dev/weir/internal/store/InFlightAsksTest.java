package dev.weir.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

class InFlightAsksTest {
    private final InFlightAsks asks = new InFlightAsks();

    @Test
    void theFutureCompletesWhenAllWereSentAndAnswered() {
        asks.sent();
        var first = asks.noneAfter(asks::answered).toCompletableFuture();
        assertThat(first).as("the one before was answered meanwhile").isDone();
        asks.sent();
        var second = asks.noneAfter(asks::sent).toCompletableFuture();
        var third = asks.noneAfter(() -> {}).toCompletableFuture();
        asks.answered();
        assertThat(second).isNotDone();
        assertThat(asks.areAwaited()).isTrue();
        asks.answered();
        assertThat(second).isDone();
        assertThat(third).isDone();
        assertThat(asks.areAwaited()).isFalse();
    }

    @Test
    void aWaiterIsNotForgottenWhenTheLastAnswerComesAtTheSameTime() throws Exception {
        CyclicBarrier together = new CyclicBarrier(2);
        for (int i = 0; i < 5_000; i++) {
            asks.sent();
            CompletableFuture<Void> answer = CompletableFuture.runAsync(() -> {
                await(together);
                asks.answered();
            });
            await(together);
            assertThat(asks.noneAfter(() -> {})).succeedsWithin(Duration.ofSeconds(10));
            answer.get();
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
