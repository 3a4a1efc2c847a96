package dev.weir.testing;

import dev.weir.TimeSource;
import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import java.time.Duration;

/** Moves the time of a test. It starts at the beginning of a day in UTC, and stands still until the test moves it. */
public final class TestClock {
    private final Timeline timeline = new Timeline();
    private final MachineClock clock = new MachineClock(timeline, 0, 0, 0);

    TestClock() {}

    TimeSource time() {
        return clock;
    }

    /**
     * Moves the clock on.
     *
     * @throws IllegalArgumentException if {@code by} is negative
     */
    public void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("by: " + by + " (expected: >= 0; the clock never runs backwards)");
        }
        timeline.runUntil(Math.addExact(timeline.now(), by.toNanos()));
    }
}
