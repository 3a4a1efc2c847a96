package dev.weir.internal.limiter.shared;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InFlightDecisionPoolTest {
    private final InFlightDecisionPool pool = new InFlightDecisionPool();

    @Test
    void aThreadReusesTheBuffersItTook() {
        InFlightDecision first = pool.request();
        InFlightDecision second = pool.request();
        pool.release(first);
        pool.release(second);
        assertThat(pool.request()).isSameAs(second);
        assertThat(pool.request()).isSameAs(first);
    }

    @Test
    void aBufferTakenByAnotherThreadIsNotKept() {
        InFlightDecision ofAnother = new InFlightDecisionPool().request();
        pool.release(ofAnother);
        assertThat(pool.request()).isNotSameAs(ofAnother);
    }
}
