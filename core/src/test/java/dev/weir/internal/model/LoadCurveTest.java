package dev.weir.internal.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.model.LoadCurve.Point;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoadCurveTest {
    private final LoadCurve curve = new LoadCurve("payments", List.of(new Point(800, 1_000), new Point(900, 500)), 100);

    @Test
    void isLinearBetweenThePointsAndFlatOutside() {
        assertThat(curve.shareAt(0)).isEqualTo(1_000);
        assertThat(curve.shareAt(0.8)).isEqualTo(1_000);
        assertThat(curve.shareAt(0.82)).isEqualTo(900);
        assertThat(curve.shareAt(0.85)).isEqualTo(750);
        assertThat(curve.shareAt(0.9)).isEqualTo(500);
        assertThat(curve.shareAt(1)).isEqualTo(500);
    }

    @Test
    void neverFallsBelowItsFloor() {
        LoadCurve steep = new LoadCurve("payments", List.of(new Point(500, 1_000), new Point(1_000, 0)), 100);
        assertThat(steep.shareAt(0.9)).isEqualTo(200);
        assertThat(steep.shareAt(1)).isEqualTo(100);
    }

    @Test
    void onePointIsFlat() {
        LoadCurve flat = new LoadCurve("payments", List.of(new Point(500, 300)), 1);
        assertThat(flat.shareAt(0)).isEqualTo(300);
        assertThat(flat.shareAt(1)).isEqualTo(300);
    }

    @Test
    void refusesPointsThatMakeNoCurve() {
        assertThatThrownBy(() -> new LoadCurve("s", List.of(), 100)).hasMessageContaining("expected");
        assertThatThrownBy(() -> new LoadCurve("s", List.of(new Point(0, 1_001)), 100))
                .hasMessageContaining("expected");
        assertThatThrownBy(() -> new LoadCurve("s", List.of(new Point(500, 900), new Point(500, 800)), 100))
                .hasMessageContaining("rising utilisation");
        assertThatThrownBy(() -> new LoadCurve("s", List.of(new Point(500, 900), new Point(600, 950)), 100))
                .hasMessageContaining("do not rise");
        assertThatThrownBy(() -> new LoadCurve("s", List.of(new Point(500, 900)), 0))
                .hasMessageContaining("floor 0");
    }
}
