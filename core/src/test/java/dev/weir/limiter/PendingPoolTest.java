package dev.weir.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PendingPoolTest {
    private final PendingPool pool = new PendingPool();

    @Test
    void whatAThreadTookItUsesAgain() {
        Pending first = pool.request();
        Pending second = pool.request();
        pool.release(first);
        pool.release(second);
        assertThat(pool.request()).isSameAs(second);
        assertThat(pool.request()).isSameAs(first);
    }

    @Test
    void whatAnotherThreadTookIsNotKept() {
        Pending ofAnother = new PendingPool().request();
        pool.release(ofAnother);
        assertThat(pool.request()).isNotSameAs(ofAnother);
    }
}
