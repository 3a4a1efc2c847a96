package dev.weir.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.StoreFailure;
import dev.weir.TimeSource;
import dev.weir.internal.algorithm.PermitLevels;
import dev.weir.internal.counter.CounterKey;
import dev.weir.internal.model.HeldPermit;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.CounterBudget;
import dev.weir.internal.store.SharedStore;
import dev.weir.internal.store.memory.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** Two nodes that count the permits of one limit, on virtual time. */
class PermitLeaseTest {
    private static final int REQUESTS = 100;
    private static final Limit LIMIT = Limit.concurrency(REQUESTS, Duration.ofSeconds(8));
    /** A node may take permits for four fifths of a tenth of the time to live. */
    private static final Duration USE = Duration.ofMillis(640);

    private static final Duration TICK = Duration.ofMillis(100);
    private static final String NAME = "calls";

    private final MemoryStore memory = new MemoryStore(100);
    private final Clock clock = new Clock();
    private final Store store = new Store();
    private final LeasedPermits one = node();
    private final LeasedPermits other = node();
    private long lastId;

    private static final class Clock implements TimeSource {
        private long nanos = 1_000_000_000_000L;
        private long stepMicros;

        @Override
        public long micros() {
            return nanos / 1_000;
        }

        @Override
        public long nanos() {
            return nanos;
        }

        @Override
        public long wallMicros() {
            return micros() + stepMicros;
        }
    }

    /** Answers at once, or fails after the store has counted, as if the answer was lost. */
    private final class Store implements SharedStore {
        private long calls;
        private boolean losesAnswers;

        @Override
        public void decide(Ask ask) {
            decide(ask.checks);
            ask.answered();
        }

