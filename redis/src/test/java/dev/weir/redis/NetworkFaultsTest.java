package dev.weir.redis;

import static dev.weir.redis.Faults.DEADLINE;
import static dev.weir.redis.Faults.PLENTY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.store.StoreFailure;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Redis is well, the way to it is not. */
class NetworkFaultsTest extends BehindAProxy {
    private Load load(RedisStore store) {
        return Load.on(store, PLENTY, DEADLINE, "a", "b", "c");
    }

    /** What was admitted was taken, and what was taken and not admitted belongs to somebody who was failed. */
    static void assertCountedOnce(RedisStore store, Tally all, String... keys) {
        for (String key : keys) {
            assertThat(Faults.taken(store, key, PLENTY))
                    .as("taken from %s: %s", key, all)
                    .isBetween(all.admitted(key), all.admitted(key) + all.failed(key));
        }
    }

    @Test
    void aRedisThatIsDownAtTheStartIsFoundOnceItIsThere() {
        proxy.refuse();
        try (RedisStore store = Faults.open(proxy.uri());
                Load load = load(store)) {
            load.awaitFailures(200);
            Tally down = load.next();
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
        try (RedisStore store = Faults.open(proxy.uri());
                Load load = load(store)) {
            load.awaitServing(BACK);
            proxy.refuse();
            load.awaitFailures(200);
            load.next();
            load.awaitFailures(200);
            Tally down = load.next();
            assertThat(down.admitted()).as("%s", down).isZero();
            // Nobody waits for what is known to be away.
            assertThat(down.medianFailure()).isLessThan(DEADLINE.dividedBy(2));
            proxy.flow();
            load.awaitServing(BACK);
            assertCountedOnce(store, load.end(), "a", "b", "c");
        }
    }

    @Test
    void silenceTimesOutThenOpensTheBreakerAndEndsByItself() {
        try (RedisStore store = Faults.open(proxy.uri());
                Load load = load(store)) {
            load.awaitServing(BACK);
            proxy.blackHole();
            load.next();
            load.awaitFailures(1);
            Tally silent = load.next();
            assertThat(silent.failed(StoreFailure.TIMEOUT)).as("%s", silent).isPositive();

            load.awaitOpen();
            load.awaitAnswers(300);
            Tally open = load.next();
            assertThat(open.failed()).as("%s", open).isEqualTo(open.answeredCount());
            assertThat(open.medianFailure()).isLessThan(Duration.ofMillis(20));

            proxy.flow();
            load.awaitServing(BACK);
            assertCountedOnce(store, load.end(), "a", "b", "c");
        }
    }

    /** What the network held back and delivered too late is charged to nobody. */
    @Test
    void whatArrivesAfterItsDeadlineTakesNothing() {
        try (RedisStore store = Faults.open(proxy.uri())) {
            Faults.awaitServed(store, "late");
            try (Load load = Load.on(store, PLENTY, DEADLINE, "late")) {
                load.awaitServing(BACK);
                load.next();
                proxy.blackHole();
                Tally around = load.next();
                load.awaitFailures(100);
                Tally silent = load.next();
                assertThat(silent.admitted()).as("%s", silent).isZero();
                load.awaitOpen();
                proxy.flow();
                load.awaitServing(BACK);
                Tally all = load.end();
                // Only those who were already under way as it fell silent may have been taken without an answer.
                assertThat(Faults.taken(store, "late", PLENTY))
                        .as("taken: %s, of them around the start of the silence: %s", all, around)
                        .isBetween(all.admitted(), all.admitted() + around.failed());
            }
        }
    }

    @Test
    void fiveMillisecondsMoreAreServed() {
        proxy.latency(Duration.ofMillis(5), Duration.ZERO);
        try (RedisStore store = Faults.open(proxy.uri());
                Load load = load(store)) {
            load.awaitServing(BACK);
            load.awaitAnswers(300);
            assertThat(load.next().admitted()).isPositive();
            Tally all = load.end();
            assertCountedOnce(store, all, "a", "b", "c");
        }
    }

    /** A call charges nothing once anybody in it has no time left, and half of what failed opens the breaker. */
    @Test
    void callersWithLessTimeThanTheWayTakesSpoilNothingForOthers() {
        Duration patience = Duration.ofSeconds(5);
        try (RedisStore store = Faults.open(Faults.settings(proxy.uri()).withDeadline(patience))) {
            Faults.awaitServed(store, "a");
            proxy.latency(Duration.ofMillis(5), Duration.ZERO);
            try (Load hurried = Load.on(store, PLENTY, Duration.ofMillis(3), "a", "b")) {
                hurried.awaitFailures(300);
                assertThat(store.health()).noneMatch(NodeHealth::open);
                try (Load patient = Load.on(store, PLENTY, patience, "a")) {
                    patient.awaitAnswers(500);
                    Tally all = patient.end();
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
        try (RedisStore store = Faults.open(Faults.settings(proxy.uri()).withDeadline(deadline));
                Load load = Load.on(store, PLENTY, deadline, "a", "b", "c")) {
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
        try (RedisStore store = Faults.open(Faults.settings(proxy.uri()).withDeadline(deadline));
                Load load = Load.on(store, PLENTY, deadline, "a")) {
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
        try (RedisStore store = Faults.open(proxy.uri());
                Load load = load(store)) {
            for (int i = 0; i < 5; i++) {
                load.awaitServing(BACK);
                proxy.cut();
            }
            load.awaitServing(BACK);
            assertThat(store.stats().connects()).isGreaterThanOrEqualTo(6);
            assertCountedOnce(store, load.end(), "a", "b", "c");
        }
    }

    /** Wherever in a reply it is torn: what is half understood is not believed. */
    @Test
    void aReplyTornAnywhereIsNoAnswer() {
        try (RedisStore store = Faults.open(proxy.uri());
                Load load = load(store)) {
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
        try (RedisStore store = Faults.open(proxy.uri());
                Load load = load(store)) {
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
