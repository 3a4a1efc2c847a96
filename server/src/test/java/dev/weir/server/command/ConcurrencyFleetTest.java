package dev.weir.server.command;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.RedisProcess;
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
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three servers on one Redis, 200 callers that take a permit at one server and release it at another, and servers that are
 * killed in between. {@code -Dweir.kills} is how many; {@code .ci/long} has more.
 */
class ConcurrencyFleetTest {
    private static final int SERVERS = 3;
    private static final int CALLERS = 200;
    private static final int LIMIT = 20;
    private static final int KILLS = Integer.getInteger("weir.kills", 2);
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final String RULES = """
            domain: api
            rules:
              - name: calls
                on_fail: deny
                deadline: 900ms
                limit: { requests: 20, algorithm: concurrency, permit_ttl: 5s }
            """;

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private final List<ServedProcess> servers = new CopyOnWriteArrayList<>();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    /** By how many the limit was exceeded. */
    private final AtomicInteger over = new AtomicInteger();

    private final AtomicLong passed = new AtomicLong();
    private final AtomicLong denied = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicBoolean ended = new AtomicBoolean();

    @Test
    void neverMoreThanTheLimitAreInFlightAndKilledServersCostNoPermitForLong(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("rules.yaml"), RULES);
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        try (RedisProcess redis = RedisProcess.start()) {
            for (int i = 0; i < SERVERS; i++) {
                servers.add(server(folder, redis));
            }
            for (int i = 0; i < CALLERS; i++) {
                callers.execute(this::call);
            }
            await().atMost(60, SECONDS)
                    .untilAsserted(() -> assertThat(most).as(this::seen).hasValue(LIMIT));
            Random random = new Random();
            for (int i = 0; i < KILLS; i++) {
                int victim = random.nextInt(SERVERS);
                servers.get(victim).process().destroyForcibly().onExit().join();
                servers.set(victim, server(folder, redis));
                most.set(0);
                // Permits that the killed server took, and whose answers nobody heard, have ended by then.
                await().atMost(TTL.plusSeconds(30))
                        .untilAsserted(() -> assertThat(most).as(this::seen).hasValue(LIMIT));
            }
            ended.set(true);
            callers.shutdown();
            assertThat(callers.awaitTermination(60, SECONDS)).isTrue();
            assertThat(over).as(this::seen).hasValue(0);
            assertThat(denied).hasPositiveValue();
            await().atMost(TTL.plusSeconds(10)).until(() -> status(0) == 0);
        } finally {
            ended.set(true);
            callers.shutdownNow();
            servers.forEach(ServedProcess::close);
        }
    }

    private String seen() {
        return "passed " + passed + ", denied " + denied + ", failed " + failed + ", in flight " + inFlight + ", most "
                + most + ", over " + over;
    }

    private static ServedProcess server(Path folder, RedisProcess redis) throws IOException {
        return ServedProcess.in(folder, "--rules=rules.yaml", "--store=" + redis.uri(), "--event-loops=1");
    }

    /** Takes permits, holds them for a moment and releases them, over and over. */
    private void call() {
        while (!ended.get()) {
            try {
                HttpResponse<String> acquired = post("acquire", "{\"user_id\": \"u\"}");
                if (acquired.statusCode() == 200) {
                    int now = inFlight.incrementAndGet();
                    most.accumulateAndGet(now, Math::max);
                    over.accumulateAndGet(now - LIMIT, Math::max);
                    Thread.sleep(ThreadLocalRandom.current().nextInt(100, 300));
                    inFlight.decrementAndGet();
                    passed.incrementAndGet();
                    post("release", acquired.body());
                } else {
                    denied.incrementAndGet();
                    Thread.sleep(ThreadLocalRandom.current().nextInt(100, 500));
                }
            } catch (IOException e) {
                failed.incrementAndGet(); // that server was killed: what it took ends with its time to live
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        String server =
                servers.get(ThreadLocalRandom.current().nextInt(SERVERS)).http();
        return client.send(
                HttpRequest.newBuilder(URI.create(server + "/v1/concurrency/" + path))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    private long status(int server) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create(servers.get(server).http() + "/v1/ratelimit/status/u"))
                .build();
        JsonObject status =
                new JsonObject(client.send(request, BodyHandlers.ofString()).body());
        List<Long> flying = new ArrayList<>();
        status.getJsonArray("limits").forEach(each -> flying.add(((JsonObject) each).getLong("in_flight")));
        return flying.stream().mapToLong(Long::longValue).sum();
    }
}
