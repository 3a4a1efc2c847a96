package dev.weir.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;

/**
 * Measures what {@link RecordingBenchmark} does as CPU time of the thread, which other programs on the machine disturb
 * less than the time that passes. Prints the least and the median of the later half of the slices.
 *
 * <pre>{@code MAIN=RecordingCost benchmarks/run}</pre>
 */
public final class RecordingCost {
    private static final int SLICES = 60;
    private static final int CALLS = 200;

    private record Work(String name, Runnable work, boolean drains) {}

    private RecordingCost() {}

    public static void main(String[] args) {
        for (String outcome : List.of("passed", "denied")) {
            RecordingBenchmark benchmark = new RecordingBenchmark();
            benchmark.outcome = outcome;
            benchmark.decide();
            measure(outcome, benchmark, new Work("record", benchmark::record, false));
            measure(outcome, benchmark, new Work("with metrics", benchmark::recordWithMetrics, false));
            measure(outcome, benchmark, new Work("with counting", benchmark::recordAndCount, true));
        }
    }

    private static void measure(String outcome, RecordingBenchmark benchmark, Work of) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        double[] nanos = new double[SLICES];
        for (int slice = 0; slice < SLICES; slice++) {
            long spent = 0;
            for (int i = 0; i < CALLS; i++) {
                if (!of.drains) {
                    benchmark.drain();
                }
                long before = threads.getCurrentThreadCpuTime();
                of.work.run();
                spent += threads.getCurrentThreadCpuTime() - before;
            }
            nanos[slice] = spent / (double) CALLS / RecordingBenchmark.CALLERS;
        }
        double[] late = Arrays.copyOfRange(nanos, SLICES / 2, SLICES);
        Arrays.sort(late);
        System.out.printf("%s, %s: least %.1f ns, median %.1f ns%n", outcome, of.name, late[0], late[late.length / 2]);
    }
}
