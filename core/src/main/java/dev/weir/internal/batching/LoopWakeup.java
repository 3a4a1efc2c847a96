package dev.weir.internal.batching;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Wakes a loop to read its intake, unless it will do so anyway. Any thread wakes it; the loop says when it rests. */
final class LoopWakeup {
    private final BatchingLoop loop;
    private final Runnable look;
    /** Whether the loop is going to read the intake. */
    private final AtomicBoolean awake = new AtomicBoolean();

    LoopWakeup(BatchingLoop loop, Runnable look) {
        this.loop = loop;
        this.look = look;
    }

    boolean isAwake() {
        return awake.get();
    }

    void ring() {
        if (!awake.get() && awake.compareAndSet(false, true)) {
            ringAnyhow();
        }
    }

    /** Wakes the loop even if it is awake, because there is more to do than to read the intake. */
    void ringAnyhow() {
        try {
            loop.execute(look);
        } catch (RejectedExecutionException e) {
            look.run(); // the loop is gone, and with it every other user of the intake
        }
    }

    /**
     * Called in the loop when it is idle. Returns whether it may rest: nothing has arrived meanwhile without a wakeup.
     */
    boolean rests(SubmissionQueue intake) {
        awake.set(false);
        return intake.isEmpty() || !awake.compareAndSet(false, true);
    }
}
