package dev.weir.internal.batching;

import dev.weir.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** What is settled and not told yet, sorted by who waits where. Used in one loop. */
final class CompletionQueue {
    private final BatchingLoop loop;
    private final SubmissionQueue intake;
    private final BatchTransport carrier;
    private final List<CompletionTask> deliveries = new ArrayList<>();
    private int count;
    private boolean soon;

    CompletionQueue(BatchingLoop loop, SubmissionQueue intake, BatchTransport carrier) {
        this.loop = loop;
        this.intake = intake;
        this.carrier = carrier;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Settles all that {@code call} carries: as decided, or failed. */
    void settle(BatchedCall call, @Nullable StoreFailure failure) {
        for (int i = 0, size = call.groups(); i < size; i++) {
            settle(call.pending(i), failure);
        }
    }

    void settle(QueuedAsk each, @Nullable StoreFailure failure) {
        if (each.isWaited()) {
            if (failure != null) {
                carrier.unanswered(failure);
                each.fail(failure);
            }
            add(each);
        }
    }

    private void add(QueuedAsk pending) {
        count++;
        Executor home = pending.home();
        for (int i = 0; i < deliveries.size(); i++) {
            CompletionTask each = deliveries.get(i);
            if (each.home == home) {
                each.add(pending);
                return;
            }
        }
        CompletionTask first = new CompletionTask(home);
        first.add(pending);
        deliveries.add(first);
    }

    /** Sends them home with whatever else is settled in this turn of the loop. */
    void deliverSoon() {
        if (!soon) {
            soon = true;
            loop.execute(this::deliver);
        }
    }

    /** Sends them home. */
    void deliver() {
        soon = false;
        if (count == 0) {
            return;
        }
        intake.done(count);
        count = 0;
        // What is told in this very loop may ask again at once, and fail at once: so the list is left before anyone is
        // told.
        CompletionTask[] going = deliveries.toArray(new CompletionTask[0]);
        deliveries.clear();
        for (CompletionTask each : going) {
            each.start();
        }
    }
}
