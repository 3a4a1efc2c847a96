package dev.weir.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class FairQueueTest {
    private final FairQueue<Entry> queue = new FairQueue<>(Entry::cost);

    private record Entry(int flow, int number, long cost) {}

    private void add(int flow, int number, long cost) {
        queue.add(flow, new Entry(flow, number, cost));
    }

    private List<String> drained() {
        List<Entry> all = new ArrayList<>();
        queue.drainTo(all);
        return all.stream().map(each -> each.flow() + ":" + each.number()).toList();
    }

    @Test
    void flowsTakeTurnsAndEachIsInOrder() {
        for (int i = 0; i < 4; i++) {
            add(1, i, 1);
        }
        add(2, 0, 1);
        add(2, 1, 1);
        assertThat(drained()).containsExactly("1:0", "2:0", "1:1", "2:1", "1:2", "1:3");
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void aFlowWithCostlyEntriesIsServedLessOften() {
        for (int i = 0; i < 3; i++) {
            add(1, i, 4);
        }
        for (int i = 0; i < 12; i++) {
            add(2, i, 1);
        }
        long[] served = new long[3];
        for (int i = 0; i < 10; i++) {
            Entry next = Objects.requireNonNull(queue.poll());
            served[next.flow()] += next.cost();
        }
        assertThat(Math.abs(served[1] - served[2])).isLessThanOrEqualTo(4);
    }

    @Test
    void anEntryThatIsPutBackIsNext() {
        add(1, 0, 2);
        add(2, 0, 1);
        add(1, 1, 2);
        Entry first = Objects.requireNonNull(queue.poll());
        queue.putBack(first.flow(), first);
        assertThat(drained()).startsWith("1:0");
    }

    @Test
    void removedEntriesLeaveNothingBehind() {
        Entry gone = new Entry(5, 0, 3);
        queue.add(5, gone);
        add(6, 0, 1);
        assertThat(queue.remove(5, gone)).isTrue();
        assertThat(queue.remove(5, gone)).isFalse();
        assertThat(queue.size()).isEqualTo(1);
        assertThat(drained()).containsExactly("6:0");
    }

    @Test
    void tellsHowManyAreAhead() {
        for (int i = 0; i < 10; i++) {
            add(1, i, 1);
        }
        assertThat(queue.ahead(1)).isEqualTo(10);
        assertThat(queue.ahead(2)).isEqualTo(1);
        add(2, 0, 1);
        assertThat(queue.ahead(2)).isEqualTo(3);
    }
}
