package dev.weir.benchmarks;

import dev.weir.LoadShedder;
import dev.weir.LoadShedder.Admission;
import dev.weir.LoadShedder.Priority;
import dev.weir.simulation.output.LinesPlot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Runs a service of eight threads and calls of 100 ms at ten times its capacity, with the worker shedder and without:
 * ten calm seconds at half of the capacity, twenty seconds of overload, ten calm seconds. Callers wait a second. Prints
 * what came of the calls, and writes the plot to the file {@code --plot}.
 */
public final class OverloadedService {
    private static final int WORKERS = 8;
    private static final long CALL_MILLIS = 100;
    private static final int CAPACITY = (int) (WORKERS * 1_000 / CALL_MILLIS);
    private static final long DEADLINE = TimeUnit.SECONDS.toNanos(1);
    private static final int OVERLOAD = 10;
    private static final int FROM = 10;
    private static final int UNTIL = 30;
    private static final int SECONDS = 40;
    private static final double CALM = 0.5;
    private static final Priority[] MIX = mix();

    private final @Nullable LoadShedder shedder;
    private final ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
    private final long[] offered = new long[SECONDS];
    private final long[] criticalOffered = new long[SECONDS];
    private final AtomicLongArray inTime = new AtomicLongArray(SECONDS);
    private final AtomicLongArray criticalInTime = new AtomicLongArray(SECONDS);
    private final AtomicLongArray latencies = new AtomicLongArray(SECONDS * CAPACITY * OVERLOAD * 2);
    private final AtomicLongArray measured = new AtomicLongArray(1);
    private final long start = System.nanoTime();

    private OverloadedService(@Nullable LoadShedder shedder) {
        this.shedder = shedder;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        BenchmarkOptions options = new BenchmarkOptions(List.of(args));
        OverloadedService without = new OverloadedService(null);
        without.run();
        OverloadedService with = new OverloadedService(LoadShedder.create());
        with.run();
        without.print("without a shedder");
        with.print("with the shedder");
        String plot = options.text("--plot", "");
        if (!plot.isEmpty()) {
            Files.writeString(Path.of(plot), plot(with, without));
        }
    }

    /** Every 50 calls have 2 critical ones, 13 writes, 30 reads and 5 tests. */
    private static Priority[] mix() {
        Priority[] mix = new Priority[50];
        Arrays.fill(mix, 0, 2, Priority.CRITICAL);
        Arrays.fill(mix, 2, 15, Priority.WRITE);
        Arrays.fill(mix, 15, 45, Priority.READ);
        Arrays.fill(mix, 45, 50, Priority.TEST);
        return mix;
    }

    private void run() throws InterruptedException {
        Random random = new Random(42);
        double at = 0;
        while (true) {
            int second = (int) at;
            at += -Math.log(1 - random.nextDouble())
                    / (CAPACITY * (second >= FROM && second < UNTIL ? OVERLOAD : CALM));
            if (at >= SECONDS) {
                break;
            }
            long due = start + (long) (at * 1e9);
            TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
            arrive((int) at, due, MIX[random.nextInt(MIX.length)]);
        }
        TimeUnit.NANOSECONDS.sleep(DEADLINE); // what has not ended by then is late
        workers.shutdownNow();
    }

    private void arrive(int second, long due, Priority priority) {
        offered[second]++;
        criticalOffered[second] += priority == Priority.CRITICAL ? 1 : 0;
        Admission admission = shedder == null ? null : shedder.tryAcquire(priority);
        if (shedder == null || admission != null) {
            workers.execute(() -> serve(second, due, priority, admission));
        }
    }

    private void serve(int second, long due, Priority priority, @Nullable Admission admission) {
        try {
            Thread.sleep(CALL_MILLIS);
        } catch (InterruptedException e) {
            return; // the run is over
        }
        long latency = System.nanoTime() - due;
        boolean late = latency > DEADLINE;
        if (admission != null && late) {
            admission.timedOut();
        } else if (admission != null) {
            admission.close();
        }
        if (!late) {
            inTime.incrementAndGet(second);
            if (priority == Priority.CRITICAL) {
                criticalInTime.incrementAndGet(second);
            }
            if (second >= FROM && second < UNTIL) {
                latencies.set((int) measured.getAndIncrement(0), latency);
            }
        }
    }

    private void print(String name) {
        long[] sorted = new long[(int) measured.get(0)];
        Arrays.setAll(sorted, latencies::get);
        Arrays.sort(sorted);
        System.out.printf(
                "%s: in overload %.0f %% of the capacity ended in time, %.1f %% of the critical calls, p99 of these"
                        + " %d ms; in time before %.1f %%, after %.1f %%%n",
                name,
                100.0 * sum(inTime, FROM, UNTIL) / (CAPACITY * (UNTIL - FROM)),
                100.0 * sum(criticalInTime, FROM, UNTIL) / sum(criticalOffered, FROM, UNTIL),
                sorted.length == 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(sorted[sorted.length * 99 / 100]),
                100.0 * sum(inTime, 0, FROM) / sum(offered, 0, FROM),
                100.0 * sum(inTime, UNTIL, SECONDS) / sum(offered, UNTIL, SECONDS));
    }

    private static String plot(OverloadedService with, OverloadedService without) {
        return new LinesPlot(
                        "A service at ten times its capacity",
                        "8 threads, calls of 100 ms, callers wait 1 s; overload from second " + FROM + " to " + UNTIL,
                        SECONDS,
                        2)
                .chart("Calls that end in time, a second", lines(values(with.inTime), values(without.inTime)))
                .chart("Critical calls that end in time, %", lines(percent(with), percent(without)))
                .toString();
    }

    private static Map<String, double[]> lines(double[] with, double[] without) {
        Map<String, double[]> lines = new LinkedHashMap<>();
        lines.put("with the shedder", with);
        lines.put("without", without);
        return lines;
    }

    private static double[] values(AtomicLongArray counts) {
        double[] values = new double[SECONDS];
        Arrays.setAll(values, counts::get);
        return values;
    }

    /** In per cent; a second without a critical call repeats the one before. */
    private static double[] percent(OverloadedService of) {
        double[] values = new double[SECONDS];
        double last = 100;
        for (int i = 0; i < SECONDS; i++) {
            last = of.criticalOffered[i] == 0 ? last : 100.0 * of.criticalInTime.get(i) / of.criticalOffered[i];
            values[i] = last;
        }
        return values;
    }

    private static long sum(AtomicLongArray counts, int from, int until) {
        long sum = 0;
        for (int i = from; i < until; i++) {
            sum += counts.get(i);
        }
        return sum;
    }

    private static long sum(long[] counts, int from, int until) {
        return Arrays.stream(counts, from, until).sum();
    }
}
