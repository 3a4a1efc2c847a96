package dev.weir.redis.internal.faults;

import static dev.weir.redis.internal.faults.NetworkFaultsTest.assertCountedOnce;
import static dev.weir.redis.internal.store.StoreFixture.DEADLINE;
import static dev.weir.redis.internal.store.StoreFixture.PLENTY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meter;
import dev.weir.redis.internal.node.EvictionWatch;
import dev.weir.redis.internal.store.AnswerTally;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.internal.store.SteadyLoad;
import dev.weir.redis.internal.store.StoreFixture;
import dev.weir.redis.testkit.RedisProcess;
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
                RedisSharedStore store = StoreFixture.open(redis.uri());
                SteadyLoad load = SteadyLoad.on(store, PLENTY, DEADLINE, "a", "b")) {
            load.awaitServing(BACK);
            fillUp(redis, "noeviction");
            load.next();
            load.awaitFailures(100);
            AnswerTally full = load.next();
            assertThat(full.failed())
                    .as("%s", full)
                    .isEqualTo(full.failed(StoreFailure.UNAVAILABLE) + full.failed(StoreFailure.OPEN));
            redis.cli("CONFIG", "SET", "maxmemory", "0");
            load.awaitServing(BACK);
            assertCountedOnce(store, load.end(), "a", "b");
        }
    }

    @Test
    void evictedCountersStartAgainAndNoRequestFails() {
        Meter limit = StoreFixture.limit(50);
        try (RedisProcess redis = RedisProcess.start();
                RedisSharedStore store = StoreFixture.open(redis.uri())) {
            StoreFixture.awaitServed(store, "a");
            try (SteadyLoad load = SteadyLoad.on(store, limit, Duration.ofSeconds(2), "a")) {
                await().until(() -> StoreFixture.taken(store, "a", limit) == 50);
                fillUp(redis, "allkeys-random");
                await().until(() -> {
                    fillUp(redis, "allkeys-random");
                    return load.next().admitted() > 0;
                });
                AnswerTally all = load.end();
                assertThat(all.failed()).as("%s", all).isZero();
            }
        }
    }

    @Test
    void anEvictionPolicyIsLoggedOnceAtTheStart() {
        List<String> lines = new CopyOnWriteArrayList<>();
        Logger logger = Logger.getLogger(EvictionWatch.class.getName());
        Filter before = logger.getFilter();
        logger.setFilter(record -> lines.add(record.getLevel() + " " + record.getMessage()));
        try (RedisProcess redis = RedisProcess.start("maxmemory 100mb", "maxmemory-policy allkeys-lru");
                RedisSharedStore store =
                        StoreFixture.open(StoreFixture.settings(redis.uri()).withConnections(3))) {
            await().until(() -> !lines.isEmpty());
            StoreFixture.awaitServed(store, "a");
            redis.cli("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            await().until(() -> store.stats().connects() >= 6);
            StoreFixture.awaitServed(store, "a");
            assertThat(lines)
                    .singleElement()
                    .satisfies(line -> assertThat(line)
                            .startsWith("WARNING")
                            .contains("maxmemory-policy is allkeys-lru", "expected: noeviction"));
        } finally {
            logger.setFilter(before);
        }
    }

    /** Another run that starts empty: each admits the limit, and no more. */
    @Test
    void startedAnewWithNothingEachOfItsLivesAdmitsTheLimit() {
        int lives = 4;
        Meter limit = StoreFixture.limit(50);
        try (RedisProcess redis = RedisProcess.start();
                RedisSharedStore store = StoreFixture.open(redis.uri());
                SteadyLoad load = SteadyLoad.on(store, limit, DEADLINE, "a")) {
            for (int i = 0; i < lives; i++) {
                if (i > 0) {
                    redis.restart();
                }
                await().atMost(BACK).until(() -> {
                    var check = StoreFixture.ask(store, "a", limit, 0);
                    return check.failure == null && check.outcome.remaining == 0;
                });
            }
            AnswerTally all = load.end();
            // Hits charged right before the kill may not have been reported to a caller.
            assertThat(all.admitted())
                    .as("%s", all)
                    .isBetween(lives * 50L - all.failed(StoreFailure.UNREACHABLE), lives * 50L);
        }
    }
}
