package dev.weir.redis.internal.faults;

import static dev.weir.redis.internal.store.StoreFixture.DEADLINE;
import static dev.weir.redis.internal.store.StoreFixture.PLENTY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreFailure;
import dev.weir.redis.internal.node.NodeHealth;
import dev.weir.redis.internal.store.AnswerTally;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.internal.store.SteadyLoad;
import dev.weir.redis.internal.store.StoreFixture;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Redis is well, the way to it is not. */
class NetworkFaultsTest extends ProxiedRedisFixture {
    private SteadyLoad load(RedisSharedStore store) {
        return SteadyLoad.on(store, PLENTY, DEADLINE, "a", "b", "c");
    }

    /** Every admitted hit was charged; a hit charged but not admitted belongs to a failed request. */
    static void assertCountedOnce(RedisSharedStore store, AnswerTally all, String... keys) {
        for (String key : keys) {
            assertThat(StoreFixture.taken(store, key, PLENTY))
                    .as("taken from %s: %s", key, all)
                    .isBetween(all.admitted(key), all.admitted(key) + all.failed(key));
        }
    }

    @Test
    void aRedisThatIsDownAtTheStartIsFoundOnceItIsThere() {
        proxy.refuse();
        try (RedisSharedStore store = StoreFixture.open(proxy.uri());
                SteadyLoad load = load(store)) {
            load.awaitFailures(200);
            AnswerTally down = load.next();
            assertThat(down.failed()).as("%s", down).isEqualTo(down.answeredCount());
            assertThat(down.failed(StoreFailure.UNREACHABLE)).isPositive();
            assertThat(down.medianFailure()).isLessThan(DEADLINE);
            proxy.flow();
            load.awaitServing(BACK);
            assertCountedOnce(store, load.end(), "a", "b", "c");
        }
    }

    @Test
    void aRefusedConnectionFailsAtOnceAndIsTriedAgain() {
        try (RedisSharedStore store = StoreFixture.open(proxy.uri());
                SteadyLoad load = load(store)) {
            load.awaitServing(BACK);
            proxy.refuse();
            load.awaitFailures(200);
            load.next();
            load.awaitFailures(200);
            AnswerTally down = load.next();
            assertThat(down.admitted()).as("%s", down).isZero();
            // Once the server is known to be unreachable, nobody waits.
            assertThat(down.medianFailure()).isLessThan(DEADLINE.dividedBy(2));
            proxy.flow();
            load.awaitServing(BACK);
            assertCountedOnce(store, load.end(), "a", "b", "c");
        }
    }

    @Test
    void silenceTimesOutThenOpensTheBreakerAndEndsByItself() {
        try (RedisSharedStore store = StoreFixture.open(proxy.uri());
                SteadyLoad load = load(store)) {
            load.awaitServing(BACK);
            proxy.blackHole();
            load.next();
            load.awaitFailures(1);
            AnswerTally silent = load.next();
            assertThat(silent.failed(StoreFailure.TIMEOUT)).as("%s", silent).isPositive();

            load.awaitOpen();
            load.awaitAnswers(300);
            AnswerTally open = load.next();
            assertThat(open.failed()).as("%s", open).isEqualTo(open.answeredCount());
            assertThat(open.medianFailure()).isLessThan(Duration.ofMillis(20));

            proxy.flow();
            load.awaitServing(BACK);
            assertCountedOnce(store, load.end(), "a", "b", "c");
        }
    }

    /** Requests that the network delivers too late are not charged. */
    @Test
    void aBatchThatArrivesAfterItsDeadlineChargesNothing() {
        try (RedisSharedStore store = StoreFixture.open(proxy.uri())) {
            StoreFixture.awaitServed(store, "late");
            try (SteadyLoad load = SteadyLoad.on(store, PLENTY, DEADLINE, "late")) {
                load.awaitServing(BACK);
                load.next();
                proxy.blackHole();
                AnswerTally around = load.next();
                load.awaitFailures(100);
                AnswerTally silent = load.next();
                assertThat(silent.admitted()).as("%s", silent).isZero();
                load.awaitOpen();
                proxy.flow();
                load.awaitServing(BACK);
                AnswerTally all = load.end();
                // Only those who were already under way as it fell silent may have been taken without an answer.
                assertThat(StoreFixture.taken(store, "late", PLENTY))
                        .as("taken: %s, of them around the start of the silence: %s", all, around)
                        .isBetween(all.admitted(), all.admitted() + around.failed());
            }
        }
    }

