package dev.weir.spring.test;

import dev.weir.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** The clock of a test: it stands still until the test moves it. */
public final class VirtualTime implements TimeSource {
    /** The start of an hour and of a day, so that windows begin with the test. */
    private static final long START = 1_767_225_600_000_000L;

    private final AtomicLong micros = new AtomicLong(START);

    @Override
    public long micros() {
        return micros.get();
    }

    @Override
    public long nanos() {
        return (micros.get() - START) * 1_000;
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
        micros.addAndGet(by.toNanos() / 1_000);
    }
}
