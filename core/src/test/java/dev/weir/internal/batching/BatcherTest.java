package dev.weir.internal.batching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreFailure;
import dev.weir.internal.batching.ManualTransport.HandCall;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** Which asks go together, and that everyone is told once and in time. */
class BatcherTest extends ManualBatcher {
    @Test
    void asksThatArriveDuringABatchShareTheNextOne() {
        RecordingAsk first = ask(1);
        loop.turn();
        RecordingAsk second = ask(2);
        RecordingAsk third = ask(3);
        loop.turn();
        assertThat(carrier.rounds).hasSize(1);
        answer(carrier.last().get(0));
        assertThat(first.allowed()).isTrue();
        assertThat(carrier.rounds).hasSize(2);
        assertThat(carrier.last()).hasSize(1);
        assertThat(carrier.last().get(0).keys()).containsExactly(2L, 3L);
        answer(carrier.last().get(0));
        assertThat(second.allowed()).isTrue();
        assertThat(third.allowed()).isTrue();
        assertThat(lane.waiting()).isZero();
        assertThat(carrier.succeeded).isEqualTo(2);
    }

    @Test
    void onlyTheFirstAskOfABatchWakesTheLoop() {
        ask(1);
        ask(2);
        ask(3);
        assertThat(loop.executed).isEqualTo(1);
    }

    @Test
    void aFullCallOrAnotherHashSlotAddsACallToTheBatch() {
        ask(1, 7, 10 * MILLI);
        ask(2, 8, 10 * MILLI);
        for (long key = 3; key <= 5; key++) {
            ask(key, 7, 10 * MILLI);
        }
        loop.turn();
        assertThat(carrier.rounds).hasSize(1);
        assertThat(carrier.last())
                .extracting(HandCall::keys)
                .containsExactly(List.of(1L, 3L, 4L), List.of(2L), List.of(5L));
        carrier.last().forEach(this::answer);
        assertThat(lane.waiting()).isZero();
    }

    @Test
    void anAskAtItsDeadlineTimesOutAndTheNextBatchIsSent() {
        RecordingAsk early = ask(1, 0, 5 * MILLI);
        loop.turn();
        RecordingAsk next = ask(2);
        loop.turn();
        loop.pass(4 * MILLI);
        assertThat(early.answers).isZero();
        loop.pass(2 * MILLI);
        assertThat(early.failure()).isEqualTo(StoreFailure.TIMEOUT);
        assertThat(carrier.failed).isEqualTo(1);
        assertThat(carrier.rounds).hasSize(2);
        HandCall late = carrier.rounds.get(0).get(0);
        assertThat(late.isAbandoned()).isTrue();
        lane.late(late);
        assertThat(late.done).isTrue();
        assertThat(early.answers).isEqualTo(1);
        answer(carrier.last().get(0));
        assertThat(next.allowed()).isTrue();
    }

    @Test
    void anAskThatLeavesABatchBelongsToItsOwnerAndTheBatchKeepsACopy() {
        RecordingAsk early = ask(1, 0, 5 * MILLI);
        RecordingAsk patient = ask(2, 0, 15 * MILLI);
        loop.turn();
        loop.pass(6 * MILLI);
        assertThat(early.failure()).isEqualTo(StoreFailure.TIMEOUT);
        early.checks.clear();
        early.on(3, 1);
        ask(early, 0, 20 * MILLI);
        loop.turn();
        HandCall call = carrier.rounds.get(0).get(0);
        assertThat(call.isAbandoned()).isFalse();
        assertThat(call.keys()).containsExactly(1L, 2L);
        assertThat(call.groups.get(0).get(0)).isNotSameAs(early.checks.get(0));
        answer(call);
        assertThat(patient.allowed()).isTrue();
        assertThat(early.answers).isEqualTo(1);
        assertThat(carrier.last().get(0).keys()).containsExactly(3L);
        answer(carrier.last().get(0));
        assertThat(early.answers).isEqualTo(2);
    }

    @Test
    void anExpiredAskIsRetriedFirstInTheNextBatchButNotForEver() {
        RecordingAsk asking = ask(1, 0, 100 * MILLI);
        loop.turn();
        ask(2, 0, 100 * MILLI);
        loop.turn();
        for (int again = 1; again < 8; again++) {
            lane.expired(carrier.last().get(0));
            assertThat(carrier.rounds).hasSize(1 + again);
            assertThat(carrier.last().get(0).keys()).containsExactly(1L, 2L);
            assertThat(asking.answers).isZero();
        }
        lane.expired(carrier.last().get(0));
        assertThat(asking.failure()).isEqualTo(StoreFailure.TIMEOUT);
        assertThat(carrier.last().get(0).keys()).containsExactly(2L);
    }

    /** The call of the other would charge nothing from then on. */
    @Test
    void anAskWithLittleTimeLeftSharesNoCallWithOnesThatHavePlenty() {
        ask(1);
        ask(2, 0, MILLI / 4);
        ask(3, 0, 12 * MILLI);
        loop.turn();
        assertThat(carrier.last()).extracting(HandCall::keys).containsExactly(List.of(1L, 3L), List.of(2L));
        assertThat(carrier.last().get(0).deadlineNanos()).isEqualTo(loop.nanos() + 10 * MILLI);
    }

    @Test
    void anAskPastItsDeadlineIsNotSent() {
        ask(1);
        loop.turn();
        RecordingAsk late = ask(2, 0, MILLI);
        RecordingAsk next = ask(3);
        loop.sleep(MILLI);
        answer(carrier.last().get(0));
        assertThat(late.failure()).isEqualTo(StoreFailure.TIMEOUT);
        assertThat(carrier.last().get(0).keys()).containsExactly(3L);
        answer(carrier.last().get(0));
        assertThat(next.allowed()).isTrue();
        assertThat(ask(4, 0, 0).answers).isZero();
        loop.turn();
        assertThat(carrier.rounds).hasSize(2);
        assertThat(lane.waiting()).isZero();
        assertThat(carrier.failed).isZero();
    }

