package dev.weir.benchmarks.server;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.Request;
import dev.weir.Weir;
import dev.weir.benchmarks.Median;
import dev.weir.remote.RemoteWeir;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures the cost of a remote decision to the process that asks: decisions per second of its CPU time, with the
 * server in a process of its own on loopback. Callers wait for each decision on threads, or keep many in flight on one.
 */
public final class RemoteCallerCost {
    private static final int ROUNDS = 5;
    private static final Duration ROUND = Duration.ofSeconds(3);
    private static final int IN_FLIGHT = 256;

    private static final String LEASED = """
            domain: bench
            rules:
              - name: ahead
                key_by: user
                consistency: leased
                limit: { requests: 1000000000, window: 1h, algorithm: fixed_window }
            """;

    private RemoteCallerCost() {}

    private record Round(long decisions, double cpuSeconds, long degraded) {
        double perCpuSecond() {
            return decisions / cpuSeconds;
        }
    }

    public static void main(String[] args) throws Exception {
        try (ServerProcess server = ServerProcess.start("weir");
                Weir weir = RemoteWeir.at("grpc://127.0.0.1:" + server.port())
                        .deadline(Duration.ofSeconds(1))
                        .open()) {
            measure(weir, "blocking, 1 thread", 1, false);
            measure(weir, "blocking, 16 threads", 16, false);
            measure(weir, "asynchronous, " + IN_FLIGHT + " in flight", 1, true);
        }
        Path rules = Files.writeString(Files.createTempFile("leased", ".yaml"), LEASED);
        try (ServerProcess server = ServerProcess.start("weir", "rules=" + rules);
                Weir weir = RemoteWeir.at("grpc://127.0.0.1:" + server.port())
                        .deadline(Duration.ofSeconds(1))
                        .open()) {
            measure(weir, "leased, 1 thread", 1, false);
            measure(weir, "leased, 16 threads", 16, false);
        } finally {
            Files.delete(rules);
        }
    }

    private static void measure(Weir weir, String name, int threads, boolean async) throws Exception {
        run(weir, threads, async); // for the JVM to compile it
        List<Round> rounds = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            rounds.add(run(weir, threads, async));
        }
        System.out.printf(
                "%-28s %,10.0f decisions per CPU second of the caller (%,.0f a second; degraded: %d)%n",
                name,
                Median.of(rounds, Round::perCpuSecond),
                Median.of(rounds, round -> round.decisions() / (double) ROUND.toSeconds()),
                rounds.stream().mapToLong(Round::degraded).sum());
    }

    private static Round run(Weir weir, int threads, boolean async) throws Exception {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        LongAdder decisions = new LongAdder();
        LongAdder degraded = new LongAdder();
        long cpu = system.getProcessCpuTime();
        long end = System.nanoTime() + ROUND.toNanos();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int first = i;
            Thread thread = new Thread(() -> {
                if (async) {
                    keepInFlight(weir, end, decisions, degraded);
                } else {
                    oneByOne(weir, first, end, decisions, degraded);
                }
            });
            thread.start();
            all.add(thread);
        }
        for (Thread each : all) {
            each.join();
        }
        return new Round(decisions.sum(), (system.getProcessCpuTime() - cpu) / 1e9, degraded.sum());
    }

    private static void oneByOne(Weir weir, int first, long end, LongAdder decisions, LongAdder degraded) {
        for (int i = first; System.nanoTime() < end; i++) {
            boolean missed = weir.decide(request(i)).degraded();
            decisions.add(missed ? 0 : 1);
            degraded.add(missed ? 1 : 0);
        }
    }

    private static void keepInFlight(Weir weir, long end, LongAdder decisions, LongAdder degraded) {
        Semaphore room = new Semaphore(IN_FLIGHT);
        for (int i = 0; System.nanoTime() < end; i++) {
            room.acquireUninterruptibly();
            var unused = weir.decideAsync(request(i)).whenComplete((decision, failure) -> {
                room.release();
                boolean missed = failure != null || decision.degraded();
                decisions.add(missed ? 0 : 1);
                degraded.add(missed ? 1 : 0);
            });
        }
        room.acquireUninterruptibly(IN_FLIGHT);
    }

    private static Request request(int i) {
        return Request.to("bench").with("user", "user-" + (i & 1_023));
    }
}
