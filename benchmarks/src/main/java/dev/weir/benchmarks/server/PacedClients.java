package dev.weir.benchmarks.server;

import dev.weir.benchmarks.BenchmarkOptions;
import dev.weir.client.PacedHttpClient;
import dev.weir.client.Pacer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures in real time how clients with {@link PacedHttpClient} use a limit of a server in another process, and beside
 * them clients that only obey {@code Retry-After}. Each run has a limit of its own. The runs of one client go on at the same time, because a few hundred
 * calls a second are little, and then those of twenty. {@code --clients 1} or {@code 20} leaves the others out.
 */
public final class PacedClients {
    /** The calls that each client keeps in flight or waiting. */
    private static final int IN_FLIGHT = 16;

    private static final int WARM_UP_CALLS = 4_000;
    /** Clients do not start in the same moment. */
    private static final int START_WITHIN_MILLIS = 50;
    /** Calls within a slot are taken to come at once. */
    private static final long SLOT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final List<Plan> PLANS = List.of(
            new Plan("token bucket, 50 a second", "requests: 50, window: 1s", 50, 50, 1, 1_000, true),
            new Plan("token bucket, 50 a second", "requests: 50, window: 1s", 50, 50, 20, 3_000, true),
            new Plan("token bucket, 50 a second", "requests: 50, window: 1s", 50, 50, 1, 1_000, false),
            new Plan("token bucket, 50 a second", "requests: 50, window: 1s", 50, 50, 20, 3_000, false),
            minute(1, 1_000, true),
            minute(20, 2_000, true),
            minute(1, 1_000, false),
            new Plan("fixed window, 50 a second", windows("fixed_window"), 50, 50, 1, 1_000, true),
            new Plan("fixed window, 50 a second", windows("fixed_window"), 50, 50, 20, 3_000, true),
            new Plan("sliding window, 50 a second", windows("sliding_window"), 50, 50, 1, 1_000, true),
            new Plan("sliding window, 50 a second", windows("sliding_window"), 50, 50, 20, 3_000, true));

    private PacedClients() {}

    /** Clients that make so many calls together, under a limit with this rate a second and this burst. */
    private record Plan(String name, String limit, double rate, int burst, int clients, int calls, boolean paced) {
        /** The least time that the limit allows for the calls. */
        double idealSeconds() {
            return (calls - burst) / rate;
        }
    }

    private static Plan minute(int clients, int calls, boolean paced) {
        String limit = "requests: 1000, window: 1m, burst: 50";
        return new Plan("token bucket, 1,000 a minute, burst 50", limit, 1_000 / 60.0, 50, clients, calls, paced);
    }

    private static String windows(String algorithm) {
        return "requests: 50, window: 1s, algorithm: " + algorithm;
    }

    @SuppressWarnings("try") // the server is asked by its port
    public static void main(String[] args) throws Exception {
        StringBuilder rules = new StringBuilder("domain: bench\nrules:\n");
        for (int i = 0; i < PLANS.size(); i++) {
            rules.append("  - name: run-%d%n    match: { endpoint: \"/run-%d\" }%n    limit: { %s }%n"
                    .formatted(i, i, PLANS.get(i).limit()));
        }
        Path file = Files.writeString(Files.createTempFile("paced", ".yaml"), rules);
        int port = ServerProcess.freePort();
        try (ServerProcess server = ServerProcess.start("weir", "rules=" + file, "http_port=" + port)) {
            HttpClient http =
                    HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
            String url = "http://127.0.0.1:" + port;
            warmUp(http, url);
            System.out.println(
                    "| limit | clients | calls | time / least | 429 after 1 s | fairness (Jain) | most in 20 ms |");
            System.out.println("|---|---|---|---|---|---|---|");
            int only = new BenchmarkOptions(List.of(args)).number("--clients", 0);
            for (int clients : only == 0 ? new int[] {1, 20} : new int[] {only}) {
                List<Run> runs = new ArrayList<>();
                for (int i = 0; i < PLANS.size(); i++) {
                    if (PLANS.get(i).clients() == clients) {
                        runs.add(new Run(PLANS.get(i), http, url, "/run-" + i));
                    }
                }
                runs.forEach(Run::start);
                for (Run each : runs) {
                    System.out.println(each.row());
                }
            }
        } finally {
            Files.delete(file);
        }
    }

    /** Makes calls that no rule limits, for both JVMs to compile what they run. */
    private static void warmUp(HttpClient http, String url) {
        HttpRequest free = request(url, "/free");
        for (int i = 0; i < WARM_UP_CALLS; i += IN_FLIGHT) {
            List<CompletableFuture<HttpResponse<Void>>> some = new ArrayList<>();
            for (int j = 0; j < IN_FLIGHT; j++) {
                some.add(http.sendAsync(free, BodyHandlers.discarding()));
            }
            some.forEach(CompletableFuture::join);
        }
    }

