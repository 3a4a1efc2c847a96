package dev.weir.redis.internal.faults;

import static dev.weir.redis.internal.faults.NetworkFaultsTest.assertCountedOnce;
import static dev.weir.redis.internal.store.StoreFixture.DEADLINE;
import static dev.weir.redis.internal.store.StoreFixture.PLENTY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meter;
import dev.weir.redis.internal.store.AnswerTally;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.internal.store.SteadyLoad;
import dev.weir.redis.internal.store.StoreFixture;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.redis.testkit.RespConnection;
import dev.weir.redis.testkit.RespConnection.RedisError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Redis is there, and is stopped, killed, emptied, filled up or busy. */
class ServerFaultsTest {
    private static final Duration BACK = Duration.ofSeconds(8);
    private static RedisProcess redis;

    private RedisSharedStore store;

    @BeforeAll
    static void startRedis() {
        redis = RedisProcess.start("busy-reply-threshold 50", "loading-process-events-interval-bytes 1024");
    }

    @AfterAll
    static void stopRedis() {
        redis.stop();
    }

    @BeforeEach
    void open() {
        redis.cli("FLUSHALL");
        redis.cli("CONFIG", "RESETSTAT");
        store = StoreFixture.open(redis.uri());
        StoreFixture.awaitServed(store, "ready");
    }

    @AfterEach
    void close() {
        store.close();
    }

    private SteadyLoad load(String... keys) {
        return SteadyLoad.on(store, PLENTY, DEADLINE, keys);
    }

    /** Under load: served, then {@code fault}, which fails callers in this way and no other, then {@code cure}, and served again. */
    private void assertFailsAndComesBack(StoreFailure kind, Runnable fault, Runnable cure) {
        try (SteadyLoad load = load("a", "b", "c")) {
            load.awaitServing(BACK);
            fault.run();
            load.next();
            load.awaitFailures(100);
            AnswerTally during = load.next();
            assertThat(during.failed(kind)).as("%s", during).isPositive();
            assertThat(during.failed())
                    .as("%s", during)
                    .isEqualTo(during.failed(kind) + during.failed(StoreFailure.OPEN));
            cure.run();
            load.awaitServing(BACK);
            assertCountedOnce(store, load.end(), "a", "b", "c");
        }
    }

    @Test
    void stoppedItTimesOutAndWhatTimedOutIsNotChargedWhenItGoesOn() {
        try (SteadyLoad load = load("stopped")) {
            load.awaitServing(BACK);
            load.next();
            redis.pause();
            AnswerTally around = load.next();
            load.awaitFailures(100);
            AnswerTally stopped = load.next();
            assertThat(stopped.admitted()).as("%s", stopped).isZero();
            // Callers wait for at most their deadline; once the breaker is open, nobody waits.
            assertThat(stopped.firstTimeout()).as("%s", stopped).isGreaterThanOrEqualTo(Duration.ZERO);
            load.awaitOpen();
            load.awaitAnswers(200);
            AnswerTally open = load.next();
            assertThat(open.medianFailure()).as("%s", open).isLessThan(Duration.ofMillis(20));
            redis.resume();
            load.awaitServing(BACK);
            AnswerTally all = load.end();
            assertThat(StoreFixture.taken(store, "stopped", PLENTY))
                    .as("taken: %s, of them as it was stopped: %s", all, around)
                    .isBetween(all.admitted(), all.admitted() + around.failed());
        } finally {
            redis.resume();
        }
    }

    @Test
    void killedAndStartedAgainItIsFoundAgain() {
        try (SteadyLoad load = load("a", "b", "c")) {
            load.awaitServing(BACK);
            redis.kill();
            load.next();
            load.awaitFailures(100);
            AnswerTally killed = load.next();
            assertThat(killed.admitted()).as("%s", killed).isZero();
            redis.restart();
            load.awaitServing(BACK);
        }
    }

    @Test
    void scriptsFlushedInALoopAreNoticedByNobody() throws IOException {
        Meter limit = StoreFixture.limit(700);
        try (RespConnection admin = redis.connect();
                SteadyLoad load = SteadyLoad.on(store, limit, Duration.ofSeconds(2), "flushed")) {
            await().atMost(BACK).until(() -> {
                admin.call("SCRIPT", "FLUSH");
                return StoreFixture.taken(store, "flushed", limit) == 700;
            });
            load.awaitAnswers(1_000);
            AnswerTally all = load.end();
            assertThat(all.failed()).as("%s", all).isZero();
            assertThat(all.admitted()).as("%s", all).isEqualTo(700);
            assertThat(store.stats().noScript()).isPositive();
        }
    }

    @Test
    void emptiedItStartsAnewAndNobodyIsFailed() {
        Meter limit = StoreFixture.limit(100);
        try (SteadyLoad load = SteadyLoad.on(store, limit, Duration.ofSeconds(2), "emptied")) {
            await().until(() -> StoreFixture.taken(store, "emptied", limit) == 100);
            redis.cli("FLUSHALL");
            await().until(() -> StoreFixture.taken(store, "emptied", limit) == 100);
            AnswerTally all = load.end();
            assertThat(all.failed()).as("%s", all).isZero();
            assertThat(all.admitted()).as("%s", all).isEqualTo(200);
        }
    }

    @Test
    void outOfMemoryItIsUnavailable() {
        assertFailsAndComesBack(
                StoreFailure.UNAVAILABLE,
                () -> redis.cli("CONFIG", "SET", "maxmemory", "1"),
                () -> redis.cli("CONFIG", "SET", "maxmemory", "0"));
    }

    @Test
    void asAReplicaItIsUnavailable() {
        assertFailsAndComesBack(
                StoreFailure.UNAVAILABLE,
                () -> redis.cli("REPLICAOF", "127.0.0.1", "1"),
                () -> redis.cli("REPLICAOF", "NO", "ONE"));
    }

