package dev.weir.internal.batching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreFailure;
import dev.weir.internal.batching.ManualTransport.HandCall;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When the next round goes although the last is out, and what the rounds say of the store. */
class BatcherInFlightTest extends ManualBatcher {
    private static final int MOST_ROUNDS = 16;

    /** Else who comes while a round is out would wait for two. */
    @Test
    void aSlowBatchIsOvertaken() {
        RecordingAsk first = ask(1);
        loop.turn();
        RecordingAsk second = ask(2);
        loop.pass(2 * MILLI);
        assertThat(carrier.rounds).hasSize(1);
        loop.pass(MILLI);
        assertThat(carrier.last().get(0).keys()).containsExactly(2L);
        RecordingAsk third = ask(3);
        loop.turn();
        assertThat(carrier.rounds).as("the second is not late yet").hasSize(2);
        answer(carrier.rounds.get(0).get(0));
        assertThat(first.allowed()).isTrue();
        assertThat(carrier.rounds).as("and still out").hasSize(2);
        answer(carrier.last().get(0));
        assertThat(second.allowed()).isTrue();
        answer(carrier.last().get(0));
        assertThat(third.allowed()).isTrue();
        assertThat(lane.waiting()).isZero();
    }

    @Test
    void anAskThatArrivesWhenABatchIsOverdueIsSentAtOnce() {
        ask(1);
        loop.turn();
        loop.pass(5 * MILLI);
        ask(2);
        loop.turn();
        assertThat(carrier.last().get(0).keys()).containsExactly(2L);
    }

    @Test
    void onePauseOfTheStoreIsOneFailureHoweverManyBatchesMeetIt() {
        for (int i = 0; i < 9; i++) {
            ask(i);
            loop.turn();
            loop.pass(3 * MILLI);
        }
        assertThat(carrier.rounds).hasSize(9);
        assertThat(carrier.failed).as("in 27 ms, with 10 ms to wait").isEqualTo(2);
        List.copyOf(carrier.rounds).forEach(round -> {
            if (round.get(0).isAbandoned()) {
                lane.late(round.get(0));
            } else {
                answer(round.get(0));
            }
        });
        assertThat(carrier.failed).isEqualTo(2);
        assertThat(carrier.succeeded).isEqualTo(1);
    }

    @Test
    void aLongDeadlineDoesNotHideASilentStoreFromShortOnes() {
        ask(1, 0, 1_000 * MILLI);
        for (int i = 0; i < 20; i++) {
            loop.turn();
            loop.pass(5 * MILLI);
            ask(i);
        }
        assertThat(carrier.failed).as("in 100 ms").isBetween(5, 10);
    }

    @Test
    void theMomentToOvertakeIsNotMissedDuringACallback() {
        RecordingAsk hurried = new RecordingAsk() {
            @Override
            public void answered() {
                loop.sleep(3 * MILLI);
            }
        };
        hurried.on(1, 1);
        ask(hurried, 0, MILLI);
        ask(2, 0, 100 * MILLI);
        loop.turn();
        loop.pass(4 * MILLI + MILLI / 4);
        ask(3, 0, 150 * MILLI);
        loop.turn();
        loop.pass(MILLI);
        assertThat(carrier.last().get(0).keys()).containsExactly(3L);
    }

    @Test
    void aBatchWithOneCallAnsweredAfterAPauseIsStillOvertaken() {
        ask(1, 1, 100 * MILLI);
        ask(2, 2, 100 * MILLI);
        loop.turn();
        loop.sleep(6 * MILLI);
        answer(carrier.last().get(0));
        ask(3, 1, 100 * MILLI);
        loop.turn();
        assertThat(carrier.last().get(0).keys()).containsExactly(3L);
    }

    /** A call that is done may carry others by then. */
    @Test
    void aBatchDoesNotWaitForTheNextAsksOfItsFinishedCalls() {
        ask(1, 1, 100 * MILLI);
        ask(2, 2, 10 * MILLI);
        loop.turn();
        HandCall first = carrier.last().get(0);
        HandCall second = carrier.last().get(1);
        answer(first);
        ask(3, 1, 100 * MILLI);
        loop.turn();
        loop.pass(3 * MILLI);
        first.groups.clear();
        first.groups.add(carrier.last().get(0).groups.get(0));
        loop.pass(8 * MILLI);
        assertThat(second.isAbandoned()).isTrue();
        assertThat(carrier.failed).isEqualTo(1);
    }

    @Test
    void batchesInFlightAreBounded() {
        for (int i = 0; i < MOST_ROUNDS + 5; i++) {
            ask(i, 0, 500 * MILLI);
            loop.turn();
            loop.pass(3 * MILLI);
        }
        assertThat(carrier.rounds).hasSize(MOST_ROUNDS);
        answer(carrier.rounds.get(0).get(0));
        assertThat(carrier.rounds).hasSize(MOST_ROUNDS + 1);
        assertThat(carrier.last().get(0).keys()).containsExactly(16L, 17L, 18L);
    }

