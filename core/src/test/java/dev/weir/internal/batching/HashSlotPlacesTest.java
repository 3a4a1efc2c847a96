package dev.weir.internal.batching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.DeadlineExtension;
import dev.weir.internal.store.Idempotency;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** In which order slots are asked, which of them keeps the idempotency key, and what goes back. */
class HashSlotPlacesTest {
    private static final byte[] HASH = new byte[Idempotency.HASH];
    private static final long MILLI = 1_000_000;

    /** Answers every part at once: all is allowed but where a slot fails or denies. */
    private static final class Straight implements AskRouter {
        final List<String> sent = new ArrayList<>();
        final List<Long> givenBack = new ArrayList<>();
        final List<Integer> depths = new ArrayList<>();
        int failing = -1;
        int denying = -1;
        final List<QueuedAsk> underWay = new ArrayList<>();
        boolean holding;
        boolean knowing;
        long resetMicros;
        long tripNanos;
        long now;

        @Override
        public void send(QueuedAsk part) {
            depths.add(Thread.currentThread().getStackTrace().length);
            sent.add(part.slot
                    + (part.group.idempotency == null ? "" : part.group.lookOnly ? " looks" : " keeps")
                    + (part.group.askOnly ? " asks" : ""));
            part.group.allowed = part.slot != denying;
            part.group.repeated = knowing && part.group.idempotency != null;
            for (int i = 0; i < part.group.size(); i++) {
                part.group.get(i).outcome.allowed = part.slot != denying;
                part.group.get(i).outcome.reset = resetMicros;
            }
            now += tripNanos;
            if (part.slot == failing) {
                part.fail(StoreFailure.OPEN);
            }
            underWay.add(part);
            if (!holding) {
                answer();
            }
        }

        /** Tells all that were sent. */
        void answer() {
            List<QueuedAsk> back = List.copyOf(underWay);
            underWay.clear();
            back.forEach(QueuedAsk::answer);
        }

        @Override
        public void fail(QueuedAsk pending, StoreFailure failure) {
            pending.refuse(failure);
        }

        @Override
        public int slot(Check check) {
            return (int) check.key0;
        }

        @Override
        public long patienceNanos() {
            return 10 * MILLI;
        }

        @Override
        public long nanos() {
            return now;
        }

        @Override
        public void giveBack(QueuedAsk taken) {
            givenBack.add(taken.deadlineNanos);
        }
    }

    private final Straight way = new Straight();
    private final RecordingAsk asking = new RecordingAsk();

    /** Asks with a check in each of the {@code slots}. */
    private RecordingAsk ask(int... slots) {
        asking.deadlineNanos = 10 * MILLI;
        for (int slot : slots) {
            asking.on(slot, 1);
        }
        new AskDispatcher(way).decide(asking);
        return asking;
    }

    private RecordingAsk askOnce(boolean denied) {
        asking.idempotency = new Idempotency(HASH, HASH, HASH, 1, 1);
        asking.denied = denied;
        return ask(1, 2, 3, 2);
    }

    private void on(int slot, long requests) {
        asking.on(slot, 1).meter = Meters.of(Limit.fixedWindow(requests, Duration.ofDays(1)));
    }

    @Test
    void theTightestGoesFirstAndThenTheOthersAtOnce() {
        way.holding = true;
        on(1, 100);
        on(2, 1_000);
        on(3, 10);
        on(2, 5);
        asking.on(4, 1).role = Check.Role.SHADOW;
        ask();
        assertThat(way.sent).containsExactly("2");
        way.answer();
        assertThat(way.sent).containsExactly("2", "1", "3", "4");
        assertThat(asking.answers).isZero();
        way.answer();
        assertThat(asking.allowed()).isTrue();
        assertThat(way.givenBack).isEmpty();
    }

    @Test
    void whatTheTightestDeniesTakesNothingOfTheOthers() {
        way.denying = 3;
        on(1, 100);
        on(2, 100);
        on(3, 10);
        assertThat(ask().allowed()).isFalse();
        assertThat(way.sent).containsExactly("3", "1 asks", "2 asks");
        assertThat(way.givenBack).isEmpty();
    }

    @Test
    void whatAnotherDeniesGoesBackToAllWhoTook() {
        way.resetMicros = Duration.ofHours(1).toNanos() / 1_000;
        way.holding = true;
        way.denying = 2;
        on(1, 100);
        on(2, 100);
        on(3, 10);
        on(4, 100);
        ask();
        way.answer();
        way.answer();
        assertThat(asking.allowed()).isFalse();
        assertThat(way.sent).containsExactly("3", "1", "2", "4");
        assertThat(way.givenBack).hasSize(3);
    }

