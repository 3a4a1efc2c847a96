package dev.weir.coalesce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.coalesce.HandCarrier.HandCall;
import dev.weir.store.Check;
import dev.weir.store.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** Which rounds go when, and that everyone is told once and in time. */
class LaneTest {
    private static final long MILLI = 1_000_000;
    private static final int MOST = 100;

    private final HandLoop loop = new HandLoop();
    private final HandCarrier carrier = new HandCarrier();
    private final Lane lane = new Lane(loop, carrier, MOST);

    private Asking ask(long key) {
        return ask(key, 0, 10 * MILLI);
    }

    private Asking ask(long key, int slot, long within) {
        Asking asking = new Asking();
        asking.on(key, 1);
        ask(asking, slot, within);
        return asking;
    }

    private void ask(Asking asking, int slot, long within) {
        asking.deadlineNanos = loop.nanos() + within;
        new Dispatch(new Way() {
                    @Override
                    public int slot(Check check) {
                        return slot;
                    }

                    @Override
                    public void send(Pending pending) {
                        lane.add(pending);
                    }

                    @Override
                    public void fail(Pending pending, StoreFailure failure) {
                        throw new AssertionError("nothing is in parts");
                    }

                    @Override
                    public long patienceNanos() {
                        throw new AssertionError("nothing is to be given back");
                    }

                    @Override
                    public void giveBack(Pending taken) {
                        throw new AssertionError("nothing is to be given back");
                    }

                    @Override
                    public long nanos() {
                        return loop.nanos();
                    }
                })
                .decide(asking);
    }

    private void answer(HandCall call) {
        for (Group each : call.groups) {
            each.get(0).outcome.allowed = true;
        }
        lane.decided(call);
        loop.turn();
    }