        void decide(Checks checks) {
            calls++;
            memory.decide(checks, clock.micros());
            for (int i = 0; losesAnswers && i < checks.size(); i++) {
                checks.get(i).failure = StoreFailure.TIMEOUT;
            }
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    private LeasedPermits node() {
        return new LeasedPermits(index -> store, clock, new CounterBudget(10));
    }

    private void pass(Duration time) {
        clock.nanos += time.toNanos();
    }

    /** Lets the nodes that live report for so long. */
    private void run(Duration time, LeasedPermits... living) {
        for (long i = time.dividedBy(TICK); i > 0; i--) {
            pass(TICK);
            for (LeasedPermits each : living) {
                each.tick();
            }
        }
    }

    private Check check(long hits) {
        Check check = new Check();
        check.key0 = 1;
        check.key1 = 2;
        check.store = 0;
        check.name.append(NAME.getBytes(StandardCharsets.US_ASCII));
        check.hits = hits;
        check.role = Check.Role.ENFORCE;
        check.meter = PermitLevels.of(LIMIT).holding(++lastId, hits);
        return check;
    }

    private static PermitLease lease(LeasedPermits node, Check check) {
        return Objects.requireNonNull(node.use(check, new CounterKey()));
    }

    /** Takes permits as a decision does; the answer of the store, if it is asked, takes so long. */
    private boolean acquire(LeasedPermits node, long hits, Duration answer) {
        Check check = check(hits);
        PermitLease lease = lease(node, check);
        long since = clock.nanos();
        long wall = clock.wallMicros();
        boolean held = lease.take(check, since, wall);
        if (!held && !lease.rests(check, since, wall)) {
            lease.ask(check, since);
            Checks checks = new Checks();
            checks.add().set(check);
            store.decide(checks);
            pass(answer);
            Check told = checks.get(0);
            boolean granted = told.failure == null && told.outcome.allowed;
            held = lease.answered(told, granted, since, wall, clock.nanos(), clock.wallMicros());
        }
        lease.leave();
        node.refill(lease, clock.nanos());
        return held;
    }

    private boolean acquire(LeasedPermits node, long hits) {
        return acquire(node, hits, Duration.ZERO);
    }

    private HeldPermit permit(LeasedPermits owner, long id, long hits) {
        return new HeldPermit("rule", 0, 1, 2, 0, NAME, id, hits, PermitLevels.permitMicros(LIMIT), owner.node());
    }

    @Test
    void togetherTheyTakeNoMoreThanTheLimit() {
        int taken = 0;
        for (int i = 0; i < 500; i++) {
            taken += acquire(i % 3 == 0 ? one : other, 1) ? 1 : 0;
            run(i % 10 == 0 ? TICK : Duration.ZERO, one, other);
        }
        assertThat(taken).isEqualTo(REQUESTS);
        assertThat(one.held() + other.held()).isEqualTo(REQUESTS);
    }

    @Test
    void fewAcquiresAskTheStoreInASteadyLoad() {
        Queue<Long> held = new ArrayDeque<>();
        for (int i = 0; i < 5_000; i++) {
            pass(Duration.ofMillis(1));
            assertThat(acquire(one, 1)).isTrue();
            held.add(lastId);
            if (held.size() > 40) {
                assertThat(one.release(permit(one, held.remove(), 1))).isTrue();
            }
            if (i % 100 == 0) {
                one.tick();
            }
        }
        assertThat(store.calls).isPositive().isLessThan(500);
    }

    @Test
    void aNodeThatCouldNotReportTakesNothingOnItsOwn() {
        assertThat(acquire(one, 4)).isTrue();
        Check next = check(1);
        PermitLease lease = lease(one, next);
        assertThat(lease.take(next, clock.nanos(), clock.wallMicros()))
                .as("its level covers this")
                .isTrue();
        pass(USE);
        assertThat(lease.take(check(1), clock.nanos(), clock.wallMicros())).isFalse();
        assertThat(lease.canRenew(clock.nanos(), clock.wallMicros())).isFalse();
    }

    @Test
    void aWallClockThatWentOnWhileTheOtherStoodEndsTheLevelToo() {
        assertThat(acquire(one, 4)).isTrue();
        clock.stepMicros = USE.toNanos() / 1_000;
        Check late = check(1);
        assertThat(lease(one, late).take(late, clock.nanos(), clock.wallMicros()))
                .isFalse();
    }

    @Test
    void thePermitsOfADeadNodeCountUntilTheyEndAndThenComeBack() {
        assertThat(acquire(one, 60)).isTrue();
        run(Duration.ofMillis(600));
        assertThat(acquire(one, 1)).as("its last").isTrue();
        run(Duration.ofMillis(6_800), other);
        assertThat(acquire(other, 41)).isFalse();
        run(Duration.ofMillis(1_200), other);
        assertThat(acquire(other, REQUESTS)).as("a time to live after it died").isTrue();
    }

    @Test
    void aPermitIsReleasedAtAnotherNode() {
        assertThat(acquire(one, REQUESTS)).isTrue();
        HeldPermit permit = permit(one, lastId, REQUESTS);
        assertThat(acquire(other, 1)).isFalse();
        assertThat(other.release(permit)).isTrue();
        run(Duration.ofSeconds(1), one, other);
        assertThat(one.held()).isZero();
        assertThat(acquire(other, 1)).isTrue();
        assertThat(one.release(permit)).as("released already").isFalse();
    }

    @Test
    void aPermitIsRenewedAtAnotherNode() {
        assertThat(acquire(one, 1)).isTrue();
        HeldPermit permit = permit(one, lastId, 1);
        run(Duration.ofSeconds(5), one, other);
        assertThat(other.renew(permit)).isTrue();
        run(Duration.ofSeconds(6), one, other);
        assertThat(one.held()).isEqualTo(1);
        run(Duration.ofSeconds(3), one, other);
        assertThat(one.held()).isZero();
    }

    @Test
    void aPermitIsRenewedAfterItsLevelHasLapsed() {
        assertThat(acquire(one, 1)).isTrue();
        HeldPermit permit = permit(one, lastId, 1);
        pass(Duration.ofSeconds(6));
        assertThat(one.canRenew(permit)).isFalse();
        boolean[] renewed = {false};
        one.whenRenewable(permit, () -> renewed[0] = one.canRenew(permit) && one.renew(permit));
        assertThat(renewed[0]).isTrue();
        run(Duration.ofSeconds(6), one, other);
        assertThat(one.held()).isEqualTo(1);
    }

    @Test
    void aPermitThatEndedIsNotRenewed() {
        assertThat(acquire(one, 1)).isTrue();
        HeldPermit permit = permit(one, lastId, 1);
        pass(Duration.ofSeconds(9));
        boolean[] asked = {false};
        one.whenRenewable(permit, () -> asked[0] = one.renew(permit));
        assertThat(asked[0]).isFalse();
        assertThat(one.held()).isZero();
    }

    @Test
    void aBusyNodeFreesPermitsThatWereReleasedElsewhereBetweenTicks() {
        for (int i = 0; i < 30; i++) {
            assertThat(acquire(one, 1)).isTrue();
            assertThat(acquire(other, 1)).isTrue();
            assertThat(other.release(permit(one, lastId - 1, 1))).isTrue();
        }
        run(TICK.multipliedBy(2), one, other);
        assertThat(one.held()).isZero();
        for (int i = 0; i < 60; i++) {
            assertThat(acquire(one, 1)).isTrue();
            assertThat(acquire(other, 1)).isTrue();
            assertThat(other.release(permit(one, lastId - 1, 1))).isTrue();
            assertThat(other.release(permit(other, lastId, 1))).isTrue();
        }
        assertThat(one.held()).as("without a tick").isLessThan(45);
    }

    @Test
    void anAnswerThatComesTooLateHoldsNothing() {
        assertThat(acquire(one, 5, USE)).isFalse();
        assertThat(one.held()).isZero();
        run(Duration.ofSeconds(3), one);
        assertThat(acquire(other, REQUESTS)).as("the next reports gave it back").isTrue();
    }

    @Test
    void aLostAnswerIsCorrectedByTheNextReport() {
        assertThat(acquire(one, 10)).isTrue();
        store.losesAnswers = true;
        assertThat(acquire(one, 80)).isFalse();
        store.losesAnswers = false;
        run(Duration.ofSeconds(2), one);
        assertThat(one.held()).isEqualTo(10);
        assertThat(acquire(other, 80)).isTrue();
    }

    @Test
    void aNodeThatClosesKeepsOnlyWhatIsInFlight() {
        assertThat(acquire(one, 10)).isTrue();
        one.close();
        assertThat(acquire(other, REQUESTS - 10)).isTrue();
    }
}