    @Test
    void thePartOfTheLastCheckGoesLastAndKeeps() {
        assertThat(askOnce(false).allowed()).isTrue();
        assertThat(way.sent).containsExactly("1", "3", "2 keeps");
        assertThat(way.givenBack).isEmpty();
    }

    @Test
    void withoutAnAnswerOfAnotherPartItKeepsNothing() {
        way.failing = 3;
        assertThat(askOnce(false).failure()).isEqualTo(StoreFailure.OPEN);
        assertThat(way.sent).containsExactly("1", "3", "2 looks");
    }

    @Test
    void ofARequestThatIsDeniedElsewhereItOnlyLooks() {
        askOnce(true);
        assertThat(way.sent).containsExactly("1 asks", "3 asks", "2 looks asks");
    }

    /** A give-back shares slot 1 with a check that takes. */
    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1 asks", "2, 1 asks"})
    void whatGivesBackGoesWhenAllElseHasPassed(int denying, String then) {
        way.denying = denying;
        asking.on(1, -3);
        ask(1, 2);
        assertThat(way.sent).containsExactly("1", denying == 1 ? "2 asks" : "2", then);
    }

    @ParameterizedTest
    @CsvSource({"false, 0, 1", "true, 0, 1 asks", "false, 2, 1 asks"})
    void whatGivesBackGoesWhenTheKeyIsNew(boolean knowing, int failing, String then) {
        way.knowing = knowing;
        way.failing = failing;
        asking.idempotency = new Idempotency(HASH, HASH, HASH, 1, 1);
        asking.on(1, -3).countsDenied = true;
        ask(2);
        assertThat(way.sent).containsExactly("2 keeps", then);
        assertThat(asking.repeated).isEqualTo(knowing);
    }

    /** The window ends so long after it was asked; the answer, and the denial elsewhere, take a millisecond each. */
    @ParameterizedTest
    @CsvSource({
        "FIXED_WINDOW, 14, 0",
        "FIXED_WINDOW, 15, 11",
        "SLIDING_WINDOW, 14, 0",
        "SLIDING_WINDOW, 15, 11",
        "SLIDING_WINDOW, 2000, 1000",
        "TOKEN_BUCKET, 14, 0",
        "TOKEN_BUCKET, 2000, 1000",
        "SLIDING_WINDOW_LOG, 0, 1000"
    })
    void nothingGoesBackThatMayComeIntoTheNextWindow(Algorithm algorithm, long endsMillis, long withinMillis) {
        Limit limit = Limit.of(algorithm, 1, Duration.ofDays(1));
        boolean slides = algorithm == Algorithm.SLIDING_WINDOW;
        way.resetMicros = 1_000 * endsMillis + (slides ? limit.windowMicros() : 0);
        way.tripNanos = MILLI;
        way.denying = 2;
        asking.on(1, 1).meter = Meters.of(limit);
        assertThat(ask(2).allowed()).isFalse();
        assertThat(way.givenBack)
                .hasSize(withinMillis == 0 ? 0 : 1)
                .allMatch(deadline -> deadline == way.now + withinMillis * MILLI);
    }

    @Test
    void afterTheDeadlineNothingIsSent() {
        way.tripNanos = 6 * MILLI;
        ask(1, 2, 3, 4, 5);
        assertThat(way.sent).containsExactly("1", "2");
        assertThat(asking.answers).isEqualTo(1);
        for (int i = 0; i < 5; i++) {
            assertThat(asking.checks.get(i).failure).isEqualTo(i < 2 ? null : StoreFailure.TIMEOUT);
        }
    }

    /** The answer was there in time, and heard late. */
    @ParameterizedTest
    @CsvSource({"0, 3", "1, 1"})
    void afterAnAnswerThatWasHeardLateTheOthersStillGo(int failing, int sent) {
        way.failing = failing;
        way.tripNanos = 12 * MILLI;
        asking.patienceNanos = 10 * MILLI;
        asking.graceNanos = DeadlineExtension.MOST_NANOS;
        way.holding = true;
        ask(1, 2, 3);
        way.answer();
        assertThat(way.sent).hasSize(sent);
    }

    @Test
    void partsThatAreAnsweredAtOnceNeedNoDeeperStack() {
        int[] slots = new int[1_000];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = i;
        }
        assertThat(ask(slots).allowed()).isTrue();
        assertThat(way.depths).hasSize(slots.length).allMatch(depth -> depth.equals(way.depths.get(0)));
    }
}
