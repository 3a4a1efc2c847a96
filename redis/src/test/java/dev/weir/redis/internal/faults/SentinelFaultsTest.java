package dev.weir.redis.internal.faults;

import static dev.weir.redis.internal.store.StoreFixture.DEADLINE;
import static dev.weir.redis.internal.store.StoreFixture.PLENTY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.internal.store.AnswerTally;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.internal.store.SteadyLoad;
import dev.weir.redis.internal.store.StoreFixture;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.redis.testkit.SentinelSet;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Sentinels choose another master. */
class SentinelFaultsTest {
    private static final Duration BACK = Duration.ofSeconds(10);
    /**
     * How long sentinels may take to agree. They try again six seconds after an election that none of them won, and see
     * a server that has come back late on a busy machine.
     */
    private static final Duration AGREED = Duration.ofSeconds(60);

    private static SentinelSet set;

    @BeforeAll
    static void startSet() {
        set = SentinelSet.start();
    }

    @AfterAll
    static void stopSet() {
        set.close();
    }

    @Test
    void theMasterThatTheSentinelsChooseIsFollowed() {
        try (RedisSharedStore store = StoreFixture.open(set.uri());
                SteadyLoad load = SteadyLoad.on(store, PLENTY, DEADLINE, "a", "b")) {
            load.awaitServing(BACK);
            RedisProcess killed = set.master();
            killed.kill();
            load.awaitFailures(100);
            await().atMost(AGREED).until(() -> set.master() != killed);
            load.next();
            load.awaitServing(BACK);

            // The old one comes back as a replica (the sentinels would see to it in ten seconds); then it is the
            // other's turn, which is stopped, not killed.
            RedisProcess stopped = set.master();
            killed.restart();
            killed.cli("REPLICAOF", "127.0.0.1", Integer.toString(stopped.port()));
            await().atMost(AGREED)
                    .until(() ->
                            killed.info("replication", "master_link_status").equals("up") && set.knowsReplica(killed));
            load.next();
            stopped.pause();
            try {
                load.awaitFailures(100);
                await().atMost(AGREED).until(() -> set.master() == killed);
                load.next();
                load.awaitServing(BACK);
            } finally {
                stopped.resume();
            }
            AnswerTally all = load.end();
            assertThat(StoreFixture.taken(store, "a", PLENTY)).isLessThanOrEqualTo(all.admitted("a") + all.failed("a"));
        }
    }

    /** The first that is asked accepts connections and says nothing. */
    @Test
    void aSentinelThatHangsHoldsUpNobody() {
        RedisProcess hung = set.sentinels().get(0);
        hung.pause();
        try (RedisSharedStore store = StoreFixture.open(set.uri());
                SteadyLoad load = SteadyLoad.on(store, PLENTY, DEADLINE, "e")) {
            load.awaitServing(BACK);
        } finally {
            hung.resume();
        }
    }

    /** Both servers stay up: the old master claims to be one for a while, and refuses writes. */
    @Test
    void theMasterThatIsOrderedIsFollowedThereAndBack() {
        try (RedisSharedStore store = StoreFixture.open(set.uri());
                SteadyLoad load = SteadyLoad.on(store, PLENTY, DEADLINE, "c", "d")) {
            load.awaitServing(BACK);
            for (int i = 0; i < 2; i++) {
                RedisProcess old = set.master();
                RedisProcess next = set.servers().stream()
                        .filter(each -> each != old)
                        .findFirst()
                        .orElseThrow();
                await().atMost(AGREED).until(() -> set.knowsReplica(next) && set.failOver());
                await().atMost(AGREED)
                        .until(() -> set.master() == next
                                && old.info("replication", "master_link_status").equals("up"));
                load.next();
                load.awaitServing(BACK);
            }
            AnswerTally all = load.end();
            for (String key : List.of("c", "d")) {
                assertThat(StoreFixture.taken(store, key, PLENTY))
                        .as(key)
                        .isLessThanOrEqualTo(all.admitted(key) + all.failed(key));
            }
        }
    }
}
