package dev.weir.benchmarks;

import java.util.Arrays;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Runs {@link StoreHotKeyBenchmark} on a busy machine: slices of a few milliseconds, two threads and one thread in
 * turns. In a slice both threads begin at one moment, and their decisions up to another moment count. Slices in which a
 * thread began late or was preempted at the end are dropped. Of the others it prints the fastest tenth of each side, in
 * which the threads had their cores to themselves, and the median of the ratios of adjacent slices.
 */
public final class StoreHotKeyRatio {
    private static final int SLICES = 3_000;
    private static final int WARM_UP = 200;
    private static final long SLICE_NANOS = 2_000_000;
    /** How long a thread may take to wake up. */
    private static final long LEAD_NANOS = 500_000;

    private static final long MOST_LATE_NANOS = SLICE_NANOS / 10;
    private static final int BATCH = 16;
    private static final int LEFT_OUT = -1;

    private final StoreHotKeyBenchmark.Shared shared = new StoreHotKeyBenchmark.Shared();
    private final CyclicBarrier turn = new CyclicBarrier(2);
    private volatile long begin;

    private StoreHotKeyRatio(int limit) {
        shared.limit = limit;
        shared.fill();
    }

    public static void main(String[] args) throws InterruptedException {
        new StoreHotKeyRatio(1_000_000_000).run("all pass");
        new StoreHotKeyRatio(1_000).run("most are denied");
    }

    private void run(String what) throws InterruptedException {
        int[] alone = new int[SLICES];
        int[] first = new int[SLICES];
        int[] second = new int[SLICES];
        Thread other = new Thread(() -> run(false, second, new int[SLICES]));
        other.start();
        run(true, first, alone);
        other.join();
        int[] undisturbed = IntStream.range(WARM_UP, SLICES)
                .filter(i -> first[i] != LEFT_OUT && second[i] != LEFT_OUT && alone[i] != LEFT_OUT)
                .toArray();
        if (undisturbed.length < 20) {
            System.out.printf(
                    "%s: only %d slices undisturbed: the machine is too busy to tell%n", what, undisturbed.length);
            return;
        }
        double two = quantile(0.9, undisturbed, i -> first[i] + second[i]) * 1e3 / SLICE_NANOS;
        double one = quantile(0.9, undisturbed, i -> alone[i]) * 1e3 / SLICE_NANOS;
        System.out.printf(
                "%s: one thread: %.1f decisions a microsecond, two on the same key: %.1f together, %.3f times as many"
                        + " (median of the ratios %.3f, %d slices)%n",
                what,
                one,
                two,
                two / one,
                quantile(0.5, undisturbed, i -> (double) (first[i] + second[i]) / alone[i]),
                undisturbed.length);
    }

    private static double quantile(double share, int[] slices, IntToDoubleFunction of) {
        double[] sorted = Arrays.stream(slices).mapToDouble(of).sorted().toArray();
        return sorted[(int) (sorted.length * share)];
    }

    private void run(boolean leads, int[] together, int[] alone) {
        StoreHotKeyBenchmark.Caller caller = new StoreHotKeyBenchmark.Caller();
        try {
            for (int i = 0; i < SLICES; i++) {
                if (leads) {
                    begin = System.nanoTime() + LEAD_NANOS;
                }
                turn.await();
                together[i] = slice(caller, begin);
                turn.await();
                if (leads) {
                    alone[i] = slice(caller, System.nanoTime());
                }
            }
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The number of decisions in the slice that begins at {@code begin}. */
    private int slice(StoreHotKeyBenchmark.Caller caller, long begin) {
        boolean late = System.nanoTime() - begin > MOST_LATE_NANOS / 10;
        while (System.nanoTime() - begin < 0) {
            Thread.onSpinWait();
        }
        int decisions = 0;
        while (true) {
            for (int i = 0; i < BATCH; i++) {
                caller.tryAcquire(shared);
            }
            long passed = System.nanoTime() - begin;
            if (passed > SLICE_NANOS) {
                return late || passed > SLICE_NANOS + MOST_LATE_NANOS ? LEFT_OUT : decisions;
            }
            decisions += BATCH;
        }
    }
}
