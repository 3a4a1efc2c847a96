package dev.weir.server.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.load.LoadShares;
import dev.weir.internal.model.LoadCurve;
import dev.weir.internal.model.LoadCurve.Point;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LoadSharesTest {
    private static final long SECOND = 1_000_000_000L;
    private static final LoadCurve CURVE =
            new LoadCurve("payments", List.of(new Point(800, 1_000), new Point(900, 500)), 100);

    private final LoadShares shares = new LoadShares();
    private final LoadReports reports = new LoadReports();

    @Test
    void aShareFallsAtOnceAndRisesByAFortiethEveryTenSeconds() {
        assertThat(shareAt(0)).isEqualTo(1_000);
        reports.add("payments", "a", 0.9, SECOND);
        assertThat(shareAt(1)).isEqualTo(500);
        reports.add("payments", "a", 0.5, 2 * SECOND);
        assertThat(shareAt(2)).isEqualTo(500);
        assertThat(shareAt(10)).isEqualTo(500);
        assertThat(shareAt(11)).isEqualTo(525);
        assertThat(shareAt(20)).isEqualTo(525);
        assertThat(shareAt(21)).isEqualTo(550);
        reports.add("payments", "a", 0.88, 22 * SECOND);
        assertThat(shareAt(22)).as("the load still leaves 60 %").isEqualTo(550);
        assertThat(shareAt(31)).isEqualTo(575);
        reports.add("payments", "a", 0.9, 32 * SECOND);
        assertThat(shareAt(32)).isEqualTo(500);
    }

    @Test
    void silenceCountsAsNoLoad() {
        reports.add("payments", "a", 1, 0);
        assertThat(shareAt(9)).isEqualTo(500);
        assertThat(shareAt(10)).as("the report is no longer fresh").isEqualTo(500);
        for (int second = 10; second < 230; second++) {
            shareAt(second);
        }
        assertThat(shareAt(230)).isEqualTo(1_000);
    }

    @Test
    void theHighestFreshReporterCounts() {
        reports.add("payments", "a", 0.85, 0);
        reports.add("payments", "b", 0.1, 5 * SECOND);
        reports.add("search", "c", 1, 5 * SECOND);
        assertThat(reports.highest("payments", 9 * SECOND)).isEqualTo(0.85);
        assertThat(reports.highest("payments", 10 * SECOND)).isEqualTo(0.1);
        assertThat(reports.highest("payments", 15 * SECOND)).isNaN();
        assertThat(reports.highest("unknown", 0)).isNaN();
    }

    @Test
    void reportersAreBoundedAndTheHighestIsKept() {
        reports.add("payments", "busy", 0.95, 0);
        for (int i = 0; i < 3 * LoadReports.MOST; i++) {
            reports.add("payments", "r" + i, 0.5, 0);
        }
        assertThat(reports.highest("payments", 0)).isEqualTo(0.95);
    }

    private int shareAt(long second) {
        shares.update(List.of(CURVE), service -> reports.highest(service, second * SECOND), second * SECOND);
        return Objects.requireNonNull(shares.all().get(CURVE));
    }
}
