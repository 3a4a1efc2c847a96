package dev.weir.simulation;

import static dev.weir.simulation.ThreeRegions.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.simulation.fleet.FleetSettings;
import dev.weir.simulation.scenario.Fault;
import dev.weir.simulation.scenario.Scenario;
import dev.weir.simulation.traffic.ArrivalProcess;
import dev.weir.simulation.traffic.CallerDistribution;
import dev.weir.simulation.traffic.FlowSettings;
import dev.weir.simulation.traffic.Placement;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The table of docs/regions.md, with the real limiter on virtual time: three regions, 50 ms one way, a demand of twice
 * the limit. Its busiest region has 80 % of it; at 15 s that is another one, which is cut off from home from 22 to 31 s.
 */
class RegionsTableTest {
    private static final int NODES = 2;
    private static final long LIMIT = 10_000;
    private static final int WINDOWS = 6;
    private static final int BUSIEST = 1;
    private static final int CUT_WINDOW = 2;
    /** The rate of all regions, 2,000 a second, times an interval of 200 ms with a tick, and a delay of 60 ms. */
    private static final long SHARED_OVER = 2_000 * 310 / 1_000;

    @Test
    void aRegionCountsForItself() {
        assertAbout(admitted("region", false), 140, 200, 140, 140, 140, 140);
    }

    @Test
    void slicesNeverExceedTheLimitAndDoNotFollowTheDemand() {
        assertAbout(admitted("{ slices: { eu: 0.334, us: 0.333, ap: 0.333 } }", false), 73, 87, 73, 73, 73, 73);
    }

    @Test
    void aGlobalLimitIsUsedUpAndNeverExceeded() {
        long[] admitted = admitted("global", true);
        for (int i = 0; i < WINDOWS; i++) {
            assertThat(admitted[i]).as("window %d", i).isLessThanOrEqualTo(LIMIT);
            if (i != CUT_WINDOW) {
                assertThat(admitted[i]).as("window %d", i).isGreaterThanOrEqualTo(LIMIT * 98 / 100);
            }
        }
        // The two that are not cut off want 40 % in all; the third has what it took in two seconds, and what it held.
        assertThat(admitted[CUT_WINDOW]).isBetween(LIMIT * 65 / 100, LIMIT * 85 / 100);
    }

    @Test
    void aSharedLimitIsUsedUpAlsoByRegionsThatCannotHearEachOther() {
        long[] admitted = admitted("shared", true);
        for (int i = 0; i < WINDOWS; i++) {
            // In the cut, the two regions that still hear each other do not want all of their share.
            long least = LIMIT * (i == CUT_WINDOW ? 88 : 98) / 100;
            assertThat(admitted[i]).as("window %d", i).isBetween(least, LIMIT + SHARED_OVER);
        }
    }

    /** Compares with percentages of the limit; callers are drawn, so each may differ by two. */
    private static void assertAbout(long[] admitted, int... percent) {
        for (int i = 0; i < WINDOWS; i++) {
            assertThat(100.0 * admitted[i] / LIMIT).as("window %d", i).isCloseTo(percent[i], within(2.0));
        }
    }

    /** The requests admitted in each window. */
    private static long[] admitted(String scope, boolean booked) {
        Scenario.Run run = ThreeRegions.run("""
            rules:
              - name: r
                key_by: user_id
                scope: %s
                on_fail: deny
                limit: { requests: %d, window: 10s, algorithm: fixed_window }
            """.formatted(scope, LIMIT));
        Placement placement = new Placement.Regions(
                List.of(NODES, NODES, NODES), List.of(80, 10, 10), List.of(10, 80, 10), 15 * SECOND);
        FlowSettings traffic = FlowSettings.of(
                        "user_id", new ArrivalProcess.Steady(2 * LIMIT / 10.0), new CallerDistribution.Alike(1))
                .placed(placement);
        List<Fault> cut = scope.equals("shared")
                ? ThreeRegions.isolate(BUSIEST, NODES, 22 * SECOND, 9 * SECOND)
                : ThreeRegions.cutOff(BUSIEST, NODES, 22 * SECOND, 9 * SECOND);
        FleetSettings fleet = FleetSettings.of(1).in(ThreeRegions.layout(NODES, 50 * ThreeRegions.MILLI));
        Scenario scenario = ThreeRegions.scenario(run, fleet, List.of(traffic), cut, WINDOWS * 10 * SECOND, 0, 1);
        RunResult result = new Simulation(scenario, run, booked).run();
        assertThat(result.violations()).isEmpty();
        long[] steps = result.tally().admittedSteps();
        assertThat(result.tally().stepNanos() * steps.length).isEqualTo(WINDOWS * 10 * SECOND);
        long[] windows = new long[WINDOWS];
        for (int i = 0; i < steps.length; i++) {
            windows[i * WINDOWS / steps.length] += steps[i];
        }
        return windows;
    }
}