    @Test
    void whatArrivesDuringARoundGoesTogetherInTheNext() {
        Asking first = ask(1);
        loop.turn();
        Asking second = ask(2);
        Asking third = ask(3);
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
    void theLoopIsWokenForTheFirstOfARoundOnly() {
        ask(1);
        ask(2);
        ask(3);
        assertThat(loop.executed).isEqualTo(1);
    }

    @Test
    void whatIsFullOrOfAnotherSlotIsAnotherCallOfTheSameRound() {
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
    void whoReachesTheDeadlineIsToldSoAndTheNextRoundGoes() {
        Asking early = ask(1, 0, 5 * MILLI);
        loop.turn();
        Asking next = ask(2);
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
    void whatLeftARoundIsItsOwnersAgainAndTheRoundGoesOnWithACopy() {
        Asking early = ask(1, 0, 5 * MILLI);
        Asking patient = ask(2, 0, 20 * MILLI);
        loop.turn();
        loop.pass(6 * MILLI);
        assertThat(early.failure()).isEqualTo(StoreFailure.TIMEOUT);
        early.checks.clear();
        early.on(3, 1);
        ask(early, 0, 20 * MILLI);
        loop.turn();
        HandCall call = carrier.last().get(0);
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
    void afterAPauseOfOurOwnRepliesAreReadBeforeDeadlinesAreLookedAt() {
        Asking asking = ask(1);
        loop.turn();
        loop.stop(50 * MILLI);
        assertThat(asking.answers).isZero();
        answer(carrier.last().get(0));
        assertThat(asking.allowed()).isTrue();
        loop.pass(20 * MILLI);
        assertThat(asking.answers).isEqualTo(1);
    }

    @Test
    void afterAPauseWithoutAReplyTheDeadlineHolds() {
        Asking asking = ask(1);
        loop.turn();
        loop.stop(50 * MILLI);
        loop.pass(10 * MILLI);
        assertThat(asking.failure()).isEqualTo(StoreFailure.TIMEOUT);
    }

    @Test
    void whatCameTooLateGoesFirstInTheNextRoundButNotForEver() {
        Asking asking = ask(1, 0, 100 * MILLI);
        loop.turn();
        ask(2, 0, 100 * MILLI);
        loop.turn();
        lane.expired(carrier.last().get(0));
        assertThat(carrier.last().get(0).keys()).containsExactly(1L, 2L);
        lane.expired(carrier.last().get(0));
        assertThat(carrier.rounds).hasSize(3);
        assertThat(asking.answers).isZero();
        lane.expired(carrier.last().get(0));
        assertThat(asking.failure()).isEqualTo(StoreFailure.TIMEOUT);
        assertThat(carrier.last().get(0).keys()).containsExactly(2L);
    }

    @Test
    void whatIsDividedGoesAloneInTheOldOrder() {
        ask(1);
        ask(2);
        loop.turn();
        lane.divided(carrier.last().get(0));
        assertThat(carrier.last()).extracting(HandCall::keys).containsExactly(List.of(1L), List.of(2L));
    }

    @Test
    void whoGoesAloneIsJoinedByNobody() {
        ask(1);
        loop.turn();
        ask(2);
        ask(3);
        lane.divided(carrier.last().get(0));
        assertThat(carrier.last()).extracting(HandCall::keys).containsExactly(List.of(1L), List.of(2L, 3L));
    }

    @Test
    void whatIsRedirectedGoesByTheOtherLane() {
        HandCarrier others = new HandCarrier();
        Lane other = new Lane(loop, others, MOST);
        Asking asking = ask(1);
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
    void soManyRoundsThatNobodyWaitsForAreEnough() {
        for (int i = 0; i < 16; i++) {
            ask(i);
            loop.turn();
            loop.pass(11 * MILLI);
        }
        assertThat(carrier.rounds).hasSize(16);
        Asking waits = ask(17);
        loop.turn();
        assertThat(carrier.rounds).hasSize(16);
        lane.late(carrier.rounds.get(0).get(0));
        assertThat(carrier.rounds).hasSize(17);
        answer(carrier.last().get(0));
        assertThat(waits.allowed()).isTrue();
    }

    @Test
    void whatFailsFailsAllWhoAreInIt() {
        Asking first = ask(1);
        Asking second = ask(2);
        loop.turn();
        lane.failed(carrier.last().get(0), StoreFailure.UNAVAILABLE);
        assertThat(first.failure()).isEqualTo(StoreFailure.UNAVAILABLE);
        assertThat(second.failure()).isEqualTo(StoreFailure.UNAVAILABLE);
        assertThat(carrier.failed).isEqualTo(1);
        assertThat(carrier.unanswered).hasSize(2);
    }

    @Test
    void whileTheCarrierIsDownNobodyWaits() {
        ask(1);
        loop.turn();
        Asking waits = ask(2);
        carrier.down = StoreFailure.UNREACHABLE;
        lane.down();
        lane.failed(carrier.last().get(0), StoreFailure.UNREACHABLE);
        assertThat(waits.failure()).isEqualTo(StoreFailure.UNREACHABLE);
        assertThat(ask(3).failure()).isEqualTo(StoreFailure.UNREACHABLE);
    }

    @Test
    void theFirstConnectionIsWaitedFor() {
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
    void whatWaitsWhenTheBreakerOpensIsNotSent() {
        ask(1);
        loop.turn();
        Asking waits = ask(2);
        carrier.open = true;
        answer(carrier.last().get(0));
        assertThat(waits.failure()).isEqualTo(StoreFailure.OPEN);
        assertThat(carrier.rounds).hasSize(1);
    }

    @Test
    void moreThanMayWaitAreRefusedAtOnce() {
        List<Asking> all = new ArrayList<>();
        for (int i = 0; i <= MOST; i++) {
            all.add(ask(i));
        }
        assertThat(all.get(MOST).failure()).isEqualTo(StoreFailure.OVERLOADED);
        assertThat(all.get(MOST - 1).answers).isZero();
    }

    /** Else the first of them would go alone, and the others a round later. */
    @Test
    void whatIsAskedInAnswerToAnAnswerGoesTogether() {
        List<Runnable> told = new ArrayList<>();
        Executor home = told::add; // one for both, so that they are told together
        List<Integer> rung = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Asking again = new Asking() {
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
