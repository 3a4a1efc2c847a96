package dev.weir.redis.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import dev.weir.redis.BreakerSettings;
import dev.weir.redis.internal.script.RedisKey;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.testkit.RedisProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** The common parts of the tests of faults. */
public final class StoreFixture {
    /** Long enough for a busy machine to answer in while all is well. */
    public static final Duration DEADLINE = Duration.ofMillis(100);

    private static final Duration WINDOW = Duration.ofDays(30);

    /** A limit that is never reached, and counts every hit. */
    public static final Meter PLENTY = limit(1_000_000_000);

    private static boolean warm;

    private StoreFixture() {}

    /** A limit of so many hits, which does not refill during a test. */
    public static Meter limit(long requests) {
        return Meters.of(Limit.of(Algorithm.FIXED_WINDOW, requests, WINDOW));
    }

    /** The default settings with a longer deadline, and probes so frequent that a test need not wait long. */
    public static RedisSettings settings(String uri) {
        return settings(uri, DEADLINE);
    }

    /** The default settings with this deadline, within which no answer is slow, and frequent probes. */
    public static RedisSettings settings(String uri, Duration deadline) {
        return RedisSettings.of(uri)
                .withDeadline(deadline)
                .withBreaker(new BreakerSettings(10, 5, 50, deadline, Duration.ofMillis(100), Duration.ofMillis(400)));
    }

    public static RedisSharedStore open(String uri) {
        return open(settings(uri));
    }

    public static RedisSharedStore open(RedisSettings settings) {
        warmUp();
        return RedisSharedStore.open(settings);
    }

    /** Cold, a JVM takes longer to find its classes than anybody here waits. So does a server, and warms up before it is ready. */
    private static synchronized void warmUp() {
        if (warm) {
            return;
        }
        warm = true;
        try (RedisProcess redis = RedisProcess.start();
                RedisSharedStore store = RedisSharedStore.open(settings(redis.uri()))) {
            awaitServed(store, "warm");
            try (SteadyLoad load = SteadyLoad.on(store, PLENTY, Duration.ofSeconds(20), "warm")) {
                load.awaitAnswers(1_000);
            }
        }
    }

    /** Hits that were taken from a counter, by whomever, as the store says. */
    public static long taken(SharedStore store, String key, Meter meter) {
        Check check = ask(store, key, meter, 0);
        assertThat(check.failure).isNull();
        return meter.limit().requests() - check.outcome.remaining;
    }

    /** Asks once and waits for the answer. */
    public static Check ask(SharedStore store, String key, Meter meter, long hits) {
        return new AwaitableAsk()
                .on(key, meter, hits)
                .now(store, Duration.ofSeconds(5))
                .checks
                .get(0);
    }

    /** Waits until a single ask is answered without failure. */
    public static void awaitServed(SharedStore store, String key) {
        await().atMost(Duration.ofSeconds(30))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> ask(store, key, PLENTY, 0).failure == null);
    }

    /** Returns the key of a counter of {@link SteadyLoad} in Redis. */
    public static String redisKey(String key) {
        Check check = new Check();
        AwaitableAsk.fill(check, key, key, PLENTY, 0);
        return new String(RedisKey.of(check.name), StandardCharsets.US_ASCII);
    }
}
