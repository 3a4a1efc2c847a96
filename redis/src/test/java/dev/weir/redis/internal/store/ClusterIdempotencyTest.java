package dev.weir.redis.internal.store;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Idempotency;
import dev.weir.redis.internal.script.RedisKey;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.testkit.RedisCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that are sent again to another node, on a cluster: their counters live in one slot or in several. */
class ClusterIdempotencyTest {
    private static final Meter TEN = AwaitableAsk.limit(10);
    private static final byte[] CALLER = hash("caller");

    private static RedisCluster cluster;
    private static RedisSharedStore one;
    private static RedisSharedStore two;
    private static int test;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start(true);
        one = RedisSharedStore.open(RedisSettings.of(cluster.uri()));
        two = RedisSharedStore.open(RedisSettings.of(cluster.uri()));
        AwaitableAsk.awaitServing(one);
        AwaitableAsk.awaitServing(two);
    }

    @AfterAll
    static void stop() {
        one.close();
        two.close();
        cluster.close();
    }

    @BeforeEach
    void countersOfItsOwn() {
        test++;
    }

    private static byte[] hash(String text) {
        return Arrays.copyOf(text.getBytes(UTF_8), Idempotency.HASH);
    }

    private static AwaitableAsk once(String key) {
        return once(key, "body");
    }

    private static AwaitableAsk once(String key, String body) {
        AwaitableAsk asking = new AwaitableAsk();
        asking.idempotency = new Idempotency(CALLER, hash(key + test), hash(body), 3_600_000_000L, 100);
        return asking;
    }

    /** A counter of this test, in a slot of its own. */
    private static String name(String counter) {
        return counter + test;
    }

    /** A request on three counters in three slots. */
    private static AwaitableAsk three(String key, long hits) {
        return once(key).on(name("a"), TEN, hits).on(name("b"), TEN, hits).on(name("c"), TEN, hits);
    }

    private static long left(String counter) {
        return new AwaitableAsk().on(name(counter), TEN, 0).now(one).remaining(0);
    }

    /** Hits that were charged and not kept are given back soon. */
    private static void awaitLeft(long a, long b, long c) {
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() ->
                        assertThat(List.of(left("a"), left("b"), left("c"))).containsExactly(a, b, c));
    }

    @Test
    void inOneSlotTheKeyIsKeptBesideItsCounters() {
        AwaitableAsk first = once("k").on(name("a"), TEN, 3).now(one);
        AwaitableAsk again = once("k").on(name("a"), TEN, 3).now(two);
        assertThat(first.allowed()).isTrue();
        assertThat(first.repeated).isFalse();
        assertThat(again.allowed()).isTrue();
        assertThat(again.repeated).isTrue();
        assertThat(again.remaining(0)).isEqualTo(7);
        assertThat(left("a")).isEqualTo(7);
        assertThat(once("k", "other").on(name("a"), TEN, 3).now(two).conflict).isTrue();
        long subject = again.checks.get(0).name.subject();
        String kept = new String(RedisKey.ofIdempotency(subject, CALLER), US_ASCII);
        assertThat(cluster.masterOf(RedisKey.slot(subject)).cli("EXISTS", kept)).isEqualTo(1L);
    }

    @Test
    void acrossSlotsARetryIsNotChargedAndPasses() {
        assertThat(three("k", 3).now(one).repeated).isFalse();
        awaitLeft(7, 7, 7);
        AwaitableAsk again = three("k", 3).now(two);
        assertThat(again.repeated).isTrue();
        assertThat(again.allowed()).isTrue();
        assertThat(again.remaining(2)).isEqualTo(7);
        awaitLeft(7, 7, 7);
    }

    @Test
    void acrossSlotsAConflictChargesNothing() {
        three("k", 3).now(one);
        AwaitableAsk other = once("k", "other")
                .on(name("a"), TEN, 1)
                .on(name("b"), TEN, 1)
                .on(name("c"), TEN, 1)
                .now(two);
        assertThat(other.conflict).isTrue();
        awaitLeft(7, 7, 7);
    }

    @Test
    void acrossSlotsAnAdmittedRequestIsKnownAlthoughAnotherSlotDeniesNow() {
        three("k", 3).now(one);
        new AwaitableAsk().on(name("a"), TEN, 7).now(one);
        AwaitableAsk again = three("k", 3).now(two);
        assertThat(again.repeated).isTrue();
        assertThat(again.failure()).isNull();
        awaitLeft(0, 7, 7);
    }

    @Test
    void acrossSlotsADenialOfAnyIsNotKept() {
        for (String full : List.of("a", "b", "c")) {
            countersOfItsOwn();
            new AwaitableAsk().on(name(full), TEN, 10).now(one);
            AwaitableAsk denied = three("k", 3).now(one);
            assertThat(denied.allowed()).isFalse();
            assertThat(denied.repeated).isFalse();
            awaitLeft(full.equals("a") ? 0 : 10, full.equals("b") ? 0 : 10, full.equals("c") ? 0 : 10);
            new AwaitableAsk().on(name(full), TEN, -10).now(one);
            AwaitableAsk later = three("k", 3).now(two);
            assertThat(later.allowed()).as(full).isTrue();
            assertThat(later.repeated).as(full).isFalse();
            awaitLeft(7, 7, 7);
        }
    }

    @Test
    void acrossSlotsQuotasThatDenyTogetherKeepNothing() {
        for (int i = 0; i < 2; i++) {
            new AwaitableAsk().on(name(i == 0 ? "a" : "b"), TEN, 10).now(one);
        }
        for (String last : List.of("quota", "other")) {
            AwaitableAsk asking = once("k");
            asking.check(name("a"), name("a"), TEN, 1).role = Check.Role.QUOTA;
            asking.check(name("b"), name("b"), TEN, 1).role = Check.Role.QUOTA;
            if (last.equals("other")) {
                asking.on(name("c"), TEN, 1);
            }
            for (RedisSharedStore store : List.of(one, two)) {
                asking.now(store);
                assertThat(asking.allowed()).as(last).isFalse();
                assertThat(asking.repeated).as(last).isFalse();
            }
        }
        awaitLeft(0, 0, 10);
    }

    @Test
    void acrossSlotsRetriesAtOnceAreOneCharge() throws Exception {
        for (int round = 0; round < 50; round++) {
            countersOfItsOwn();
            List<CompletableFuture<AwaitableAsk>> asked = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                // Six at once fit, so nobody is denied because of hits that another is about to give back.
                asked.add(three("k", 1).ask(i % 2 == 0 ? one : two, AwaitableAsk.PATIENCE));
            }
            int charged = 0;
            for (CompletableFuture<AwaitableAsk> each : asked) {
                AwaitableAsk asking = each.get(20, TimeUnit.SECONDS);
                assertThat(asking.allowed()).isTrue();
                charged += asking.repeated ? 0 : 1;
            }
            assertThat(charged).isOne();
            awaitLeft(9, 9, 9);
        }
    }

    @Test
    void acrossSlotsWhatCountsWhenDeniedIsNotChargedAgain() {
        Meter window = Meters.of(Limit.fixedWindow(10, Duration.ofDays(1)));
        for (int i = 0; i < 3; i++) {
            AwaitableAsk asking = once("k");
            for (String each : List.of("a", "b", "c")) {
                asking.check(name(each), name(each), window, 6).countsDenied = true;
            }
            asking.now(i % 2 == 0 ? one : two);
            assertThat(asking.repeated).isEqualTo(i > 0);
            for (String each : List.of("a", "b", "c")) {
                await().atMost(Duration.ofSeconds(10))
                        .until(() -> new AwaitableAsk()
                                        .on(name(each), window, 0)
                                        .now(one)
                                        .remaining(0)
                                == 4);
            }
        }
    }

    @Test
    void aRequestThatIsDeniedElsewhereFindsItsKeyWhereItWasKept() {
        for (boolean countsLast : new boolean[] {false, true}) {
            countersOfItsOwn();
            for (boolean denied : new boolean[] {false, true}) {
                AwaitableAsk asking = once("k");
                asking.denied = denied;
                Meter window = Meters.of(Limit.fixedWindow(10, Duration.ofDays(1)));
                // Two subjects in one hash slot are decided together; after a denial, those that count are asked
                // separately.
                List<String> subjects = List.of(name("s"), neighbour(name("s")));
                for (int i = 0; i < 2; i++) {
                    boolean counts = countsLast == (i == 1);
                    asking.check(subjects.get(i), name("n" + i), counts ? window : TEN, 1).countsDenied = counts;
                }
                asking.now(denied ? two : one);
                assertThat(asking.repeated).isEqualTo(denied);
            }
        }
    }

    /** Another subject, whose counters live in the same slot. */
    private static String neighbour(String subject) {
        int slot = slot(subject);
        int number = 0;
        while (slot(subject + "/" + number) != slot) {
            number++;
        }
        return subject + "/" + number;
    }

    private static int slot(String subject) {
        return RedisKey.slot(
                new AwaitableAsk().check(subject, "any", TEN, 0).name.subject());
    }
}
