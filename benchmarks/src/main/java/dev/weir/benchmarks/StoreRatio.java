package dev.weir.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/**
 * Runs {@link StoreBenchmark} on a busy machine: both sides in one JVM, in turns, in CPU time of the one thread instead
 * of wall time. Prints the median of the turns' ratios.
 */
public final class StoreRatio {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int DECISIONS = 500_000;
    private static final int WARM_UP = 10;

    private StoreRatio() {}

    public static void main(String[] args) {
        int turns = args.length > 0 ? Integer.parseInt(args[0]) : 30;
        StoreBenchmark callers = new StoreBenchmark();
        StoreBenchmark.Weir weir = new StoreBenchmark.Weir();
        weir.fill();
        StoreBenchmark.Bucket4j peer = new StoreBenchmark.Bucket4j();
        peer.fill();
        double[] ratios = new double[turns];
        double[] nanos = new double[turns];
        long admitted = 0;
        for (int turn = -WARM_UP; turn < turns; turn++) {
            long t0 = THREADS.getCurrentThreadCpuTime();
            for (int i = 0; i < DECISIONS; i++) {
                admitted += callers.weir(weir) ? 1 : 0;
            }
            long t1 = THREADS.getCurrentThreadCpuTime();
            for (int i = 0; i < DECISIONS; i++) {
                admitted += callers.bucket4j(peer) ? 1 : 0;
            }
            long t2 = THREADS.getCurrentThreadCpuTime();
            if (turn >= 0) {
                ratios[turn] = (double) (t2 - t1) / (t1 - t0);
                nanos[turn] = (double) (t1 - t0) / DECISIONS;
            }
        }
        Arrays.sort(ratios);
        Arrays.sort(nanos);
        System.out.printf(
                "weir: %.0f ns a decision, %.2f times the throughput of ConcurrentHashMap and Bucket4j"
                        + " (medians of %d turns; %d admitted)%n",
                nanos[turns / 2], ratios[turns / 2], turns, admitted);
    }
}
