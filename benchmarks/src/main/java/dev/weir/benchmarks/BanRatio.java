package dev.weir.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;

/**
 * Runs {@link BanBenchmark} on a busy machine: without bans and beside 100,000 blocks in one JVM, in turns, in CPU time
 * of the one thread. It prints the median and the fastest tenth of the turns, which had the most cache.
 */
public final class BanRatio {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int DECISIONS = 100_000;
    private static final int WARM_UP = 30;

    private BanRatio() {}

    public static void main(String[] args) {
        int turns = args.length > 0 ? Integer.parseInt(args[0]) : 100;
        for (String family : List.of("ipv4", "ipv6")) {
            BanBenchmark none = side(family, 0);
            BanBenchmark many = side(family, 100_000);
            double[] without = new double[turns];
            double[] with = new double[turns];
            for (int turn = -WARM_UP; turn < turns; turn++) {
                double first = turn(none);
                double second = turn(many);
                if (turn >= 0) {
                    without[turn] = first;
                    with[turn] = second;
                }
            }
            Arrays.sort(without);
            Arrays.sort(with);
            System.out.printf(
                    "%s: %.0f ns a decision without bans, %.0f ns with 100,000: %.0f ns more (medians %.0f and %.0f ns:"
                            + " %.0f ns more; %d turns)%n",
                    family,
                    without[turns / 10],
                    with[turns / 10],
                    with[turns / 10] - without[turns / 10],
                    without[turns / 2],
                    with[turns / 2],
                    with[turns / 2] - without[turns / 2],
                    turns);
        }
    }

    private static BanBenchmark side(String family, int entries) {
        BanBenchmark side = new BanBenchmark();
        side.family = family;
        side.entries = entries;
        side.load();
        return side;
    }

    private static double turn(BanBenchmark side) {
        boolean passed = true;
        long before = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < DECISIONS; i++) {
            passed &= side.decide();
        }
        double nanos = (double) (THREADS.getCurrentThreadCpuTime() - before) / DECISIONS;
        if (!passed) {
            throw new IllegalStateException("a caller that is not banned was denied");
        }
        return nanos;
    }
}
