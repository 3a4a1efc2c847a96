package dev.weir.internal.batching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreFailure;
import dev.weir.internal.store.DeadlineExtension;
import org.junit.jupiter.api.Test;

/** Which deadlines are extended after this process was stalled, and which are not. */
class BatcherPausesTest extends ManualBatcher {
    @Test
    void afterAPauseRepliesAreReadBeforeDeadlinesAreEnforced() {
        RecordingAsk asking = ask(1);
        loop.turn();
        loop.stop(50 * MILLI);
        assertThat(asking.answers).isZero();
        answer(carrier.last().get(0));
        assertThat(asking.allowed()).isTrue();
        assertThat(carrier.tookNanos)
                .as("that we were paused does not speak against the store")
                .isLessThan(3 * MILLI);
        loop.pass(20 * MILLI);
        assertThat(asking.answers).isEqualTo(1);
    }

    @Test
    void aReplyThatIsThereWhenItsDeadlineComesIsReadFirst() {
        RecordingAsk asking = ask(1);
        loop.turn();
        loop.pass(9 * MILLI);
        loop.arrived(() -> answer(carrier.last().get(0)));
        loop.pass(2 * MILLI);
        assertThat(asking.allowed()).isTrue();
    }

    @Test
    void afterAPauseWithoutAReplyTheDeadlineHolds() {
        RecordingAsk asking = ask(1);
        loop.turn();
        loop.stop(50 * MILLI);
        loop.pass(20 * MILLI);
        assertThat(asking.failure()).isEqualTo(StoreFailure.TIMEOUT);
    }

    @Test
    void anAskThatWaitsDuringAPauseIsStillSent() {
        ask(1);
        loop.turn();
        RecordingAsk next = ask(2);
        loop.sleep(30 * MILLI);
        answer(carrier.last().get(0));
        assertThat(carrier.last().get(0).keys()).containsExactly(2L);
        loop.pass(5 * MILLI);
        answer(carrier.last().get(0));
        assertThat(next.allowed()).isTrue();
    }

    /** A loop that answers fifty callers does not look at who comes meanwhile. */
    @Test
    void callbacksOfOthersAreNotChargedAgainstTheDeadline() {
        RecordingAsk comes = new RecordingAsk();
        comes.on(2, 1);
        RecordingAsk told = new RecordingAsk() {
            @Override
            public void answered() {
                ask(comes, 0, 10 * MILLI);
                loop.sleep(30 * MILLI);
            }
        };
        told.on(1, 1);
        ask(told, 0, 10 * MILLI);
        loop.turn();
        answer(carrier.last().get(0));
        assertThat(carrier.last().get(0).keys()).containsExactly(2L);
        answer(carrier.last().get(0));
        assertThat(comes.allowed()).isTrue();
    }

    @Test
    void aLoopThatIsAlwaysLateStillEnforcesDeadlines() {
        RecordingAsk asking = ask(1);
        loop.turn();
        for (int i = 0; i < 50; i++) {
            loop.stop(3 * MILLI);
        }
        assertThat(asking.failure()).isEqualTo(StoreFailure.TIMEOUT);
    }

    @Test
    void anAskAtTheEndOfAPauseIsNotExtendedByAllOfIt() {
        ask(1, 0, 200 * MILLI);
        loop.sleep(90 * MILLI);
        RecordingAsk fresh = ask(2);
        loop.turn();
        loop.pass(11 * MILLI);
        assertThat(fresh.failure()).isEqualTo(StoreFailure.TIMEOUT);
    }

    /** Hits that are given back must arrive before their window ends. */
    @Test
    void anAskWithoutGraceIsNotSentAfterItsDeadline() {
        ask(1);
        loop.turn();
        RecordingAsk returning = new RecordingAsk();
        returning.on(2, -1);
        returning.deadlineNanos = loop.nanos() + 10 * MILLI;
        send(returning, 0, lane);
        loop.sleep(50 * MILLI);
        answer(carrier.last().get(0));
        loop.turn();
        assertThat(carrier.rounds).hasSize(1);
        assertThat(returning.failure()).isEqualTo(StoreFailure.TIMEOUT);
    }

    @Test
    void aCallThatExpiredBecauseOfAPauseIsRetried() {
        RecordingAsk asking = ask(1);
        loop.turn();
        loop.sleep(30 * MILLI);
        lane.expired(carrier.last().get(0));
        loop.turn();
        answer(carrier.last().get(0));
        assertThat(carrier.rounds).hasSize(2);
        assertThat(asking.allowed()).isTrue();
    }

    @Test
    void anExpiredCallIsRetriedIfItsReplyBeatsTheTimer() {
        RecordingAsk asking = ask(1);
        RecordingAsk hasty = new RecordingAsk();
        hasty.on(2, 1);
        hasty.deadlineNanos = loop.nanos() + 10 * MILLI;
        send(hasty, 0, lane);
        loop.turn();
        loop.sleep(11 * MILLI);
        lane.expired(carrier.last().get(0));
        loop.turn();
        assertThat(hasty.failure()).as("who has given up by now").isEqualTo(StoreFailure.TIMEOUT);
        loop.pass(4 * MILLI);
        answer(carrier.last().get(0));
        assertThat(asking.allowed()).isTrue();
    }

