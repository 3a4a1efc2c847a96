package dev.weir.server.stores;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.algorithm.UsedHits;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HomeGateTest {
    private static final long SECOND = 1_000_000;
    private static final Limit WINDOWS = Limit.fixedWindow(10, Duration.ofSeconds(10));

    private long nanos;
    private int asked;
    private final HomeGate gate = new HomeGate(new Store(), () -> nanos);

    @Test
    void nothingIsTakenBeforeTheEpochIsKnown() {
        assertThat(takes(WINDOWS, 1)).isFalse();
        gate.open(0, 1_000 * SECOND);
        assertThat(takes(WINDOWS, 1)).isTrue();
        gate.shut();
        assertThat(takes(WINDOWS, 1)).isFalse();
    }

    @Test
    void hitsGoBackAlsoToAnOldHome() {
        gate.shut();
        assertThat(takes(WINDOWS, -1)).isTrue();
    }

    @Test
    void aNewHomeCountsFromTheNextWindowOn() {
        gate.open(1_003 * SECOND, 1_004 * SECOND);
        nanos += 5_999_999_000L;
        assertThat(takes(WINDOWS, 1)).isFalse();
        nanos += 1_000;
        assertThat(takes(WINDOWS, 1)).isTrue();
    }

    @Test
    void aBucketCountsAfterOneFullRefill() {
        assertThat(UsedHits.end(Limit.tokenBucket(10, Duration.ofSeconds(10)).withBurst(30), SECOND))
                .isEqualTo(31 * SECOND);
        assertThat(UsedHits.end(Limit.gcra(10, Duration.ofSeconds(10)), SECOND)).isEqualTo(11 * SECOND);
        assertThat(UsedHits.end(Limit.tokenBucket(0, Duration.ofSeconds(10)), SECOND))
                .isEqualTo(11 * SECOND);
        assertThat(UsedHits.end(Limit.slidingWindowLog(10, Duration.ofSeconds(10)), SECOND))
                .isEqualTo(11 * SECOND);
        assertThat(UsedHits.end(Limit.slidingWindow(10, Duration.ofSeconds(10)), SECOND))
                .isEqualTo(20 * SECOND);
    }

    private boolean takes(Limit limit, long hits) {
        int before = asked;
        Question question = new Question();
        Check check = question.checks.add();
        check.meter = Meters.of(limit);
        check.hits = hits;
        gate.decide(question);
        assertThat(question.answered).isTrue();
        assertThat(check.failure).isEqualTo(asked > before ? null : StoreFailure.OPEN);
        return asked > before;
    }

    private static final class Question extends Ask {
        private boolean answered;

        @Override
        public void answered() {
            answered = true;
        }
    }

    private final class Store implements SharedStore {
        @Override
        public void decide(Ask ask) {
            asked++;
            ask.answered();
        }

        @Override
        public void close() {}
    }
}