    @Test
    void asAReplicaThatLostItsMasterItIsUnavailable() {
        redis.cli("CONFIG", "SET", "replica-serve-stale-data", "no");
        try {
            assertFailsAndComesBack(
                    StoreFailure.UNAVAILABLE,
                    () -> redis.cli("REPLICAOF", "127.0.0.1", "1"),
                    () -> redis.cli("REPLICAOF", "NO", "ONE"));
        } finally {
            redis.cli("CONFIG", "SET", "replica-serve-stale-data", "yes");
        }
    }

    @Test
    void withoutTheReplicasItWantsItIsUnavailable() {
        assertFailsAndComesBack(
                StoreFailure.UNAVAILABLE,
                () -> redis.cli("CONFIG", "SET", "min-replicas-to-write", "1"),
                () -> redis.cli("CONFIG", "SET", "min-replicas-to-write", "0"));
    }

    @Test
    void unableToSaveItIsUnavailable() throws IOException {
        // There is a folder in the place of its dump.
        Path dump = redis.folder().resolve("dump.rdb");
        Files.deleteIfExists(dump);
        Files.createDirectory(dump);
        try {
            assertFailsAndComesBack(
                    StoreFailure.UNAVAILABLE,
                    () -> {
                        redis.cli("CONFIG", "SET", "save", "3600 1000000000");
                        redis.cli("BGSAVE");
                    },
                    () -> redis.cli("CONFIG", "SET", "save", ""));
        } finally {
            Files.delete(dump);
            redis.cli("CONFIG", "SET", "stop-writes-on-bgsave-error", "no");
        }
    }

    @Test
    void loadingItIsUnavailable() {
        redis.cli("DEBUG", "POPULATE", "1000");
        redis.cli("CONFIG", "SET", "key-load-delay", "1000");
        try (SteadyLoad load = load("a", "b", "c")) {
            load.awaitServing(BACK);
            load.next();
            CompletableFuture<?> reload =
                    CompletableFuture.supplyAsync(() -> String.valueOf(redis.cli("DEBUG", "RELOAD")));
            load.awaitFailures(100);
            AnswerTally loading = load.next();
            assertThat(loading.failed(StoreFailure.UNAVAILABLE))
                    .as("%s", loading)
                    .isPositive();
            assertThat(reload.join()).isEqualTo("OK");
            load.awaitServing(BACK);
            assertCountedOnce(store, load.end(), "a", "b", "c");
        } finally {
            redis.cli("CONFIG", "SET", "key-load-delay", "0");
        }
    }

    @Test
    void busyWithAScriptOfSomebodyElseItIsLeftAlone() {
        try (SteadyLoad load = load("a", "b", "c")) {
            load.awaitServing(BACK);
            load.next();
            CompletableFuture<?> busy = CompletableFuture.runAsync(() -> {
                try {
                    redis.cli("EVAL", "while true do end", "0");
                } catch (RedisError killed) {
                    // This test kills it in the end.
                }
            });
            load.awaitFailures(300);
            AnswerTally during = load.next();
            assertThat(during.failed(StoreFailure.UNAVAILABLE)).as("%s", during).isPositive();
            assertThat(busy).isNotDone();
            redis.cli("SCRIPT", "KILL");
            busy.join();
            load.awaitServing(BACK);
            assertCountedOnce(store, load.end(), "a", "b", "c");
            assertThat(redis.commandCalls()).as("who ended it").containsEntry("script|kill", 1L);
        }
    }

    @Test
    void aKeyOfAnotherTypeStartsAnewAndTouchesNoOther() {
        Meter limit = StoreFixture.limit(50);
        try (SteadyLoad load = SteadyLoad.on(store, limit, Duration.ofSeconds(2), "spoilt", "other")) {
            await().until(() -> StoreFixture.taken(store, "spoilt", limit) == 50);
            String spoil = "redis.call('DEL', KEYS[1]) redis.call('RPUSH', KEYS[1], 'not', 'a', 'counter')";
            redis.cli("EVAL", spoil, "1", StoreFixture.redisKey("spoilt"));
            await().until(() -> StoreFixture.taken(store, "spoilt", limit) == 50
                    && "string".equals(redis.cli("TYPE", StoreFixture.redisKey("spoilt"))));
            AnswerTally all = load.end();
            assertThat(all.failed()).as("%s", all).isZero();
            assertThat(all.admitted("other")).isEqualTo(50);
            assertThat(all.admitted("spoilt")).isEqualTo(100);
        }
    }

    @Test
    void killedConnectionsAreReplaced() {
        try (SteadyLoad load = load("a", "b", "c")) {
            for (int i = 0; i < 5; i++) {
                load.awaitServing(BACK);
                redis.cli("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            }
            load.awaitServing(BACK);
            assertThat(store.stats().connects()).isGreaterThanOrEqualTo(6);
            assertCountedOnce(store, load.end(), "a", "b", "c");
        }
    }

    @Test
    void noRoomForOneMoreClientIsWaitedFor() throws IOException {
        try (RespConnection admin = redis.connect();
                SteadyLoad load = load("a", "b", "c")) {
            load.awaitServing(BACK);
            admin.call("CONFIG", "SET", "maxclients", "1");
            admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            load.next();
            // Redis sends the reason and closes the connection; either may arrive first.
            load.awaitFailures(1);
            admin.call("CONFIG", "SET", "maxclients", "10000");
            load.awaitServing(BACK);
            assertCountedOnce(store, load.end(), "a", "b", "c");
        } finally {
            redis.cli("CONFIG", "SET", "maxclients", "10000");
        }
    }
}
