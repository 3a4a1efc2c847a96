package dev.weir.internal.batching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What asks hold is bounded in memory, whichever connection they wait for. */
class AskMemoryTest extends ManualBatcher {
    private static final int CHECKS = 160;

    @Test
    void asksWithManyChecksAreBoundedByTheirMemoryAndNotOnlyByTheirNumber() {
        List<RecordingAsk> asks = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            asks.add(large(lane));
        }
        long fit = ROOM / (AskMemory.OF_ASK + CHECKS * AskMemory.OF_CHECK);
        assertThat(fit).isEqualTo(2);
        assertThat(asks)
                .filteredOn(each -> each.failure() == StoreFailure.OVERLOADED)
                .hasSize(10 - (int) fit);
        assertThat(memory.reserved()).isLessThanOrEqualTo(ROOM);
        loop.turn();
        loop.pass(20 * MILLI);
        assertThat(asks).allMatch(each -> each.answers == 1);
        assertThat(lane.waiting()).isZero();
        assertThat(memory.reserved()).isLessThanOrEqualTo(2 * memory.step());
        assertThat(large(lane).answers).isZero();
    }

    @Test
    void allConnectionsShareOneBudget() {
        ManualTransport others = new ManualTransport();
        Batcher other = new Batcher(loop, others, MOST, memory);
        List<RecordingAsk> asks = List.of(large(lane), large(other));
        assertThat(asks).allMatch(each -> each.answers == 0);
        RecordingAsk refused = large(other);
        assertThat(refused.failure()).isEqualTo(StoreFailure.OVERLOADED);
        loop.turn();
        answer(carrier.last().get(0));
        assertThat(asks.get(0).answers).isOne();
        assertThat(large(other).answers).as("there is room again").isZero();
    }

    /** An ask that moves is charged where it goes, and nowhere else. */
    @Test
    void anAskThatMovesToAnotherConnectionIsChargedOnce() {
        Batcher other = new Batcher(loop, new ManualTransport(), MOST, memory);
        RecordingAsk moves = large(lane);
        loop.turn();
        lane.redirected(carrier.last().get(0), false, each -> other);
        assertThat(lane.waiting()).isZero();
        assertThat(other.waiting()).isOne();
        loop.pass(20 * MILLI);
        assertThat(moves.failure()).isEqualTo(StoreFailure.TIMEOUT);
        assertThat(memory.reserved()).isLessThanOrEqualTo(4 * memory.step());
    }

    private RecordingAsk large(Batcher to) {
        RecordingAsk ask = new RecordingAsk();
        for (int key = 0; key < CHECKS; key++) {
            ask.on(key, 1);
        }
        ask.deadlineNanos = loop.nanos() + 10 * MILLI;
        ask.patienceNanos = 10 * MILLI;
        send(ask, 0, to);
        return ask;
    }
}
