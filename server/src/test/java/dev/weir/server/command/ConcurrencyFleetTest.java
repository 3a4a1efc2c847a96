package dev.weir.server.command;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.ProcessSignal;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.testkit.ServedProcess;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three servers on one Redis, 200 callers that take permits at one server and release them at any, and servers that are
 * killed in between. {@code -Dweir.kills} is how many; {@code .ci/long} has more.
 *
 * <p>Callers go to the next server if one does not answer, as those behind a balancer do. Otherwise they would lose a third
 * of their releases while a server is down, and these permits would end with their time to live only.
 */
class ConcurrencyFleetTest {
    private static final int SERVERS = 3;
    private static final int CALLERS = 200;
    private static final int KILLS = Integer.getInteger("weir.kills", 1);
    private static final Duration TTL = Duration.ofSeconds(5);
    /** A caller that waited longer gives up: a permit may have ended before its answer came. */
    private static final Duration PATIENCE = TTL.dividedBy(2);

    private static final int FEW = 20;
    private static final int MANY = 5_000;
    private static final String RULES = """
            domain: api
            on_fail: deny
            deadline: 900ms
            rules:
              - { name: few, match: { user_id: few }, limit: { requests: %d, algorithm: concurrency, permit_ttl: 5s } }
              - name: many
                match: { user_id: many }
                consistency: leased
                limit: { requests: %d, algorithm: concurrency, permit_ttl: 5s }
            """;

    private static final List<ServedProcess> servers = new CopyOnWriteArrayList<>();
    private static final ExecutorService threads = Executors.newCachedThreadPool();
    private static RedisProcess redis;

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    /** By how many the limit was exceeded. */
    private final AtomicInteger over = new AtomicInteger();

    private final AtomicLong passed = new AtomicLong();
    private final AtomicLong denied = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicBoolean ended = new AtomicBoolean();

    @TempDir
    static Path folder;

    /**
     * The calls of a test.
     *
     * @param user the caller whose limit they share
     * @param ofEach how many calls each of the {@link #CALLERS} has going at a time
     * @param mostHits a call takes from 1 to so many permits
     * @param millis how long a call takes, from half of it to one and a half
     */
    private record Calls(String user, int limit, int ofEach, int mostHits, int millis) {}

    /** One call that is going on. */
    private record Call(String permit, int hits, long end) {}

    @BeforeAll
    static void start() throws Exception {
        Files.writeString(folder.resolve("rules.yaml"), RULES.formatted(FEW, MANY));
        redis = RedisProcess.start();
        List<Future<ServedProcess>> starting = new ArrayList<>();
        for (int i = 0; i < SERVERS; i++) {
            starting.add(threads.submit(ConcurrencyFleetTest::server));
        }
        for (Future<ServedProcess> each : starting) {
            servers.add(each.get());
        }
    }

    @AfterAll
    static void stop() {
        threads.shutdownNow();
        servers.forEach(ServedProcess::close);
        redis.close();
    }

    @Test
    void neverMoreThanTheLimitAreInFlightAndKilledServersCostNoPermitForLong() throws Exception {
        run(new Calls("few", FEW, 1, 1, 200), FEW);
    }

    /** A server that is stopped for longer than permits live comes back, and its callers with it. */
    @Test
    void aServerThatStandsStillForLongerThanAPermitLivesExceedsNoLimit() throws Exception {
        Calls calls = new Calls("few", FEW, 1, 1, 200);
        List<Future<?>> callers = new ArrayList<>();
        try {
            for (int i = 0; i < CALLERS; i++) {
                callers.add(threads.submit(() -> callsOfOne(calls)));
            }
            awaitUse(FEW);
            Process victim = servers.get(0).process();
            ProcessSignal.pause(victim.pid());
            try {
                long stopped = System.nanoTime();
                await().atMost(TTL.plusSeconds(60)).until(() -> System.nanoTime() - stopped >= 2 * TTL.toNanos());
                most.set(0);
            } finally {
                ProcessSignal.resume(victim.pid());
            }
            awaitUse(FEW);
            ended.set(true);
            for (Future<?> each : callers) {
                each.get();
            }
            assertThat(over).as(this::seen).hasValue(0);
            await().atMost(TTL.plusSeconds(10)).until(() -> inFlightBy(0, calls.user) == 0);
        } finally {
            ended.set(true);
            callers.forEach(each -> each.cancel(true));
        }
    }

    /** Callers wish for some 6,000 permits, in 10 calls each. Every release goes to a random server. */
    @Test
    void serversThatCountByThemselvesKeepToTheLimitTooAndRarelyAskRedis() throws Exception {
        double calls = run(new Calls("many", MANY, 10, 5, 1_500), MANY * 95 / 100);
        assertThat(calls).as("Redis calls for each acquire: %s", seen()).isLessThan(0.1);
    }