    @Test
    void aCallbackThatThrowsDoesNotStopTheOthers() {
        RecordingAsk bad = new RecordingAsk() {
            @Override
            public void answered() {
                throw new IllegalStateException("not told twice");
            }
        };
        bad.on(1, 1);
        ask(bad, 0, 10 * MILLI);
        RecordingAsk good = ask(2);
        loop.turn();
        List<Throwable> thrown = new ArrayList<>();
        Thread here = Thread.currentThread();
        here.setUncaughtExceptionHandler((thread, each) -> thrown.add(each));
        try {
            answer(carrier.last().get(0));
        } finally {
            here.setUncaughtExceptionHandler(null);
        }
        assertThat(good.allowed()).isTrue();
        assertThat(thrown).singleElement().isInstanceOf(IllegalStateException.class);
        assertThat(lane.waiting()).isZero();
    }

    @Test
    void asksOfADividedCallGoAloneInTheirOrder() {
        ask(1);
        ask(2);
        loop.turn();
        lane.divided(carrier.last().get(0));
        assertThat(carrier.last()).extracting(HandCall::keys).containsExactly(List.of(1L), List.of(2L));
    }

    @Test
    void anAskThatGoesAloneSharesItsCallWithNone() {
        ask(1);
        loop.turn();
        ask(2);
        ask(3);
        lane.divided(carrier.last().get(0));
        assertThat(carrier.last()).extracting(HandCall::keys).containsExactly(List.of(1L), List.of(2L, 3L));
    }

    @Test
    void aRedirectedAskGoesToTheOtherBatcher() {
        ManualTransport others = new ManualTransport();
        Batcher other = new Batcher(loop, others, MOST, AskMemory.unbounded());
        RecordingAsk asking = ask(1);
        loop.turn();
        lane.redirected(carrier.last().get(0), true, pending -> other);
        loop.turn();
        assertThat(lane.waiting()).isZero();
        assertThat(others.last().get(0).asking).isTrue();
        others.last().get(0).groups.get(0).get(0).outcome.allowed = true;
        other.decided(others.last().get(0));
        assertThat(asking.allowed()).isTrue();
    }

    @Test
    void aFailedCallFailsAllItsAsks() {
        RecordingAsk first = ask(1);
        RecordingAsk second = ask(2);
        loop.turn();
        lane.failed(carrier.last().get(0), StoreFailure.UNAVAILABLE);
        assertThat(first.failure()).isEqualTo(StoreFailure.UNAVAILABLE);
        assertThat(second.failure()).isEqualTo(StoreFailure.UNAVAILABLE);
        assertThat(carrier.failed).isEqualTo(1);
        assertThat(carrier.unanswered).hasSize(2);
    }

    @Test
    void whileTheTransportIsDownAsksFailAtOnce() {
        ask(1);
        loop.turn();
        RecordingAsk waits = ask(2);
        carrier.down = StoreFailure.UNREACHABLE;
        lane.down();
        lane.failed(carrier.last().get(0), StoreFailure.UNREACHABLE);
        assertThat(waits.failure()).isEqualTo(StoreFailure.UNREACHABLE);
        assertThat(ask(3).failure()).isEqualTo(StoreFailure.UNREACHABLE);
    }

    @Test
    void asksWaitForTheFirstConnection() {
        carrier.fresh = true;
        carrier.down = StoreFailure.UNREACHABLE;
        ask(1);
        loop.turn();
        assertThat(carrier.rounds).isEmpty();
        carrier.fresh = false;
        carrier.down = null;
        lane.up();
        assertThat(carrier.last().get(0).keys()).containsExactly(1L);
    }

    @Test
    void waitingAsksAreNotSentOnceTheBreakerIsOpen() {
        ask(1);
        loop.turn();
        RecordingAsk waits = ask(2);
        carrier.open = true;
        answer(carrier.last().get(0));
        assertThat(waits.failure()).isEqualTo(StoreFailure.OPEN);
        assertThat(carrier.rounds).hasSize(1);
    }

    @Test
    void asksBeyondTheBoundAreRefusedAtOnce() {
        List<RecordingAsk> all = new ArrayList<>();
        for (int i = 0; i <= MOST; i++) {
            all.add(ask(i));
        }
        assertThat(all.get(MOST).failure()).isEqualTo(StoreFailure.OVERLOADED);
        assertThat(all.get(MOST - 1).answers).isZero();
    }

    /** Else the first of them would go alone, and the others a round later. */
    @Test
    void asksMadeInCallbacksShareABatch() {
        List<Runnable> told = new ArrayList<>();
        Executor home = told::add; // one for both, so that they are told together
        List<Integer> rung = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            RecordingAsk again = new RecordingAsk() {
                @Override
                public void answered() {
                    ask(10 + checks.get(0).key0);
                    rung.add(loop.executed);
                }
            };
            again.home = home;
            again.on(i, 1);
            ask(again, 0, 10 * MILLI);
        }
        loop.turn();
        answer(carrier.last().get(0));
        int before = loop.executed;
        told.forEach(Runnable::run);
        assertThat(rung).containsExactly(before, before);
        assertThat(loop.executed).isEqualTo(before + 1);
        loop.turn();
        assertThat(carrier.last().get(0).keys()).containsExactly(10L, 11L);
    }
}
