package dev.weir.benchmarks;

import dev.weir.LoadShedder;
import dev.weir.LoadShedder.Admission;
import dev.weir.LoadShedder.Priority;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** Measures what the worker shedder costs a call: admitted and ended, with one thread and with two, and refused. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@State(Scope.Benchmark)
public class LoadShedderBenchmark {
    private final LoadShedder shedder = LoadShedder.create();
    private final LoadShedder full = LoadShedder.create();

    @Setup
    public void fill() {
        while (full.tryAcquire(Priority.CRITICAL) != null) {
            // Until nothing more is admitted.
        }
    }

    @Benchmark
    @Threads(1)
    public boolean admittedOneThread() {
        return admitted();
    }

    @Benchmark
    @Threads(2)
    public boolean admittedTwoThreads() {
        return admitted();
    }

    @Benchmark
    @Threads(1)
    public boolean refused() {
        return full.tryAcquire(Priority.READ) == null;
    }

    private boolean admitted() {
        try (Admission admission = shedder.tryAcquire(Priority.READ)) {
            return admission != null;
        }
    }
}
