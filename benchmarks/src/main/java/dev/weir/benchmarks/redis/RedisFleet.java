package dev.weir.benchmarks.redis;

import dev.weir.benchmarks.BenchmarkOptions;
import dev.weir.redis.testkit.RedisCluster;
import dev.weir.redis.testkit.RedisProcess;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;

/**
 * Starts several {@code ./weir serve} on one Redis at once and loads them over REST as soon as they are ready. Prints how
 * many requests pass a limit of a thousand. On a cluster every request also matches two wide limits whose counters are
 * in other hash slots; it prints their counts too.
 *
 * <pre>{@code
 * MAIN=RedisFleet benchmarks/run [--servers 3] [--clients 6,64,256] [--requests 6000] [--keys 3] [--starts 2]
 *     [--cluster no] [--deadline 10ms]
 * }</pre>
 */
public final class RedisFleet {
    private static final int LIMIT = 1_000;
    private static final int WIDE = 1_000_000;
    private static final String RULE =
            "  - { name: %s, key_by: %s, limit: { requests: %d, window: 1d, algorithm: fixed_window } }%n";

    private final BenchmarkOptions options;
    private final boolean cluster;
    private int keys;

    private RedisFleet(BenchmarkOptions options) {
        this.options = options;
        this.cluster = options.text("--cluster", "no").equals("yes");
    }

    public static void main(String[] args) throws Exception {
        RedisFleet fleet = new RedisFleet(new BenchmarkOptions(List.of(args)));
        System.out.println("clients  requests  passed  of them degraded  degraded  p50 ms  p99 ms  most ms"
                + (fleet.cluster ? "  counted by the others" : ""));
        for (int start = 0; start < fleet.options.number("--starts", 2); start++) {
            for (String clients : fleet.options.text("--clients", "6,64,256").split(",", -1)) {
                fleet.start(Integer.parseInt(clients));
            }
        }
    }

    private void start(int clients) throws Exception {
        Path rules = Files.writeString(Files.createTempFile("fleet", ".yaml"), rules());
        List<FleetServer> servers = new ArrayList<>();
        try (Store store = store()) {
            for (int i = 0; i < options.number("--servers", 3); i++) {
                servers.add(FleetServer.start(store.uri, rules, options.text("--deadline", "10ms")));
            }
            servers.forEach(FleetServer::awaitReady);
            for (int i = 0; i < options.number("--keys", 3); i++) {
                hammer(servers, clients, "k" + keys++);
            }
        } finally {
            servers.forEach(FleetServer::close);
            Files.delete(rules);
        }
    }

    private String rules() {
        return "domain: default\nrules:\n"
                + (cluster ? RULE.formatted("before", "api_key", WIDE) : "")
                + RULE.formatted("tight", "user_id", LIMIT)
                + (cluster ? RULE.formatted("behind", "ip", WIDE) : "");
    }

    /** The Redis that a fleet shares. */
    private record Store(String uri, Runnable end) implements AutoCloseable {
        @Override
        public void close() {
            end.run();
        }
    }

    private Store store() {
        if (cluster) {
            RedisCluster whole = RedisCluster.start(false);
            return new Store(whole.uri(), whole::close);
        }
        RedisProcess single = RedisProcess.start();
        return new Store(single.uri(), single::close);
    }

    private void hammer(List<FleetServer> servers, int clients, String key) throws Exception {
        String body = "{\"user_id\":\"%1$s\",\"api_key\":\"a%1$s\",\"ip\":\"i%1$s\"}".formatted(key);
        AtomicInteger left = new AtomicInteger(options.number("--requests", 6_000));
        Tally all = new Tally();
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            List<Future<Tally>> tallies = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                FleetServer server = servers.get(i % servers.size());
                tallies.add(threads.submit(() -> ask(server, body, left)));
            }
            for (Future<Tally> each : tallies) {
                all.add(each.get());
            }
        } catch (ExecutionException e) {
            throw new IOException("a request failed", e);
        } finally {
            threads.shutdown();
        }
        System.out.printf(
                Locale.ROOT,
                "%7d %9d %7d %17d %9d %7.2f %7.2f %8.2f%s%n",
                clients,
                all.micros.getTotalCount(),
                all.passed,
                all.passedDegraded,
                all.degraded,
                all.micros.getValueAtPercentile(50) / 1e3,
                all.micros.getValueAtPercentile(99) / 1e3,
                all.micros.getMaxValue() / 1e3,
                cluster ? "  " + others(servers.get(0), key) : "");
    }

    private static Tally ask(FleetServer server, String body, AtomicInteger left) throws IOException {
        Tally tally = new Tally();
        try (FleetCaller caller = new FleetCaller(server.port())) {
            while (left.decrementAndGet() >= 0) {
                long from = System.nanoTime();
                FleetCaller.Answer answer = caller.check(body);
                tally.micros.recordValue((System.nanoTime() - from) / 1_000);
                tally.passed += answer.passed() ? 1 : 0;
                tally.degraded += answer.degraded() ? 1 : 0;
                tally.passedDegraded += answer.passed() && answer.degraded() ? 1 : 0;
            }
        }
        return tally;
    }

    /** The hits that the limits beside the tight one have counted. */
    private static String others(FleetServer server, String key) throws IOException {
        try (FleetCaller caller = new FleetCaller(server.port())) {
            String path = "/v1/ratelimit/status/%1$s?api_key=a%1$s&ip=i%1$s".formatted(key);
            JsonObject status = new JsonObject(caller.get(path).body());
            return status.getJsonArray("limits").stream()
                    .map(JsonObject.class::cast)
                    .filter(limit -> limit.getLong("limit") == WIDE)
                    .map(limit -> String.valueOf(WIDE - limit.getLong("remaining")))
                    .reduce((a, b) -> a + ", " + b)
                    .orElse("?");
        }
    }

    /** Counts the responses. */
    private static final class Tally {
        final Histogram micros = new Histogram(3);
        int passed;
        int degraded;
        int passedDegraded;

        void add(Tally other) {
            micros.add(other.micros);
            passed += other.passed;
            degraded += other.degraded;
            passedDegraded += other.passedDegraded;
        }
    }
}
