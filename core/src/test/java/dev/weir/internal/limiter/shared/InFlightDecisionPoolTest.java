package dev.weir.internal.limiter.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InFlightDecisionPoolTest {
    private static final long ROOM = 3 << 20;

    /** A quarter of it is for hits that are given back. */
    private final InFlightDecisionPool pool = new InFlightDecisionPool(ROOM / 3 * 4);

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
        InFlightDecision ofAnother = new InFlightDecisionPool(1 << 20).request();
        pool.release(ofAnother);
        assertThat(pool.request()).isNotSameAs(ofAnother);
    }

    @Test
    void theMemoryOfSpareBuffersIsBoundedAndHalfOfItIsForSmallOnes() {
        List<InFlightDecision> large = taken(4_096, 100);
        large.forEach(pool::release);
        long ofLarge = pool.spareBytes();
        assertThat(ofLarge).isBetween(ROOM / 4, ROOM / 2);
        List<InFlightDecision> small = taken(4_096, 1);
        small.forEach(pool::release);
        assertThat(pool.spareBytes()).isBetween(ROOM / 2, ROOM);
        InFlightDecision again = pool.request();
        assertThat(again.checks.capacity()).isOne();
    }

    @Test
    void aBufferOfAVeryLargeRequestIsNotKept() {
        taken(1, 129).forEach(pool::release);
        assertThat(pool.spareBytes()).isZero();
    }

    /** Buffers of as many requests in flight together. */
    private List<InFlightDecision> taken(int requests, int checks) {
        List<InFlightDecision> all = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            InFlightDecision each = pool.request();
            each.checks.clear();
            for (int j = 0; j < checks; j++) {
                var unused = each.checks.add();
            }
            all.add(each);
        }
        return all;
    }
}
