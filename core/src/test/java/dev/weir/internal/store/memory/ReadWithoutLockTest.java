package dev.weir.internal.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Probes read without the lock, while other threads write, move the slot and grow the table. */
class ReadWithoutLockTest {
    private static final long T0 = 1_700_000_000_000_000L;
    private static final long HALF_AN_HOUR = Duration.ofMinutes(30).toMillis() * 1_000;
    private static final int NEWCOMERS = 1_000_000;
    private static final Meter TWO = Meters.of(Limit.tokenBucket(2, Duration.ofHours(1)));
    private static final Meter MANY = Meters.of(Limit.tokenBucket(1_000_000, Duration.ofHours(1)));

    private final MemoryStore store = new MemoryStore(1_000); // one stripe, which grows and then evicts

    @Test
    void readersGetTheSameAnswerWhereverTheSlotMoves() throws Exception {
        int used = 64;
        for (int key = 0; key < used; key++) {
            ask(key, TWO, 2);
        }
        CompletableFuture<Void> newcomers = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < NEWCOMERS; i++) {
                ask(1_000 + i, MANY, 1);
            }
        });
        long asked = 0;
        long wrong = 0;
        do {
            int key = (int) (asked++ % used);
            wrong += ask(key, TWO, 0).outcome.remaining == 0 ? 0 : 1;
            wrong += ask(key, TWO, 1).outcome.retryAfter == HALF_AN_HOUR ? 0 : 1;
        } while (!newcomers.isDone());
        newcomers.get();
        assertThat(wrong).as("of %s", 2 * asked).isZero();
    }

    @Test
    void valuesReadWhileAnotherHoldsTheLockAreDiscarded() throws Exception {
        Arena arena = new Arena(0);
        Stripe[] stripes = new Stripe[1];
        Stripe stripe = new Stripe(100, arena, new BlockReclaim(arena, stripes));
        stripes[0] = stripe;
        stripe.decide(check(new Checks(), 7, TWO, 2), T0);
        Check denied = check(new Checks(), 7, TWO, 1);
        stripe.decide(denied, T0);
        assertThat(denied.outcome.allowed).isFalse();

        Check asked = check(new Checks(), 7, TWO, 1);
        CountDownLatch asks = new CountDownLatch(1);
        stripe.lock();
        CompletableFuture<Void> asking = CompletableFuture.runAsync(() -> {
            asks.countDown();
            stripe.decide(asked, T0);
        });
        asks.await();
        for (int i = 0; i < 10_000 && !asking.isDone(); i++) {
            Thread.onSpinWait(); // it has every chance to answer too early
        }
        stripe.forget(denied);
        stripe.unlock();
        asking.get();
        assertThat(asked.outcome.allowed).isTrue();
    }

    private Check ask(int key, Meter meter, int hits) {
        Checks checks = new Checks();
        Check check = check(checks, key, meter, hits);
        store.decide(checks, T0);
        return check;
    }

    private static Check check(Checks checks, int key, Meter meter, int hits) {
        Check check = checks.add();
        check.key0 = key * 0x9e3779b97f4a7c15L;
        check.key1 = key * 0xc2b2ae3d27d4eb4fL;
        check.meter = meter;
        check.hits = hits;
        return check;
    }
}
