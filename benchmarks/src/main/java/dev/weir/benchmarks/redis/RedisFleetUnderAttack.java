package dev.weir.benchmarks.redis;

import dev.weir.benchmarks.BenchmarkOptions;
import dev.weir.benchmarks.Median;
import dev.weir.redis.testkit.RedisProcess;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Starts several {@code ./weir serve} on one Redis, and measures the decisions of well-behaved callers, in turns without
 * and with an attacker. The attacker has one connection and sends the costliest requests that are allowed, at a fixed
 * rate. Prints the latency of both, and how many decisions were degraded.
 *
 * <pre>{@code
 * MAIN=RedisFleetUnderAttack benchmarks/run [--servers 3] [--callers 2] [--pause 2000] [--attacks 100] [--rounds 5]
 *     [--seconds 5] [--deadline 10ms]
 * }</pre>
 *
 * {@code --callers} ask each server, {@code --pause} microseconds after their last answer.
 */
public final class RedisFleetUnderAttack {
    private static final int USERS = 1_000;
    private static final List<Attack> ATTACKS = List.of(Attack.values());
    private static final String RULES = """
            domain: default
            rules:
              - { name: user, match: { kind: user }, key_by: user_id, limit: { requests: 1000000, window: 1d } }
              - { name: bucket, match: { kind: bucket }, key_by: user_id, limit: { requests: 1000000, window: 1m } }
              - name: parts
                match: { kind: parts }
                key_by: user_id
                limit: { requests: 1000000, window: 1s, algorithm: sliding_window, sub_windows: 1000 }
              - name: log
                match: { kind: log }
                key_by: user_id
                limit: { requests: 10000, window: 1m, algorithm: sliding_window_log }
            """;

    /** The attacker's requests, sent in turn; each is as costly as max_request_cost allows by default. */
    private enum Attack {
        MANY_NEW_COUNTERS("bucket", 128, 1, true),
        MANY_SUB_WINDOWS("parts", 4, 1, false),
        MANY_LOGS("log", 4, 10_000, true);

        private final String kind;
        private final int checks;
        private final int hits;
        private final boolean fresh;

        Attack(String kind, int checks, int hits, boolean fresh) {
            this.kind = kind;
            this.checks = checks;
            this.hits = hits;
            this.fresh = fresh;
        }

        String body(int number) {
            String user = fresh ? "a" + number + "_" : "a";
            return IntStream.range(0, checks)
                    .mapToObj(i -> "{\"entries\":[{\"key\":\"kind\",\"value\":\"" + kind
                            + "\"},{\"key\":\"user_id\",\"value\":\"" + user + i + "\"}],\"hitsAddend\":" + hits + "}")
                    .collect(Collectors.joining(",", "{\"domain\":\"default\",\"descriptors\":[", "]}"));
        }
    }

    /** The answers of one round. */
    private static final class Tally {
        final Histogram micros = new Histogram(3);
        int degraded;
        int others;

        void add(Tally other) {
            micros.add(other.micros);
            degraded += other.degraded;
            others += other.others;
        }

        double percentile(double percentile) {
            return micros.getValueAtPercentile(percentile) / 1e3;
        }
    }

    private final BenchmarkOptions options;
    private final int seconds;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "caller");
        thread.setDaemon(true);
        return thread;
    });
    private int attacks;

    private RedisFleetUnderAttack(BenchmarkOptions options) {
        this.options = options;
        this.seconds = options.number("--seconds", 5);
    }

    public static void main(String[] args) throws Exception {
        new RedisFleetUnderAttack(new BenchmarkOptions(List.of(args))).run();
    }

    private void run() throws Exception {
        Path rules = Files.writeString(Files.createTempFile("fleet", ".yaml"), RULES);
        List<FleetServer> servers = new ArrayList<>();
        try (RedisProcess redis = RedisProcess.start()) {
            for (int i = 0; i < options.number("--servers", 3); i++) {
                servers.add(FleetServer.start(redis.uri(), rules, options.text("--deadline", "10ms")));
            }
            servers.forEach(FleetServer::awaitReady);
            round(servers, false); // warms up
            round(servers, true);
            List<Tally> alone = new ArrayList<>();
            List<Tally> attacked = new ArrayList<>();
            for (int i = 0; i < options.number("--rounds", 5); i++) {
                alone.add(round(servers, false));
                attacked.add(round(servers, true));
            }
            System.out.println(
                    "callers            decisions  p50 ms  p99 ms (median of rounds)  most ms  degraded  other answers");
            report("alone", alone);
            report("beside attacker", attacked);
            System.out.printf(
                    Locale.ROOT,
                    "p99 beside the attacker: %.2f times (median of pairs); load average %.1f%n",
                    Median.ofRatios(attacked, alone, tally -> tally.percentile(99)),
                    ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        } finally {
            threads.shutdownNow();
            servers.forEach(FleetServer::close);
            Files.delete(rules);
        }
    }

    private static void report(String name, List<Tally> rounds) {
        Tally all = new Tally();
        rounds.forEach(all::add);
        System.out.printf(
                Locale.ROOT,
                "%-17s %10d %7.2f %7.2f %28.2f %9d %14d%n",
                name,
                all.micros.getTotalCount(),
                all.percentile(50),
                Median.of(rounds, tally -> tally.percentile(99)),
                all.micros.getMaxValue() / 1e3,
                all.degraded,
                all.others);
    }

    private Tally round(List<FleetServer> servers, boolean attacked) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        List<Future<Tally>> callers = new ArrayList<>();
        for (int i = 0; i < servers.size() * options.number("--callers", 2); i++) {
            FleetServer server = servers.get(i % servers.size());
            int from = i * USERS;
            callers.add(threads.submit(() -> ask(server, from, end)));
        }
        Future<Integer> attacker = threads.submit(() -> attacked ? attack(servers.get(0), end) : 0);
        Tally all = new Tally();
        try {
            for (Future<Tally> each : callers) {
                all.add(each.get());
            }
            int refused = attacker.get();
            if (refused > 0) {
                System.out.println("the attacker was refused " + refused + " times: its requests cost too much");
            }
        } catch (ExecutionException e) {
            throw new IOException("a request failed", e);
        }
        return all;
    }

    private Tally ask(FleetServer server, int from, long end) throws IOException {
        Tally tally = new Tally();
        long pause = TimeUnit.MICROSECONDS.toNanos(options.number("--pause", 2_000));
        try (FleetCaller caller = new FleetCaller(server.port())) {
            for (int i = 0; System.nanoTime() < end; i++) {
                String body = "{\"kind\":\"user\",\"user_id\":\"u" + (from + i % USERS) + "\"}";
                long asked = System.nanoTime();
                FleetCaller.Answer answer = caller.check(body);
                tally.micros.recordValue((System.nanoTime() - asked) / 1_000);
                tally.degraded += answer.degraded() ? 1 : 0;
                tally.others += answer.passed() ? 0 : 1;
                LockSupport.parkNanos(pause);
            }
        }
        return tally;
    }

    /** Sends costly requests at a fixed rate; returns how many were refused. */
    private int attack(FleetServer server, long end) throws IOException {
        int refused = 0;
        long period = TimeUnit.SECONDS.toNanos(1) / options.number("--attacks", 100);
        try (FleetCaller caller = new FleetCaller(server.port())) {
            for (long due = System.nanoTime(); due < end; due += period) {
                LockSupport.parkNanos(due - System.nanoTime());
                int number = attacks++;
                Attack next = ATTACKS.get(number % ATTACKS.size());
                refused += caller.json(next.body(number)).status() == 400 ? 1 : 0;
            }
        }
        return refused;
    }
}
