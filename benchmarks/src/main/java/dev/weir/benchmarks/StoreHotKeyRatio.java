package dev.weir.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * {@link StoreHotKeyBenchmark} for a busy machine: slices of a few milliseconds, two threads and one thread in turn. Of the
 * slices in which the two ran side by side from start to end, and of those of the one, the fastest tenth speaks: there the
 * threads had their cores to themselves.
 */
public final class StoreHotKeyRatio {
    private static final int SLICES = 3_000;
    private static final int WARM_UP = 200;
    private static final long SLICE_NANOS = 2_000_000;
    private static final double SIDE_BY_SIDE = 0.95;

    private static final StoreHotKeyBenchmark.Shared SHARED = new StoreHotKeyBenchmark.Shared();
    private static final CyclicBarrier TURN = new CyclicBarrier(2);

    private StoreHotKeyRatio() {}

    public static void main(String[] args) throws Exception {
        List<Slice> alone = new ArrayList<>();
        List<Slice> first = new ArrayList<>();
        List<Slice> second = new ArrayList<>();
        Thread other = new Thread(() -> run(second, null));
        other.start();
        run(first, alone);
        other.join();
        double[] together = IntStream.range(WARM_UP, SLICES)
                .filter(i -> first.get(i).overlap(second.get(i)) >= SIDE_BY_SIDE)
                .mapToDouble(i -> first.get(i).rateWith(second.get(i)))
                .sorted()
                .toArray();
        double[] one = IntStream.range(WARM_UP, SLICES)
                .mapToDouble(i -> alone.get(i).rate())
                .sorted()
                .toArray();
        if (together.length < 20) {
            System.out.printf("only %d slices side by side: the machine is too busy to tell%n", together.length);
            return;
        }
        double two = together[together.length * 9 / 10];
        double single = one[one.length * 9 / 10];
        System.out.printf(
                "one thread: %.1f decisions a microsecond, two on the same key: %.1f together, %.2f times as many"
                        + " (%d slices side by side)%n",
                single, two, two / single, together.length);
    }

    private static void run(List<Slice> together, @Nullable List<Slice> alone) {
        StoreHotKeyBenchmark.Caller caller = new StoreHotKeyBenchmark.Caller();
        try {
            for (int i = 0; i < SLICES; i++) {
                TURN.await();
                together.add(slice(caller));
                TURN.await();
                if (alone != null) {
                    alone.add(slice(caller));
                }
            }
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Slice slice(StoreHotKeyBenchmark.Caller caller) {
        long start = System.nanoTime();
        long decisions = 0;
        long now;
        do {
            for (int i = 0; i < 64; i++) {
                caller.tryAcquire(SHARED);
            }
            decisions += 64;
            now = System.nanoTime();
        } while (now - start < SLICE_NANOS);
        return new Slice(start, now, decisions);
    }

    private record Slice(long start, long end, long decisions) {
        double rate() {
            return decisions * 1e3 / (end - start);
        }

        /** What part of the time of both they ran side by side. */
        double overlap(Slice other) {
            return (double) (Math.min(end, other.end) - Math.max(start, other.start)) / timeWith(other);
        }

        double rateWith(Slice other) {
            return (decisions + other.decisions) * 1e3 / timeWith(other);
        }

        private long timeWith(Slice other) {
            return Math.max(end, other.end) - Math.min(start, other.start);
        }
    }
}
