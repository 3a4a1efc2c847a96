package dev.weir.benchmarks.server;

import dev.weir.Request;
import dev.weir.Weir;
import dev.weir.remote.RemoteWeir;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures how long callers of {@link RemoteWeir} wait while the server is well, stopped, slow or killed. Beside them a thread
 * sleeps for the deadline again and again: a caller waits longer than its deadline only by what the machine is late.
 */
public final class RemoteCallerWaits {
    private static final Duration DEADLINE = Duration.ofMillis(100);
    private static final int THREADS = 4;
    private static final Duration CALM = Duration.ofSeconds(2);
    private static final Duration FAULT = Duration.ofSeconds(5);
    private static final Duration STILL = Duration.ofMillis(130);
    private static final Duration GOES = Duration.ofMillis(70);

    private RemoteCallerWaits() {}

    /** A fault of the server. */
    private interface Fault {
        void happen(ServerProcess server) throws Exception;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("| the server | decisions | degraded | p99 | the longest | of 100 ms, the longest sleep |");
        System.out.println("|---|---|---|---|---|---|");
        measure("is well", server -> Thread.sleep(FAULT.toMillis()));
        measure("is stopped (SIGSTOP) for 5 s", server -> {
            signal(server, "STOP");
            Thread.sleep(FAULT.toMillis());
            signal(server, "CONT");
        });
        measure("stands still for 130 of every 200 ms", server -> {
            long end = System.nanoTime() + FAULT.toNanos();
            while (System.nanoTime() < end) {
                signal(server, "STOP");
                Thread.sleep(STILL.toMillis());
                signal(server, "CONT");
                Thread.sleep(GOES.toMillis());
            }
        });
        measure("is killed", server -> {
            signal(server, "KILL");
            Thread.sleep(FAULT.toMillis());
        });
    }

    private static void measure(String name, Fault fault) throws Exception {
        try (ServerProcess server = ServerProcess.start("weir");
                Weir weir = RemoteWeir.at("grpc://127.0.0.1:" + server.port())
                        .deadline(DEADLINE)
                        .open()) {
            ask(weir, () -> Thread.sleep(CALM.toMillis())); // for the JVMs to compile it
            Waits waits = ask(weir, () -> fault.happen(server));
            System.out.printf(
                    "| %s | %,d | %,d | %.1f ms | %.1f ms | %.1f ms |%n",
                    name,
                    waits.all.size(),
                    waits.degraded.sum(),
                    waits.all.get((int) (waits.all.size() * 0.99)) / 1e6,
                    waits.all.get(waits.all.size() - 1) / 1e6,
                    waits.longestSleep.get() / 1e6);
        }
    }

    /** The waits of the callers, in nanoseconds. */
    private static final class Waits {
        private final List<Long> all = new ArrayList<>();
        private final LongAdder degraded = new LongAdder();
        private final LongAccumulator longestSleep = new LongAccumulator(Math::max, 0);
        private volatile boolean ended;

        synchronized void add(List<Long> some) {
            all.addAll(some);
        }
    }

    /** Something that takes a while. */
    private interface Period {
        void pass() throws Exception;
    }

    private static Waits ask(Weir weir, Period period) throws Exception {
        Waits waits = new Waits();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int first = i;
            threads.add(new Thread(() -> decide(weir, first, waits)));
        }
        threads.add(new Thread(() -> sleep(waits)));
        threads.forEach(Thread::start);
        try {
            period.pass();
        } finally {
            waits.ended = true;
            for (Thread each : threads) {
                each.join();
            }
        }
        waits.all.sort(null);
        return waits;
    }

    private static void decide(Weir weir, int first, Waits waits) {
        List<Long> own = new ArrayList<>();
        for (int i = first; !waits.ended; i++) {
            long begin = System.nanoTime();
            boolean degraded = weir.decide(Request.to("bench").with("user", "user-" + (i & 1_023)))
                    .degraded();
            own.add(System.nanoTime() - begin);
            waits.degraded.add(degraded ? 1 : 0);
            pause(1);
        }
        waits.add(own);
    }

    private static void sleep(Waits waits) {
        while (!waits.ended) {
            long begin = System.nanoTime();
            pause(DEADLINE.toMillis());
            waits.longestSleep.accumulate(System.nanoTime() - begin);
        }
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void signal(ServerProcess server, String signal) throws IOException, InterruptedException {
        int status = new ProcessBuilder("kill", "-" + signal, String.valueOf(server.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("kill -" + signal + ": status " + status);
        }
    }
}