    /**
     * Runs the calls; {@code full} permits must come to be in flight, also a time to live after each kill. Returns how
     * many script calls Redis had for each acquire.
     */
    private double run(Calls calls, int full) throws Exception {
        List<Future<?>> callers = new ArrayList<>();
        try {
            for (int i = 0; i < CALLERS; i++) {
                callers.add(threads.submit(() -> callsOfOne(calls)));
            }
            awaitUse(full);
            long asked = passed.get() + denied.get();
            long before = scriptCalls();
            Random random = new Random();
            for (int i = 0; i < KILLS; i++) {
                int victim = random.nextInt(SERVERS);
                long killed = System.nanoTime();
                servers.get(victim).process().destroyForcibly().onExit().join();
                Future<?> next = threads.submit(() -> servers.set(victim, server()));
                // What the killed server took, and did not give back, has ended by then. The others can use it.
                await().atMost(TTL.plusSeconds(60)).until(() -> System.nanoTime() - killed >= TTL.toNanos());
                most.set(0);
                awaitUse(full);
                System.out.printf("%d in flight %d ms after a kill%n", most.get(), millisSince(killed));
                next.get();
            }
            double callsPerAcquire = (double) (scriptCalls() - before) / (passed.get() + denied.get() - asked);
            ended.set(true);
            for (Future<?> each : callers) {
                each.get();
            }
            assertThat(over).as(this::seen).hasValue(0);
            assertThat(denied).hasPositiveValue();
            await().atMost(TTL.plusSeconds(10)).until(() -> inFlightBy(0, calls.user) == 0);
            System.out.printf("%s: %s, Redis calls per acquire %.3f%n", calls, seen(), callsPerAcquire);
            return callsPerAcquire;
        } finally {
            ended.set(true);
            callers.forEach(each -> each.cancel(true));
        }
    }

    private void awaitUse(int full) {
        await().atMost(60, SECONDS)
                .untilAsserted(() -> assertThat(most).as(this::seen).hasValueGreaterThanOrEqualTo(full));
    }

    private static long millisSince(long nanos) {
        return (System.nanoTime() - nanos) / 1_000_000;
    }

    private static long scriptCalls() {
        return redis.commandCalls().getOrDefault("evalsha", 0L);
    }

    private String seen() {
        return "passed " + passed + ", denied " + denied + ", failed " + failed + ", in flight " + inFlight + ", most "
                + most + ", over " + over;
    }

    private static ServedProcess server() throws IOException {
        return ServedProcess.in(folder, "--rules=rules.yaml", "--store=" + redis.uri(), "--event-loops=1");
    }

    /** Keeps calls going: takes permits, holds them while the call lasts, and releases them at any server. */
    private Void callsOfOne(Calls calls) throws InterruptedException {
        PriorityQueue<Call> going = new PriorityQueue<>(Comparator.comparingLong(Call::end));
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long nextTry = System.nanoTime();
        while (!ended.get()) {
            long now = System.nanoTime();
            Call first = going.peek();
            boolean wantsMore = going.size() < calls.ofEach;
            if (first != null && now - first.end >= 0) {
                release(going.remove());
            } else if (wantsMore && now - nextTry >= 0) {
                if (!acquire(calls, going)) {
                    nextTry = now + MILLISECONDS.toNanos(random.nextInt(100, 500));
                }
            } else {
                long next = wantsMore ? nextTry : Long.MAX_VALUE;
                NANOSECONDS.sleep((first == null ? next : Math.min(next, first.end)) - now);
            }
        }
        for (Call each : going) {
            release(each);
        }
        return null;
    }

    /** Starts a call if it gets its permits. */
    private boolean acquire(Calls calls, PriorityQueue<Call> going) throws InterruptedException {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        int hits = random.nextInt(calls.mostHits) + 1;
        HttpResponse<String> acquired =
                postAnywhere("acquire", "{\"user_id\": \"" + calls.user + "\", \"hits\": " + hits + "}");
        if (acquired == null || acquired.statusCode() != 200) {
            denied.incrementAndGet();
            return false;
        }
        int now = inFlight.addAndGet(hits);
        most.accumulateAndGet(now, Math::max);
        over.accumulateAndGet(now - calls.limit, Math::max);
        passed.incrementAndGet();
        long lasts = MILLISECONDS.toNanos(calls.millis / 2 + random.nextInt(calls.millis));
        return going.add(new Call(acquired.body(), hits, System.nanoTime() + lasts));
    }

    /** Ends a call and releases its permits. */
    private void release(Call call) throws InterruptedException {
        inFlight.addAndGet(-call.hits);
        postAnywhere("release", call.permit);
    }

    /** Posts to a random server, and to the next if that does not answer; null if none does. */
    private @Nullable HttpResponse<String> postAnywhere(String path, String body) throws InterruptedException {
        int first = ThreadLocalRandom.current().nextInt(SERVERS);
        for (int i = 0; i < SERVERS; i++) {
            try {
                return post((first + i) % SERVERS, path, body);
            } catch (IOException e) {
                // That server was killed or stopped: what it took for this call ends with its time to live.
                failed.incrementAndGet();
            }
        }
        return null;
    }

    private HttpResponse<String> post(int server, String path, String body) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(servers.get(server).http() + "/v1/concurrency/" + path))
                        .header("Content-Type", "application/json")
                        .timeout(PATIENCE)
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    private long inFlightBy(int server, String user) throws IOException, InterruptedException {
        URI status = URI.create(servers.get(server).http() + "/v1/ratelimit/status/" + user);
        HttpResponse<String> answer = client.send(HttpRequest.newBuilder(status).build(), BodyHandlers.ofString());
        JsonArray limits = new JsonObject(answer.body()).getJsonArray("limits");
        return limits.stream()
                .mapToLong(each -> ((JsonObject) each).getLong("in_flight"))
                .sum();
    }
}