    @Test
    void aStoreThatIsAlwaysTooLateIsNotAskedForEver() {
        RecordingAsk asking = ask(1);
        loop.turn();
        long from = loop.nanos();
        while (asking.answers == 0) {
            loop.sleep(11 * MILLI);
            lane.expired(carrier.last().get(0));
            loop.turn();
        }
        assertThat(asking.failure()).isEqualTo(StoreFailure.TIMEOUT);
        assertThat(loop.nanos() - from).isLessThan(120 * MILLI);
    }

    @Test
    void aPauseExtendsNoAskThatIsAnsweredAlready() {
        ManualTransport others = new ManualTransport();
        Batcher other = new Batcher(loop, others, MOST, AskMemory.unbounded());
        RecordingAsk again = new RecordingAsk() {
            @Override
            public void answered() {
                answers++;
                if (answers == 1) {
                    deadlineNanos = loop.nanos() + 10 * MILLI;
                    patienceNanos = 10 * MILLI;
                    graceNanos = DeadlineExtension.MOST_NANOS;
                    send(this, 0, other);
                }
            }
        };
        again.on(1, 1);
        ask(again, 0, 40 * MILLI);
        loop.turn();
        loop.sleep(30 * MILLI);
        carrier.down = StoreFailure.UNAVAILABLE;
        lane.failed(carrier.last().get(0), StoreFailure.UNAVAILABLE, lane::down);
        loop.turn();
        assertThat(others.last().get(0).deadlineNanos()).isEqualTo(loop.nanos() + 10 * MILLI);
    }

    @Test
    void waitingForTheFirstConnectionIsNoPause() {
        carrier.fresh = true;
        ask(1);
        loop.turn();
        loop.pass(9 * MILLI);
        RecordingAsk second = ask(2);
        loop.turn();
        loop.pass(11 * MILLI);
        assertThat(second.failure()).isEqualTo(StoreFailure.TIMEOUT);
    }

    @Test
    void aSlowStoreGetsNoExtension() {
        ask(1, 0, 500 * MILLI);
        loop.turn();
        loop.pass(MILLI);
        RecordingAsk second = ask(2);
        loop.turn();
        loop.pass(9 * MILLI);
        assertThat(second.answers).isZero();
        loop.pass(2 * MILLI);
        assertThat(second.failure()).isEqualTo(StoreFailure.TIMEOUT);
    }

    @Test
    void anAskAfterAPauseIsNotExtendedByTheTimeTheLoopReads() {
        ask(1, 0, 100 * MILLI);
        loop.turn();
        loop.stop(30 * MILLI);
        loop.pass(MILLI);
        RecordingAsk fresh = ask(2);
        loop.turn();
        loop.pass(11 * MILLI);
        assertThat(fresh.failure()).isEqualTo(StoreFailure.TIMEOUT);
    }

    @Test
    void theTimeTheLoopReadsIsNoEvidenceForTheStore() {
        ask(1, 0, 100 * MILLI);
        loop.turn();
        loop.stop(30 * MILLI);
        answer(carrier.last().get(0));
        ask(2, 0, 100 * MILLI);
        loop.turn();
        loop.pass(9 * MILLI);
        answer(carrier.last().get(0));
        assertThat(carrier.tookNanos).isEqualTo(9 * MILLI);
    }

    @Test
    void aPauseIsNoFailureOfTheStoreForAbandonedBatches() {
        ask(1, 0, MILLI);
        loop.turn();
        loop.pass(2 * MILLI);
        ask(2, 0, 100 * MILLI);
        loop.turn();
        loop.sleep(50 * MILLI);
        lane.late(carrier.rounds.get(0).get(0));
        assertThat(carrier.succeeded).isEqualTo(1);
        assertThat(carrier.tookNanos).isLessThan(10 * MILLI);
    }

    @Test
    void noDeadlineIsExtendedBeyondItsCallers() {
        RecordingAsk asking = new RecordingAsk();
        asking.on(1, 1);
        asking.deadlineNanos = loop.nanos() + 10 * MILLI;
        asking.patienceNanos = 10 * MILLI;
        asking.graceNanos = 5 * MILLI;
        send(asking, 0, lane);
        loop.turn();
        loop.stop(30 * MILLI);
        lane.expired(carrier.last().get(0));
        loop.turn();
        assertThat(carrier.rounds).hasSize(1);
        assertThat(asking.failure()).isEqualTo(StoreFailure.TIMEOUT);
    }

    @Test
    void aStoreOnTheSameMachineMayBeStalledToo() {
        RecordingAsk asking = ask(1);
        loop.turn();
        loop.stop(15 * MILLI);
        loop.pass(14 * MILLI);
        assertThat(asking.answers).isZero();
        answer(carrier.last().get(0));
        assertThat(asking.allowed()).isTrue();
    }

    @Test
    void anAskWithoutGraceTimesOutAtOnceAfterAPause() {
        ask(1, 0, 100 * MILLI);
        loop.turn();
        loop.stop(30 * MILLI);
        RecordingAsk hasty = new RecordingAsk();
        hasty.on(2, 1);
        hasty.deadlineNanos = loop.nanos() + 3 * MILLI;
        send(hasty, 0, lane);
        loop.turn();
        loop.pass(4 * MILLI);
        assertThat(hasty.failure()).isEqualTo(StoreFailure.TIMEOUT);
    }
}
