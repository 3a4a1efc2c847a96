package dev.weir.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FairQueueTest {
    private final FairQueue<Entry> queue = new FairQueue<>(Entry::caller, Entry::cost);

    private record Entry(int caller, int number, long cost) {}

    private void add(int caller, int number, long cost) {
        queue.add(new Entry(caller, number, cost));
    }

    private List<String> drained() {
        List<Entry> all = new ArrayList<>();
        queue.drainTo(all);
        return all.stream().map(each -> each.caller() + ":" + each.number()).toList();
    }

    @Test
    void callersTakeTurnsAndEachIsInOrder() {
        for (int i = 0; i < 4; i++) {
            add(1, i, 1);
        }
        add(2, 0, 1);
        add(2, 1, 1);
        assertThat(drained()).containsExactly("1:0", "2:0", "1:1", "2:1", "1:2", "1:3");
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void aCallerWithCostlyEntriesIsServedLessOften() {
        for (int i = 0; i < 3; i++) {
            add(1, i, 4);
        }
        for (int i = 0; i < 12; i++) {
            add(2, i, 1);
        }
        long[] served = new long[3];
        for (int i = 0; i < 10; i++) {
            Entry next = Objects.requireNonNull(queue.poll());
            served[next.caller()] += next.cost();
        }
        assertThat(Math.abs(served[1] - served[2])).isLessThanOrEqualTo(4);
    }

    @Test
    void anEntryThatIsPutBackIsNext() {
        add(1, 0, 2);
        add(2, 0, 1);
        add(1, 1, 2);
        Entry first = Objects.requireNonNull(queue.poll());
        queue.putBack(first);
        assertThat(drained()).startsWith("1:0");
    }

    @Test
    void removedEntriesLeaveNothingBehind() {
        Entry gone = new Entry(5, 0, 3);
        queue.add(gone);
        add(6, 0, 1);
        assertThat(queue.remove(gone)).isTrue();
        assertThat(queue.remove(gone)).isFalse();
        assertThat(queue.size()).isEqualTo(1);
        assertThat(drained()).containsExactly("6:0");
    }

    @Test
    void tellsHowManyAreAhead() {
        for (int i = 0; i < 10; i++) {
            add(1, i, 1);
        }
        assertThat(queue.ahead(new Entry(1, 10, 1))).isEqualTo(10);
        assertThat(queue.ahead(new Entry(2, 1, 1))).isEqualTo(1);
        add(2, 0, 1);
        assertThat(queue.ahead(new Entry(2, 1, 1))).isEqualTo(3);
    }

    /** Their hashes choose the same flow. */
    @Test
    void aCallerDoesNotWaitBehindAnotherOfTheSameFlow() {
        for (int i = 0; i < 10; i++) {
            add(1, i, 1);
        }
        add(1 + FairQueue.FLOWS, 0, 1);
        assertThat(queue.ahead(new Entry(1 + 2 * FairQueue.FLOWS, 0, 1))).isEqualTo(2);
        assertThat(drained()).startsWith("1:0", 1 + FairQueue.FLOWS + ":0");
    }

    @Test
    void moreCallersThanFlowsAreAllServedAndEachIsInOrder() {
        Random random = new Random(7);
        int callers = 3 * FairQueue.FLOWS;
        int[] added = new int[callers];
        int[] served = new int[callers];
        List<Entry> waiting = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            int action = random.nextInt(8);
            if (action < 4) {
                int caller = random.nextInt(callers);
                Entry entry = new Entry(caller, added[caller]++, 1 + random.nextInt(3));
                queue.add(entry);
                waiting.add(entry);
            } else if (action == 4 && !waiting.isEmpty()) {
                // The last of its caller, so that the numbers of the others have no gap.
                Entry gone = waiting.get(random.nextInt(waiting.size()));
                if (gone.number() == added[gone.caller()] - 1) {
                    assertThat(queue.remove(gone)).isTrue();
                    waiting.remove(gone);
                    added[gone.caller()]--;
                }
            } else {
                Entry next = queue.poll();
                if (next != null && action == 5) {
                    queue.putBack(next);
                } else if (next != null) {
                    assertThat(next.number()).isEqualTo(served[next.caller()]++);
                    waiting.remove(next);
                }
            }
            assertThat(queue.size()).isEqualTo(waiting.size());
        }
        for (Entry next = queue.poll(); next != null; next = queue.poll()) {
            assertThat(next.number()).isEqualTo(served[next.caller()]++);
        }
        assertThat(served).isEqualTo(added);
        assertThat(queue.isEmpty()).isTrue();
    }
}
