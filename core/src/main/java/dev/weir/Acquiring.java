package dev.weir;

import dev.weir.internal.library.EventLoops;
import dev.weir.internal.model.PlainDuration;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Waits for a limit: checks it, sleeps for the wait that the verdict gives, and checks again. */
final class Acquiring {
    /** The wait before the next attempt while the store does not answer. */
    private static final Duration STORE_DOWN = Duration.ofMillis(100);

    private Acquiring() {}

    /**
     * Calls {@code check} until it passes, for {@code atMost} at most. Returns false at once if the remaining time
     * cannot be enough.
     *
     * @param giveBack returns the hits of a check that passed, if the delay of a {@code leaky_bucket} exceeds the time
     *     left
     */
    static boolean acquire(Supplier<Verdict> check, Runnable giveBack, TimeSource time, Duration atMost)
            throws InterruptedException {
        EventLoops.refuse("acquire", "checkAsync, and a timer");
        if (atMost.isNegative()) {
            throw new IllegalArgumentException("atMost: " + PlainDuration.exact(atMost) + " (expected: >= 0s)");
        }
        long start = time.nanos();
        while (true) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            Verdict verdict = check.get();
            Duration left = atMost.minusNanos(time.nanos() - start);
            if (verdict.allowed()) {
                return pause(verdict.delay(), left, giveBack);
            }
            Duration wait = verdict.retryAfter();
            if (wait != null && wait.isZero()) {
                wait = STORE_DOWN;
            }
            if (wait == null || wait.compareTo(left) > 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.sleep(wait.toNanos());
        }
    }

    private static boolean pause(Duration delay, Duration left, Runnable giveBack) throws InterruptedException {
        if (delay.isZero()) {
            return true;
        }
        if (delay.compareTo(left) > 0) {
            giveBack.run();
            return false;
        }
        try {
            TimeUnit.NANOSECONDS.sleep(delay.toNanos());
            return true;
        } catch (InterruptedException e) {
            giveBack.run();
            throw e;
        }
    }
}
