package dev.weir.control.decisions;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class DecisionRingTest {

    @Test
    void aFullRingSaysSoAndHasRoomAgainWhenOneIsReleased() {
        DecisionRing ring = new DecisionRing(4);
        for (int i = 0; i < 4; i++) {
            long place = ring.claim();
            ring.at(place).micros = i;
            ring.publish(place);
        }

        assertThat(ring.claim()).isNegative();
        assertThat(ring.peek()).extracting(each -> each.micros).isEqualTo(0L);
        ring.release();
        assertThat(ring.claim()).isEqualTo(4);
        assertThat(ring.claim()).isNegative();
    }

    @Test
    void anUnpublishedBufferIsNotSeen() {
        DecisionRing ring = new DecisionRing(4);
        long first = ring.claim();
        long second = ring.claim();
        ring.publish(second);

        assertThat(ring.peek()).isNull();
        ring.publish(first);
        assertThat(ring.peek()).isSameAs(ring.at(first));
    }

    @Test
    void manyThreadsFillAndOneEmptiesWithoutLossOrRepetition() throws Exception {
        int threads = 4;
        int each = 50_000;
        DecisionRing ring = new DecisionRing(64);
        LongAdder full = new LongAdder();
        CountDownLatch running = new CountDownLatch(threads);
        List<Thread> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            long base = (long) t * each;
            all.add(new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    long place = ring.claim();
                    if (place < 0) {
                        full.increment();
                    } else {
                        ring.at(place).micros = base + i;
                        ring.publish(place);
                    }
                }
                running.countDown();
            }));
        }
        all.forEach(Thread::start);

        long[] last = {-1, -1, -1, -1};
        long seen = 0;
        boolean done = false;
        while (true) {
            RecordedDecision taken = ring.peek();
            if (taken != null) {
                int from = (int) (taken.micros / each);
                assertThat(taken.micros).isGreaterThan(last[from]);
                last[from] = taken.micros;
                seen++;
                ring.release();
            } else if (done) {
                break;
            } else {
                done = running.getCount() == 0;
                Thread.onSpinWait();
            }
        }
        assertThat(seen + full.sum()).isEqualTo((long) threads * each);
        assertThat(seen).isPositive();
    }
}
