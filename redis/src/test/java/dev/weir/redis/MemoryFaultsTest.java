package dev.weir.redis;

import static dev.weir.redis.Faults.DEADLINE;
import static dev.weir.redis.Faults.PLENTY;
import static dev.weir.redis.NetworkFaultsTest.assertCountedOnce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.algorithm.Meter;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.store.StoreFailure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Filter;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Redis runs full, or forgets. */
class MemoryFaultsTest {
    private static final Duration BACK = Duration.ofSeconds(8);

    private static void fillUp(RedisProcess redis, String policy) {
        long used = Long.parseLong(redis.info("memory", "used_memory"));
        redis.cli("CONFIG", "SET", "maxmemory-policy", policy);
        redis.cli("CONFIG", "SET", "maxmemory", Long.toString(used + 500_000));
        for (int i = 0; i < 20; i++) {
            redis.cli("DEBUG", "POPULATE", "1000", "other" + i, "100");
        }
    }

    @Test
    void filledUpByOthersItIsUnavailableUntilThereIsRoom() {
        try (RedisProcess redis = RedisProcess.start();
                RedisStore store = Faults.open(redis.uri());
                Load load = Load.on(store, PLENTY, DEADLINE, "a", "b")) {
            load.awaitServing(BACK);
            fillUp(redis, "noeviction");
            load.next();
            load.awaitFailures(100);
            Tally full = load.next();
            assertThat(full.failed())
                    .as("%s", full)
                    .isEqualTo(full.failed(StoreFailure.UNAVAILABLE) + full.failed(StoreFailure.OPEN));
            redis.cli("CONFIG", "SET", "maxmemory", "0");
            load.awaitServing(BACK);
            assertCountedOnce(store, load.end(), "a", "b");
        }
    }

    @Test
    void whereCountersAreDroppedTheirLimitsStartAnewAndNobodyIsFailed() {
        Meter limit = Faults.limit(50);
        try (RedisProcess redis = RedisProcess.start();
                RedisStore store = Faults.open(redis.uri())) {
            Faults.awaitServed(store, "a");
            try (Load load = Load.on(store, limit, Duration.ofSeconds(2), "a")) {
                await().until(() -> Faults.taken(store, "a", limit) == 50);
                fillUp(redis, "allkeys-random");
                await().until(() -> {
                    fillUp(redis, "allkeys-random");
                    return load.next().admitted() > 0;
                });
                Tally all = load.end();
                assertThat(all.failed()).as("%s", all).isZero();
            }
        }
    }

    @Test
    void thatCountersMayBeDroppedIsSaidOnceAtTheStart() {
        List<String> lines = new CopyOnWriteArrayList<>();
        Logger logger = Logger.getLogger(EvictionWatch.class.getName());
        Filter before = logger.getFilter();
        logger.setFilter(record -> lines.add(record.getLevel() + " " + record.getMessage()));
        try (RedisProcess redis = RedisProcess.start("maxmemory 100mb", "maxmemory-policy allkeys-lru");
                RedisStore store = Faults.open(Faults.settings(redis.uri()).withConnections(3))) {
            await().until(() -> !lines.isEmpty());
            Faults.awaitServed(store, "a");
            redis.cli("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            await().until(() -> store.stats().connects() >= 6);
            Faults.awaitServed(store, "a");
            assertThat(lines)
                    .singleElement()
                    .satisfies(line -> assertThat(line)
                            .startsWith("WARNING")
                            .contains("maxmemory-policy is allkeys-lru", "expected: noeviction"));
        } finally {
            logger.setFilter(before);
        }
    }

    /** Another run of it, that knows nothing of before: each admits the limit, and no more. */
    @Test
    void startedAnewWithNothingEachOfItsLivesAdmitsTheLimit() {
        int lives = 4;
        Meter limit = Faults.limit(50);
        try (RedisProcess redis = RedisProcess.start();
                RedisStore store = Faults.open(redis.uri());
                Load load = Load.on(store, limit, DEADLINE, "a")) {
            for (int i = 0; i < lives; i++) {
                if (i > 0) {
                    redis.restart();
                }
                await().atMost(BACK).until(() -> {
                    var check = Faults.ask(store, "a", limit, 0);
                    return check.failure == null && check.outcome.remaining == 0;
                });
            }
            Tally all = load.end();
            // What it had taken as it was killed, nobody may have heard of.
            assertThat(all.admitted())
                    .as("%s", all)
                    .isBetween(lives * 50L - all.failed(StoreFailure.UNREACHABLE), lives * 50L);
        }
    }
}
