package dev.weir.internal.store.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.store.Checks;
import dev.weir.internal.store.LocalStore;
import dev.weir.internal.store.StoreContract;
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
}
