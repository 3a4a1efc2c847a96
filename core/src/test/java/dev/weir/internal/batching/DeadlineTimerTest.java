package dev.weir.internal.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreFailure;
import org.junit.jupiter.api.Test;

/** Tests that deadlines are kept after an error, such as memory that ran out for a moment. */
class DeadlineTimerTest extends ManualBatcher {

    @Test
    void afterAnErrorWhileItReportsADelayTheTimerFiresAndCanBeSetAgain() {
        int[] fired = new int[1];
        boolean[] broken = {true};
        DeadlineTimer timer = new DeadlineTimer(loop, () -> fired[0]++, late -> {
            if (broken[0]) {
                throw new OutOfMemoryError("for a moment");
            }
        });
        timer.atLatest(loop.nanos() + MILLI);
        assertThatThrownBy(() -> loop.stop(10 * MILLI)).isInstanceOf(OutOfMemoryError.class);
        broken[0] = false;
        loop.pass(MILLI);
        assertThat(fired[0]).isEqualTo(1);
        timer.atLatest(loop.nanos() + MILLI);
        loop.pass(2 * MILLI);
        assertThat(fired[0]).isEqualTo(2);
    }

    @Test
    void afterAnErrorWhileABatchIsSentItsAsksStillTimeOut() {
        ask(1, 0, 5 * MILLI);
        loop.turn();
        RecordingAsk other = ask(2, 0, 8 * MILLI);
        loop.turn();
        carrier.broken = new OutOfMemoryError("for a moment");
        assertThatThrownBy(() -> loop.pass(6 * MILLI)).isSameAs(carrier.broken);
        carrier.broken = null;
        loop.pass(10 * MILLI);
        assertThat(other.answers).isEqualTo(1);
        assertThat(other.failure()).isEqualTo(StoreFailure.TIMEOUT);
    }
}
