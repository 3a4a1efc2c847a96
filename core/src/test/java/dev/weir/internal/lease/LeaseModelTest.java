package dev.weir.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.lease.LeaseModel.Bug;
import dev.weir.internal.lease.LeaseModel.Node;
import dev.weir.internal.lease.LeaseModel.State;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every state that the lease protocol can reach, with few hits and all that can go wrong. */
class LeaseModelTest {
    private static final long SECOND = LeaseModel.SECOND;
    private static final Limit WINDOW = Limit.fixedWindow(3, Duration.ofSeconds(3));
    private static final Limit SMALL_WINDOW = Limit.fixedWindow(2, Duration.ofSeconds(3));
    private static final Limit BUCKET =
            Limit.tokenBucket(2, Duration.ofSeconds(4)).withBurst(3);

    /** How much there was to explore, and the first state that breaks a promise. */
    private record Found(int states, @Nullable State broken) {}

    private static Found explore(LeaseModel model, int nodes, Predicate<State> holds) {
        Set<State> seen = new HashSet<>();
        ArrayDeque<State> open = new ArrayDeque<>();
        State first = model.first(nodes);
        seen.add(first);
        open.add(first);
        State[] broken = new State[1];
        while (!open.isEmpty() && broken[0] == null) {
            model.next(open.remove(), state -> {
                if (seen.add(state)) {
                    open.add(state);
                    if (!holds.test(state)) {
                        broken[0] = state;
                    }
                }
            });
        }
        return new Found(seen.size(), broken[0]);
    }

    private static boolean isWithinWindow(State state) {
        return state.spent() <= WINDOW.requests();
    }

    private static boolean isWithinSmallWindow(State state) {
        return state.spent() <= SMALL_WINDOW.requests();
    }

    /** From the start on, when nothing was leased out. */
    private static boolean isWithinBucket(State state) {
        long refilled = state.now() * BUCKET.requests() / (BUCKET.windowMicros() * 1_000);
        return state.spent() <= BUCKET.burst() + refilled;
    }

    @Test
    void twoNodesNeverAdmitMoreThanAFixedWindowHolds() {
        Found found = explore(new LeaseModel(WINDOW, 4 * SECOND, 1, Bug.NONE), 2, LeaseModelTest::isWithinWindow);
        assertThat(found.broken()).isNull();
        assertThat(found.states()).isGreaterThan(10_000);
    }

    @Test
    void threeNodesNeverAdmitMoreThanAFixedWindowHolds() {
        Found found = explore(
                new LeaseModel(SMALL_WINDOW, 3 * SECOND, 1, Bug.NONE).decidingAtOnce(),
                3,
                LeaseModelTest::isWithinSmallWindow);
        assertThat(found.broken()).isNull();
        assertThat(found.states()).isGreaterThan(10_000);
    }

    @Test
    void twoNodesNeverAdmitMoreThanABucketHolds() {
        Found found = explore(new LeaseModel(BUCKET, 3 * SECOND, 1, Bug.NONE), 2, LeaseModelTest::isWithinBucket);
        assertThat(found.broken()).isNull();
        assertThat(found.states()).isGreaterThan(10_000);
    }

    /** In the first window, where nothing is left over from before. */
    @Test
    void everyHitIsSpentHeldOnItsWayOrLostSoWhatALiveHolderDidNotSpendComesBack() {
        LeaseModel model = new LeaseModel(WINDOW, 2 * SECOND, 2, Bug.NONE).countingLosses();
        Found found = explore(model, 2, state -> {
            long elsewhere = state.spent() + state.lost();
            for (Node node : state.nodes()) {
                elsewhere += node.held() == null ? 0 : Math.max(0, node.held().left());
                elsewhere += node.fetch() == null ? 0 : node.fetch().granted();
                elsewhere += node.unheard();
            }
            for (LeaseModel.Return each : state.returns()) {
                elsewhere += each.hits();
            }
            return model.counted(state) == elsewhere;
        });
        assertThat(found.broken()).isNull();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aPlantedMistakeIsFound(Bug bug) {
        Found found = explore(new LeaseModel(WINDOW, 5 * SECOND, 1, bug), 2, LeaseModelTest::isWithinWindow);
        assertThat(found.broken()).as("after %d states", found.states()).isNotNull();
    }
}
