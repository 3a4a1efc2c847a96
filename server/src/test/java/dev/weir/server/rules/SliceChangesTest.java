package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.model.RegionScope;
import dev.weir.internal.model.Rule;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SliceChangesTest {
    private static final long SECOND = 1_000_000;
    private static final long LEAD = SliceChanges.LEAD_SECONDS * SECOND;
    private static final Limit WINDOW = Limit.fixedWindow(100, Duration.ofMinutes(1));

    private long now = 7 * SECOND;
    private final SliceChanges eu = new SliceChanges(() -> now);
    private final SliceChanges us = new SliceChanges(() -> now);

    @Test
    void aSliceThatShrinksDoesSoAtOnceAndOneThatGrowsFromTheNextWindowOn() {
        both(WINDOW, 600_000);
        assertThat(both(WINDOW, 300_000)).as("eu shrinks, us waits").isEqualTo(30 + 40);
        assertThat(us.isDue()).isFalse();
        now = 60 * SECOND - 1;
        assertThat(us.isDue()).isFalse();
        now = 60 * SECOND;
        assertThat(us.isDue()).isTrue();
        assertThat(eu.isDue()).isFalse();
        assertThat(both(WINDOW, 300_000)).isEqualTo(100);
        assertThat(us.isDue()).isFalse();
    }

    @Test
    void aChangeAtTheEndOfAWindowWaitsForTheWindowAfterTheNext() {
        now = 55 * SECOND;
        both(WINDOW, 600_000);
        assertThat(both(WINDOW, 300_000)).isEqualTo(70);
        now = 60 * SECOND;
        assertThat(both(WINDOW, 300_000))
                .as("some servers may not have heard yet")
                .isEqualTo(70);
        now = 120 * SECOND;
        assertThat(both(WINDOW, 300_000)).isEqualTo(100);
    }

    @Test
    void aBucketGrowsAfterOneFullRefill() {
        Limit bucket = Limit.tokenBucket(10, Duration.ofSeconds(1)).withBurst(100);
        both(bucket, 600_000);
        both(bucket, 300_000);
        now += LEAD + 10 * SECOND - 1;
        assertThat(us.isDue()).isFalse();
        now++;
        assertThat(us.isDue()).isTrue();
    }

    @Test
    void noSequenceOfChangesLetsTheSlicesExceedTheLimit() {
        both(WINDOW, 500_000);
        int[] shares = {700_000, 200_000, 200_000, 900_000, 100_000, 600_000, 600_000, 500_000};
        for (int step = 0; step < 200; step++) {
            now += 13 * SECOND;
            assertThat(both(WINDOW, shares[step / 9 % shares.length])).isLessThanOrEqualTo(100);
        }
    }

    @Test
    void aLimitThatIsRaisedIsInForceAtOnceInTheSlicesThatHold() {
        both(WINDOW, 600_000);
        both(WINDOW, 300_000);
        Limit twice = Limit.fixedWindow(200, Duration.ofMinutes(1));
        assertThat(both(twice, 300_000)).isEqualTo(60 + 80);
    }

    /** Compiles the rule in both regions, of which eu has so many millionths; returns the sum of their parts. */
    private long both(Limit limit, int millionths) {
        return part(eu, limit, "eu", millionths) + part(us, limit, "us", millionths);
    }

    private static long part(SliceChanges changes, Limit limit, String own, int millionths) {
        Map<String, Integer> slices = Map.of("eu", millionths, "us", RegionScope.WHOLE - millionths);
        RegionScope scope = RegionScope.slices(slices, own).of(limit);
        Rule rule =
                Rule.builder("api", "r").scope(scope).limit(scope.partOf(limit)).build();
        Rule inForce = changes.apply(rule);
        assertThat(inForce.scope().whole()).isEqualTo(limit);
        assertThat(inForce.scope().partOf(limit)).isEqualTo(inForce.limit());
        return Objects.requireNonNull(inForce.limit()).requests();
    }
}
