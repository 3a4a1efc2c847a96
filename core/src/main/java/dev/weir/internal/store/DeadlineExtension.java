package dev.weir.internal.store;

import java.util.concurrent.TimeUnit;

/**
 * By how much the deadline of an ask is extended because this process was stalled: its threads did not run for a while,
 * on a busy machine or in a long pause of the garbage collector.
 *
 * <p>A process that was stalled reads replies late, and the store may have answered long ago. Without an extension, a
 * busy machine would look like a failing store, and requests would pass that should not. So time in which this process
 * was stalled is not charged against the deadline. The same time again is not charged either, up to one deadline,
 * because the stall may have stalled a store on the same machine too.
 *
 * <p>Each ask has an allowance for all its extensions, {@link Ask#graceNanos}. It ends where the caller's own deadline
 * ends, and after a tenth of a second, so that a process that is always stalled still has deadlines.
 */
public final class DeadlineExtension {
    /** The largest allowance of an ask. */
    public static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** A delay of an event loop below this is usual; from here on the process was stalled. */
    public static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private DeadlineExtension() {}

    /** The allowance of an ask that may take {@code askNanos} for a caller that waits for {@code callerNanos}. */
    public static long allowance(long askNanos, long callerNanos) {
        return Math.min(callerNanos - askNanos, MOST_NANOS);
    }

    /** The extension of asks in flight after a stall; {@code timeoutNanos} is the time that the store usually has. */
    public static long afterStall(long stalledNanos, long timeoutNanos) {
        return stalledNanos + Math.min(stalledNanos, timeoutNanos);
    }

    /**
     * Whether an ask that waited for {@code waitedNanos} to be sent waited because of a stall: a batch in flight delays
     * it by {@code batchNanos} at most.
     */
    public static boolean isStall(long waitedNanos, long batchNanos) {
        return waitedNanos >= batchNanos + STALL_NANOS;
    }

    /** The extension that leaves an ask {@code nanos} from {@code nowNanos} on: enough to ask once more. */
    public static long toAskOnceMore(long nowNanos, long deadlineNanos, long nanos) {
        return Math.max(0, nowNanos + nanos - deadlineNanos);
    }
}
