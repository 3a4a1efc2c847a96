package dev.weir.internal.batching;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Has a loop look at its intake when somebody comes and it does not look anyhow. Any thread rings; the loop says when it rests. */
final class LoopWakeup {
    private final BatchingLoop loop;
    private final Runnable look;
    /** The loop will look at the intake. */
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

    /** Also if it is awake: there is more to do than to look. */
    void ringAnyhow() {
        try {
            loop.execute(look);
        } catch (RejectedExecutionException e) {
            look.run(); // the loop is gone, and with it everyone who might be there
        }
    }

    /** In the loop, which has nothing to do: whether it may rest, for nobody has come meanwhile whom nobody rang for. */
    boolean rests(SubmissionQueue intake) {
        awake.set(false);
        return intake.isEmpty() || !awake.compareAndSet(false, true);
    }
}
