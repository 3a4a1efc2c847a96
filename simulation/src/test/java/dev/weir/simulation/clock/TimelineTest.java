package dev.weir.simulation.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Events happen in the order of time, and at one moment in the order in which they were announced. */
class TimelineTest {
    private final Timeline timeline = new Timeline();

    @Test
    void everythingHappensInOrder() {
        SplittableRandom random = new SplittableRandom(1);
        List<Long> moments = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            timeline.at(random.nextLong(1_000), () -> moments.add(timeline.now()));
        }
        timeline.runUntil(1_000);
        assertThat(moments).hasSize(10_000).isSorted();
        assertThat(timeline.now()).isEqualTo(1_000);
    }

    @Test
    void whatIsAnnouncedForOneMomentKeepsItsOrder() {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            int number = i;
            timeline.at(5, () -> order.add(number));
        }
        timeline.runUntil(6);
        assertThat(order).isSorted().hasSize(100);
    }

    @Test
    void whatComesAtTheEndWaits() {
        List<Long> happened = new ArrayList<>();
        timeline.at(10, () -> happened.add(timeline.now()));
        timeline.runUntil(10);
        assertThat(happened).isEmpty();
        timeline.runUntil(11);
        assertThat(happened).containsExactly(10L);
    }

    @Test
    void timeThatStandsStillIsAMistake() {
        timeline.at(1, this::again);
        assertThatThrownBy(() -> timeline.runUntil(2)).hasMessageContaining("time stands still at 1 ns");
    }

    private void again() {
        timeline.at(timeline.now(), this::again);
    }
}