    /** Else one caller in a hurry would open the breaker for everybody. */
    @Test
    void aDeadlineShorterThanARoundTripIsNoFailureOfTheStore() {
        for (int i = 0; i < 100; i++) {
            RecordingAsk hurried = ask(i, 0, MILLI);
            loop.turn();
            loop.pass(2 * MILLI);
            assertThat(hurried.failure()).isEqualTo(StoreFailure.TIMEOUT);
            lane.late(carrier.last().get(0));
        }
        assertThat(carrier.failed).isZero();
        assertThat(carrier.succeeded).isEqualTo(100);
    }

    @Test
    void aSilentStoreFailsHoweverShortTheDeadlinesAre() {
        for (int i = 0; i < 16; i++) {
            ask(i, 0, MILLI);
            loop.turn();
            loop.pass(MILLI);
        }
        assertThat(carrier.rounds).hasSize(16);
        assertThat(carrier.failed).as("in 16 ms, with 10 ms to wait").isEqualTo(1);
        carrier.rounds.forEach(round -> lane.lost(round.get(0)));
        assertThat(carrier.failed).isEqualTo(2);
        assertThat(carrier.succeeded).isZero();
    }

    @Test
    void abandonedBatchesAreBoundedToo() {
        for (int i = 0; i < MOST_ROUNDS; i++) {
            ask(i);
            loop.turn();
            loop.pass(11 * MILLI);
        }
        assertThat(carrier.rounds).hasSize(MOST_ROUNDS);
        int failed = carrier.failed;
        for (int i = 0; i < 5; i++) {
            ask(100 + i);
            loop.turn();
            loop.pass(2 * MILLI);
        }
        loop.pass(10 * MILLI);
        assertThat(carrier.failed - failed)
                .as("in 20 ms, with 10 ms to wait, however many come")
                .isEqualTo(1);
        RecordingAsk waits = ask(200);
        loop.turn();
        assertThat(carrier.rounds).hasSize(MOST_ROUNDS);
        lane.late(carrier.rounds.get(0).get(0));
        assertThat(carrier.rounds).hasSize(MOST_ROUNDS + 1);
        answer(carrier.last().get(0));
        assertThat(waits.allowed()).isTrue();
    }

    /** It was sent by a lane that rested, for nobody had come since. */
    @Test
    void aRetriedBatchIsOvertakenLikeAnyOther() {
        ask(1, 0, 12 * MILLI);
        RecordingAsk hasty = ask(2, 0, 4 * MILLI);
        loop.turn();
        loop.pass(3 * MILLI);
        lane.expired(carrier.last().get(0));
        loop.turn();
        assertThat(carrier.rounds).hasSize(2);
        loop.pass(3 * MILLI / 2);
        assertThat(hasty.answers).isEqualTo(1);
        ask(3);
        loop.turn();
        RecordingAsk last = ask(4);
        loop.pass(3 * MILLI / 2);
        assertThat(carrier.rounds).hasSize(3);
        loop.pass(9 * MILLI);
        assertThat(last.failure()).as("nobody was late").isEqualTo(StoreFailure.TIMEOUT);
    }

    @Test
    void aRetryDoesNotWaitForTheOtherCallsOfItsBatch() {
        ask(1, 1, 100 * MILLI);
        ask(2, 2, 100 * MILLI);
        loop.turn();
        loop.pass(5 * MILLI);
        lane.expired(carrier.last().get(0));
        loop.turn();
        assertThat(carrier.rounds).hasSize(2);
    }

    @Test
    void aSilentStoreIsReportedEvenWhileAnAskHasTimeToWait() {
        ask(1, 0, 1_000 * MILLI);
        loop.turn();
        for (int i = 0; i < 20; i++) {
            loop.pass(3 * MILLI);
            ask(10 + i);
            loop.turn();
        }
        loop.pass(12 * MILLI);
        assertThat(carrier.rounds).as("as many as may be out").hasSize(16);
        int before = carrier.failed;
        for (int i = 0; i < 50; i++) {
            ask(100 + i);
            loop.turn();
            loop.pass(10 * MILLI);
        }
        assertThat(carrier.failed - before).isBetween(40, 51);
    }

    @Test
    void anAskHeldByASlowStoreGetsNoExtension() {
        for (int i = 0; i < 16; i++) {
            ask(i);
            loop.turn();
            loop.pass(11 * MILLI);
        }
        RecordingAsk held = ask(200);
        loop.turn();
        loop.pass(9 * MILLI);
        loop.arrived(() -> lane.late(carrier.rounds.get(0).get(0)));
        loop.pass(2 * MILLI);
        assertThat(held.failure()).isEqualTo(StoreFailure.TIMEOUT);
    }
}