    /** A request that asks as a gateway would: the answer is 200 or 429, with the headers of a limited API. */
    private static HttpRequest request(String url, String path) {
        return HttpRequest.newBuilder(URI.create(url + "/v1/ratelimit/forward?from=forwarded"))
                .header("X-Forwarded-Uri", path)
                .build();
    }

    /** The clients of one plan. */
    private static final class Run {
        private final Plan plan;
        private final List<Client> clients = new ArrayList<>();
        private final AtomicInteger passed = new AtomicInteger();
        private final LongAdder answers = new LongAdder();
        private final LongAdder refusedLater = new LongAdder();
        private final LongAdder failures = new LongAdder();
        private final AtomicLong last = new AtomicLong();
        private final Map<Long, Integer> slots = new ConcurrentHashMap<>();
        private final CountDownLatch done = new CountDownLatch(1);
        private long start;

        Run(Plan plan, HttpClient http, String url, String path) {
            this.plan = plan;
            HttpRequest request = request(url, path);
            for (int i = 0; i < plan.clients(); i++) {
                // Refused calls are sent again here, so that they can be counted.
                Pacer pacer = Pacer.builder()
                        .maxRetries(0)
                        .maxWait(Duration.ofMinutes(10))
                        .build();
                clients.add(new Client(this, plan.paced() ? PacedHttpClient.of(http, pacer) : http, request));
            }
        }

        void start() {
            start = System.nanoTime();
            for (Client each : clients) {
                each.later(ThreadLocalRandom.current().nextLong(START_WITHIN_MILLIS), () -> {
                    for (int i = 0; i < IN_FLIGHT; i++) {
                        each.call();
                    }
                });
            }
        }

        void answered(Client client, boolean refused) {
            long now = System.nanoTime();
            answers.increment();
            if (now - start > TimeUnit.SECONDS.toNanos(10)) {
                slots.merge(now / SLOT_NANOS, 1, Integer::sum);
            }
            if (refused) {
                refusedLater.add(now - start > TimeUnit.SECONDS.toNanos(1) ? 1 : 0);
                return;
            }
            int number = passed.incrementAndGet();
            if (number <= plan.calls()) {
                client.passed.increment();
            }
            if (number == plan.calls()) {
                last.set(now);
                done.countDown();
            }
        }

        String row() throws InterruptedException {
            done.await();
            double seconds = (last.get() - start) / 1e9;
            double sum = clients.stream().mapToDouble(each -> each.passed.sum()).sum();
            double squares = clients.stream()
                    .mapToDouble(each -> (double) each.passed.sum() * each.passed.sum())
                    .sum();
            return String.format(
                    "| %s%s | %d | %,d | %.2f (%.1f s) | %.2f %% | %.3f | %d |%s",
                    plan.name(),
                    plan.paced() ? "" : ", Retry-After alone",
                    plan.clients(),
                    plan.calls(),
                    seconds / plan.idealSeconds(),
                    seconds,
                    100.0 * refusedLater.sum() / answers.sum(),
                    sum * sum / (clients.size() * squares),
                    slots.values().stream().mapToInt(each -> each).max().orElse(0),
                    failures.sum() == 0 ? "" : " failures: " + failures.sum());
        }
    }

    /** A client that makes calls until those of its run are done. */
    private static final class Client {
        private final Run run;
        private final HttpClient http;
        private final HttpRequest request;
        private final LongAdder passed = new LongAdder();
        private volatile long blockedUntil = System.nanoTime();

        Client(Run run, HttpClient http, HttpRequest request) {
            this.run = run;
            this.http = http;
            this.request = request;
        }

        void call() {
            if (run.passed.get() >= run.plan.calls()) {
                return;
            }
            long wait = run.plan.paced() ? 0 : blockedUntil - System.nanoTime();
            if (wait > 0) {
                later(TimeUnit.NANOSECONDS.toMillis(wait) + 1, this::call);
                return;
            }
            var unused = http.sendAsync(request, BodyHandlers.discarding()).whenComplete((response, failure) -> {
                if (failure != null) {
                    run.failures.increment();
                    later(100, this::call);
                    return;
                }
                boolean refused = response.statusCode() != 200;
                if (refused) {
                    blockedUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(retryAfter(response));
                }
                run.answered(this, refused);
                call();
            });
        }

        void later(long millis, Runnable action) {
            Executor timer = CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS);
            timer.execute(action);
        }

        private static long retryAfter(HttpResponse<?> response) {
            return response.headers().firstValueAsLong("Retry-After").orElse(1);
        }
    }
}
