package dev.weir.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.Verdict.Reason;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class VerdictNumbersTest {

    @Test
    void aBucketThatHoldsMoreThanItsRequestsIsToldAsWhatItHoldsAtTheSameRate() {
        VerdictNumbers told = told(Limit.tokenBucket(10, Duration.ofSeconds(1)).withBurst(20), 19);
        assertThat(told.quota()).isEqualTo(20);
        assertThat(told.windowSeconds()).isEqualTo(2);
        assertThat(told.remaining()).isLessThanOrEqualTo(told.quota());
    }

    @Test
    void aBucketThatHoldsLessIsToldAsItsRate() {
        VerdictNumbers told = told(Limit.tokenBucket(10, Duration.ofMinutes(1)).withBurst(5), 5);
        assertThat(told.quota()).isEqualTo(10);
        assertThat(told.windowSeconds()).isEqualTo(60);
    }

    @Test
    void theWindowOfALargeBurstIsExactToTheSecond() {
        Limit limit =
                Limit.of(Algorithm.GCRA, 4_000_000_000L, Duration.ofDays(1)).withBurst(4_294_967_295L);
        assertThat(told(limit, 1).windowSeconds()).isEqualTo(92_772);
    }

    @Test
    void windowsAndALimitOfZeroAreToldAsTheyAre() {
        assertThat(told(Limit.fixedWindow(7, Duration.ofHours(1)), 6).quota()).isEqualTo(7);
        assertThat(told(Limit.tokenBucket(0, Duration.ofHours(1)).withBurst(3), 0)
                        .quota())
                .isZero();
    }

    private static VerdictNumbers told(Limit limit, long remaining) {
        MutableDecision decision = new MutableDecision();
        decision.begin(0);
        MutableVerdict verdict = decision.add().set(null, limit, 0, 1, Reason.WITHIN_LIMIT, remaining, 1, 0, 0);
        return Objects.requireNonNull(VerdictNumbers.of(verdict, decision));
    }
}
