package dev.weir.internal.limiter.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meters;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LocalShareTest {

    @ParameterizedTest
    @CsvSource({
        "1500000, 365, 3, 499950, 499999",
        "1000, 3650, 6, 160, 166",
        "1000, 3650, 7, 135, 142",
        "1000, 3650, 9, 105, 111",
        "1000, 1, 7, 142, 142",
        // Slower than one in two years cannot be counted.
        "1000, 3650, 1000, 0, 1",
        "0, 1, 3, 0, 0"
    })
    void isTheNextThatCanBeCounted(long requests, int days, int nodes, long least, long most) {
        Limit limit = Limit.tokenBucket(requests, Duration.ofDays(days));
        Limit share = LocalShare.of(limit, LimiterSettings.WHOLE / nodes);
        assertThat(Meters.refusal(share)).isNull();
        assertThat(share.requests()).isBetween(least, most);
        assertThat(share.burst()).isEqualTo(requests == 0 ? 0 : most);
    }
}
