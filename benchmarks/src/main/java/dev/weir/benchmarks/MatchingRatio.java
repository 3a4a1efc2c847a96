package dev.weir.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;

/**
 * Runs {@link MatchingBenchmark} on a busy machine: ten thousand rules and ten in one JVM, in turns, in CPU time of the
 * one thread. Other processes also evict the cache, which slows ten thousand rules but not ten. So it prints, beside
 * the median, the fastest tenth of the turns, which had the most cache.
 */
public final class MatchingRatio {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int MATCHES = 100_000;
    private static final int WARM_UP = 20;

    private MatchingRatio() {}

    public static void main(String[] args) {
        int turns = args.length > 0 ? Integer.parseInt(args[0]) : 50;
        for (String format : List.of("envoy", "weir")) {
            for (int asked : new int[] {10, 1_000, 10_000}) {
                compare(format, asked, turns);
            }
        }
    }

    private static void compare(String format, int asked, int turns) {
        MatchingBenchmark ten = rules(format, 10, asked);
        MatchingBenchmark many = rules(format, 10_000, asked);
        System.gc(); // the rules get their final addresses, and nothing will move the values
        ten.drawRequests();
        many.drawRequests();
        double[] few = new double[turns];
        double[] all = new double[turns];
        for (int turn = -WARM_UP; turn < turns; turn++) {
            double first = turn(ten);
            double second = turn(many);
            if (turn >= 0) {
                few[turn] = first;
                all[turn] = second;
            }
        }
        Arrays.sort(few);
        Arrays.sort(all);
        int fast = turns / 10;
        int middle = turns / 2;
        System.out.printf(
                "%s, traffic about %,d: %.0f ns a match among 10 rules, %.0f ns among 10,000: %.2f times"
                        + " (medians %.0f and %.0f ns: %.2f times; %d turns)%n",
                format,
                asked,
                few[fast],
                all[fast],
                all[fast] / few[fast],
                few[middle],
                all[middle],
                all[middle] / few[middle],
                turns);
    }

    private static MatchingBenchmark rules(String format, int rules, int asked) {
        MatchingBenchmark side = new MatchingBenchmark();
        side.format = format;
        side.rules = rules;
        side.asked = asked;
        side.loadRules();
        return side;
    }

    private static double turn(MatchingBenchmark side) {
        long before = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < MATCHES; i++) {
            side.match();
        }
        return (double) (THREADS.getCurrentThreadCpuTime() - before) / MATCHES;
    }
}
