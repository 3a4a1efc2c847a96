package dev.weir.internal.store.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.algorithm.PermitSet;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.LocalStore;
import dev.weir.internal.store.StoreContract;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class MemoryStoreTest extends StoreContract {
    @Override
    protected LocalStore newStore() {
        return new MemoryStore(100_000);
    }

    @Test
    void boundsThatMakeNoSenseAreRefused() {
        assertThatThrownBy(() -> new MemoryStore(0)).hasMessage("maxKeys: 0 (expected: >= 1)");
        assertThatThrownBy(() -> new MemoryStore(1, -1)).hasMessage("maxBlockBytes: -1 (expected: >= 0)");
    }

    @Test
    void aCheckWithoutMeterIsRefusedAndLeavesNothingLocked() {
        Checks checks = new Checks();
        checks.add();
        assertThatThrownBy(() -> store.decide(checks, T0)).isInstanceOf(IllegalArgumentException.class);
        checks.add();
        assertThatThrownBy(() -> store.decide(checks, T0)).isInstanceOf(IllegalArgumentException.class);
        assertThat(((MemoryStore) store).size()).isZero();
    }

    /** The time to live of a limit was shortened: permits that were taken before last as long as they were promised. */
    @Test
    void permitsOfAnEarlierLimitAreNotForgottenWithThoseOfTheNext() {
        try (MemoryStore store = new MemoryStore(100)) {
            PermitSet hour = (PermitSet) Meters.of(Limit.concurrency(3, Duration.ofHours(1)));
            PermitSet second = (PermitSet) Meters.of(Limit.concurrency(3, Duration.ofSeconds(1)));
            long now = 1_000_000_000_000L;
            assertThat(takes(store, hour.holding(1, 2), 2, now)).isTrue();
            assertThat(takes(store, second.holding(10, 1), 1, now)).isTrue();
            long later = now + 60_000_000;
            assertThat(takes(store, second.holding(20, 2), 2, later)).isFalse();
            assertThat(takes(store, second.holding(30, 1), 1, later)).isTrue();
        }
    }

    private static boolean takes(MemoryStore store, PermitSet permits, long hits, long now) {
        Checks checks = new Checks();
        Check check = checks.add();
        check.key0 = 1;
        check.key1 = 2;
        check.meter = permits;
        check.hits = hits;
        return store.decide(checks, now);
    }
}