    @Test
    void fiveMillisecondsMoreAreServed() {
        proxy.latency(Duration.ofMillis(5), Duration.ZERO);
        try (RedisSharedStore store = StoreFixture.open(proxy.uri());
                SteadyLoad load = load(store)) {
            load.awaitServing(BACK);
            load.awaitAnswers(300);
            assertThat(load.next().admitted()).isPositive();
            AnswerTally all = load.end();
            assertCountedOnce(store, all, "a", "b", "c");
        }
    }

    /** A call charges nothing once anybody in it has no time left, and half of what failed opens the breaker. */
    @Test
    void callersWithLessTimeThanTheWayTakesSpoilNothingForOthers() {
        Duration patience = Duration.ofSeconds(5);
        try (RedisSharedStore store =
                StoreFixture.open(StoreFixture.settings(proxy.uri()).withDeadline(patience))) {
            StoreFixture.awaitServed(store, "a");
            proxy.latency(Duration.ofMillis(5), Duration.ZERO);
            try (SteadyLoad hurried = SteadyLoad.on(store, PLENTY, Duration.ofMillis(3), "a", "b")) {
                hurried.awaitFailures(300);
                assertThat(store.health()).noneMatch(NodeHealth::open);
                try (SteadyLoad patient = SteadyLoad.on(store, PLENTY, patience, "a")) {
                    patient.awaitAnswers(500);
                    AnswerTally all = patient.end();
                    assertThat(all.failed()).as("%s", all).isZero();
                }
            }
            assertThat(store.health()).noneMatch(NodeHealth::open);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {50, 500})
    void slownessBeyondTheDeadlineIsCutOffAndEndsByItself(int millis) {
        Duration deadline = Duration.ofMillis(25);
        try (RedisSharedStore store =
                        StoreFixture.open(StoreFixture.settings(proxy.uri()).withDeadline(deadline));
                SteadyLoad load = SteadyLoad.on(store, PLENTY, deadline, "a", "b", "c")) {
            load.awaitServing(BACK);
            proxy.latency(Duration.ofMillis(millis), Duration.ZERO);
            load.next();
            load.awaitFailures(1);
            assertThat(load.next().failed(StoreFailure.TIMEOUT)).isPositive();
            load.awaitOpen();
            proxy.latency(Duration.ZERO, Duration.ZERO);
            load.awaitServing(BACK);
            assertCountedOnce(store, load.end(), "a", "b", "c");
        }
    }

    @Test
    void slowRepliesAreChargedOnceWhetherOrNotSomebodyStillWaits() {
        Duration deadline = Duration.ofMillis(25);
        try (RedisSharedStore store =
                        StoreFixture.open(StoreFixture.settings(proxy.uri()).withDeadline(deadline));
                SteadyLoad load = SteadyLoad.on(store, PLENTY, deadline, "a")) {
            load.awaitServing(BACK);
            proxy.latency(Duration.ZERO, Duration.ofMillis(100));
            load.awaitFailures(300);
            proxy.latency(Duration.ZERO, Duration.ZERO);
            load.awaitServing(BACK);
            assertCountedOnce(store, load.end(), "a");
        }
    }

    @Test
    void aCutConnectionIsReplaced() {
        try (RedisSharedStore store = StoreFixture.open(proxy.uri());
                SteadyLoad load = load(store)) {
            for (int i = 0; i < 5; i++) {
                load.awaitServing(BACK);
                proxy.cut();
            }
            load.awaitServing(BACK);
            assertThat(store.stats().connects()).isGreaterThanOrEqualTo(6);
            assertCountedOnce(store, load.end(), "a", "b", "c");
        }
    }

    /** The connection is cut at any byte of a reply: a partial reply is not used. */
    @Test
    void aReplyTornAnywhereIsNoAnswer() {
        try (RedisSharedStore store = StoreFixture.open(proxy.uri());
                SteadyLoad load = load(store)) {
            load.awaitServing(BACK);
            for (int bytes = 0; bytes < 70; bytes = bytes * 3 / 2 + 1) {
                load.next();
                proxy.truncateReplies(bytes);
                load.awaitFailures(1);
                load.awaitServing(BACK);
            }
            assertCountedOnce(store, load.end(), "a", "b", "c");
        }
    }

    @Test
    void anOutageLeavesNothingBehindThatGrows() {
        try (RedisSharedStore store = StoreFixture.open(proxy.uri());
                SteadyLoad load = load(store)) {
            load.awaitServing(BACK);
            proxy.blackHole();
            load.awaitOpen();
            long connections = proxy.accepted();
            load.next();
            load.awaitFailures(1_500);
            assertThat(store.health().stream().mapToInt(NodeHealth::waiting).sum())
                    .as("asks kept waiting")
                    .isLessThan(200);
            assertThat(proxy.accepted() - connections)
                    .as("connections tried in 1.5 s")
                    .isLessThan(20);
            proxy.flow();
            load.awaitServing(BACK);
        }
    }
}
