package dev.weir.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class IdempotencyTest {
    private static final byte[] HASH = new byte[16];

    @Test
    void keysThatAreNoHashesAreRefused() {
        assertThatThrownBy(() -> new Idempotency(new byte[2], HASH, HASH, 1, 1))
                .hasMessage("caller and key: 2 and 16 bytes (expected: hashes of 16)");
        assertThatThrownBy(() -> new Idempotency(HASH, HASH, new byte[65], 1, 1))
                .hasMessage("fingerprint: 65 bytes (expected: 16 to 64)");
        assertThatThrownBy(() -> new Idempotency(HASH, HASH, HASH, 0, 1))
                .hasMessage("keepMicros and most: 0 and 1 (expected: >= 1)");
    }

    @Test
    void nothingIsKeptForLongerThanAScriptCanCount() {
        assertThat(new Idempotency(HASH, HASH, HASH, Long.MAX_VALUE, 1).keepMicros())
                .isEqualTo(1L << 50);
    }
}
