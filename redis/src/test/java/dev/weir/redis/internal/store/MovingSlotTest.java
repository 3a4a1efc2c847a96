package dev.weir.redis.internal.store;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.store.Idempotency;
import dev.weir.redis.internal.script.RedisKey;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.testkit.RedisCluster;
import dev.weir.redis.testkit.RedisProcess;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A slot is on the move, and stays so: of its keys some are here, some there, and some are new. Requests ask several of them at once. */
class MovingSlotTest {
    private static final Meter TEN = AwaitableAsk.limit(10);

    private static RedisCluster cluster;
    private static RedisSharedStore store;
    private static int tests;

    private String subject;
    private int slot;
    private RedisProcess from;
    private RedisProcess to;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start(true);
        store = RedisSharedStore.open(RedisSettings.of(cluster.uri()));
        AwaitableAsk.awaitServing(store);
    }

    @AfterAll
    static void stop() {
        store.close();
        cluster.close();
    }

    @BeforeEach
    void choose() {
        subject = "subject" + tests++;
        slot = RedisKey.slot(both(0, 0).checks.get(0).name.subject());
        from = cluster.masterOf(slot);
        to = cluster.masters().stream().filter(each -> each != from).findFirst().orElseThrow();
    }

    @AfterEach
    void closeSlot() {
        if (cluster.masterOf(slot) != to) {
            cluster.moveSlot(slot, to);
        }
    }

    private AwaitableAsk both(long a, long b) {
        AwaitableAsk asking = new AwaitableAsk();
        asking.check(subject, "a", TEN, a);
        asking.check(subject, "b", TEN, b);
        return asking;
    }

    /** A request that is sent twice is one for which that is the second time. */
    private AwaitableAsk once(AwaitableAsk asking) {
        byte[] hash = Arrays.copyOf(subject.getBytes(US_ASCII), Idempotency.HASH);
        asking.idempotency = new Idempotency(hash, hash, hash, 3_600_000_000L, 100);
        return asking.now(store);
    }

    private void moveFirst() {
        assertThat(both(1, 1).now(store).allowed()).isTrue();
        cluster.beginMove(slot, to);
        cluster.moveKeys(from, to, new String(RedisKey.of(both(0, 0).checks.get(0).name), US_ASCII));
    }

    private void assertLeft(long a, long b) {
        await().untilAsserted(() -> {
            AwaitableAsk left = both(0, 0).now(store);
            assertThat(left.failure()).isNull();
            assertThat(left.remaining(0)).isEqualTo(a);
            assertThat(left.remaining(1)).isEqualTo(b);
        });
    }

    @Test
    void limitsOfOneSubjectAreTakenTogetherThoughTheyAreNew() {
        cluster.beginMove(slot, to);
        assertThat(both(1, 2).now(store).allowed()).isTrue();
        assertThat(both(1, 2).now(store).allowed()).isTrue();
        assertLeft(8, 6);
    }

    @Test
    void limitsOfOneSubjectAreTakenTogetherThoughOneHasMoved() {
        moveFirst();
        assertThat(both(2, 3).now(store).allowed()).isTrue();
        assertLeft(7, 6);
        AwaitableAsk denied = both(2, 7).now(store);
        assertThat(denied.failure()).isNull();
        assertThat(denied.allowed()).isFalse();
        assertLeft(7, 6);
    }

    @Test
    void aRetryIsChargedOnceThoughItIsNew() {
        cluster.beginMove(slot, to);
        assertThat(once(both(1, 1)).allowed()).isTrue();
        assertThat(once(both(1, 1)).repeated).isTrue();
        assertLeft(9, 9);
        assertKnownAfterTheMove();
    }

    @Test
    void aRetryIsChargedOnceThoughACounterHasMoved() {
        moveFirst();
        AwaitableAsk first = new AwaitableAsk();
        first.check(subject, "a", TEN, 1);
        assertThat(once(first).allowed()).isTrue();
        assertThat(once(first).repeated).isTrue();
        assertLeft(8, 9);
        assertKnownAfterTheMove();
    }

    private void assertKnownAfterTheMove() {
        cluster.moveSlot(slot, to);
        assertThat(once(both(1, 1)).repeated).isTrue();
    }
}
