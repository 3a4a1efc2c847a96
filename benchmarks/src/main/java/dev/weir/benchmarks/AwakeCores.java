package dev.weir.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps every core awake while it is open: a busy loop per core, at the lowest priority, so that any other work
 * preempts it at once. On a virtual machine it takes tens of microseconds to wake a core. That slows a caller that
 * waits for one answer at a time, as a batch does, but not one that keeps all cores busy; a server with other work to
 * do never pays it.
 */
public final class AwakeCores implements AutoCloseable {
    private static final List<String> LOOP = List.of("nice", "-n", "19", "sh", "-c", "while :; do :; done");

    private final List<Process> loops = new ArrayList<>();

    private AwakeCores() {}

    /** Keeps cores awake if {@code --awake yes} is given; else idle cores sleep. */
    public static AwakeCores of(BenchmarkOptions options) throws IOException {
        AwakeCores cores = new AwakeCores();
        if (options.text("--awake", "no").equals("yes")) {
            for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
                cores.loops.add(new ProcessBuilder(LOOP).start());
            }
        }
        return cores;
    }

    @Override
    public String toString() {
        return loops.isEmpty() ? "cores asleep when idle" : "cores kept awake";
    }

    @Override
    public void close() {
        loops.forEach(Process::destroyForcibly);
    }
}
