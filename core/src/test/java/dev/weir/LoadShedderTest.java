package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.weir.LoadShedder.Admission;
import dev.weir.LoadShedder.Priority;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class LoadShedderTest {
    private static final Duration COMPILED = Duration.ofMinutes(1);

    private long nanos;
    private final LoadShedder shedder = LoadShedder.create(Duration.ZERO, new TimeSource() {
        @Override
        public long micros() {
            return nanos / 1_000;
        }

        @Override
        public long nanos() {
            return nanos;
        }
    });

    @Test
    void theLeastImportantIsRefusedFirst() {
        assertThat(admitted(Priority.TEST)).as("60 % of 20").isEqualTo(12);
        assertThat(admitted(Priority.READ)).as("up to 80 %").isEqualTo(4);
        assertThat(admitted(Priority.WRITE)).as("up to 90 %").isEqualTo(2);
        assertThat(admitted(Priority.CRITICAL)).as("up to four times").isEqualTo(62);
        assertThat(shedder.inFlight()).isEqualTo(80);
        assertThat(shedder.limit()).isEqualTo(20);
        for (Priority each : Priority.values()) {
            assertThat(shedder.shed(each)).isEqualTo(1);
        }
    }

    @Test
    void anAdmissionEndsOnce() {
        Admission one = taken(Priority.READ);
        Admission other = taken(Priority.READ);
        one.close();
        one.close();
        one.timedOut();
        one.cancel();
        assertThat(shedder.inFlight()).isEqualTo(1);
        other.cancel();
        other.close();
        assertThat(shedder.inFlight()).isZero();
    }

    @Test
    void aCallThatIsCancelledIsNotMeasured() {
        calm();
        for (int i = 0; i < 100; i++) {
            List<Admission> waiting = fill(Priority.CRITICAL, 20);
            nanos += 10_000_000_000L;
            waiting.forEach(Admission::cancel);
            taken(Priority.CRITICAL).close();
        }
        assertThat(shedder.limit()).isGreaterThanOrEqualTo(20);
    }

    @Test
    void slowCallsLowerTheLimit() {
        calm();
        for (int i = 0; i < 10; i++) {
            List<Admission> slow = fill(Priority.CRITICAL, 20);
            nanos += 200_000_000;
            slow.forEach(Admission::close);
        }
        assertThat(shedder.limit()).isLessThan(10);
    }

    @Test
    void timeoutsLowerTheLimit() {
        calm();
        for (int i = 0; i < 10; i++) {
            List<Admission> slow = fill(Priority.CRITICAL, 20);
            nanos += 2_000_000;
            slow.forEach(Admission::timedOut);
            nanos += 200_000_000;
            taken(Priority.CRITICAL).close();
        }
        assertThat(shedder.limit()).isLessThan(15);
    }

    @Test
    void theWaitOfARefusedCallerIsJittered() {
        List<Long> waits = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            waits.add(LoadShedder.retryAfterSeconds());
        }
        assertThat(waits).containsOnly(1L, 2L, 3L).contains(1L, 2L, 3L);
    }

    @Test
    void aNegativeToleranceIsRefused() {
        assertThatThrownBy(() -> LoadShedder.create(Duration.ofMillis(-1), TimeSource.system()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tolerated")
                .hasMessageContaining("expected: >= 0");
    }

    @Test
    void threadsNeverExceedTheLimitAndLoseNoAdmission() throws Exception {
        LoadShedder real = LoadShedder.create();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            List<Future<Integer>> results = new ArrayList<>();
            for (Priority priority : Priority.values()) {
                results.add(pool.submit(() -> {
                    int most = 0;
                    for (int i = 0; i < 100_000; i++) {
                        try (Admission admission = real.tryAcquire(priority)) {
                            most = Math.max(most, admission == null ? 0 : real.inFlight());
                        }
                    }
                    return most;
                }));
            }
            for (Future<Integer> each : results) {
                assertThat(each.get()).isLessThanOrEqualTo(4);
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(real.inFlight()).isZero();
    }

    /** When it matters most. (An admitted call allocates nothing either, once the JIT has removed its admission.) */
    @Test
    void aRefusedCallAllocatesNothing() {
        assertThat(admitted(Priority.CRITICAL)).isPositive();
        ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        long end = System.nanoTime() + COMPILED.toNanos();
        while (least > 0 && System.nanoTime() - end < 0) {
            long before = thread.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 20_000; i++) {
                assertRefused();
            }
            least = Math.min(least, thread.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isZero();
    }

    private void assertRefused() {
        if (shedder.tryAcquire(Priority.CRITICAL) != null) {
            throw new AssertionError("admitted");
        }
    }

    /** Lets the shedder learn that a call takes a millisecond. */
    private void calm() {
        for (int window = 0; window < 30; window++) {
            for (int i = 0; i < 25; i++) {
                Admission admission = taken(Priority.READ);
                nanos += 1_000_000;
                admission.close();
                nanos += 4_000_000;
            }
        }
    }

    private Admission taken(Priority priority) {
        return fill(priority, 1).get(0);
    }

    private List<Admission> fill(Priority priority, int number) {
        List<Admission> permits = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            Admission admission = shedder.tryAcquire(priority);
            assertThat(admission).isNotNull();
            permits.add(admission);
        }
        return permits;
    }

    /** How many calls are admitted until one is refused; none of them ends. */
    private int admitted(Priority priority) {
        int admitted = 0;
        while (shedder.tryAcquire(priority) != null) {
            admitted++;
        }
        return admitted;
    }
}
