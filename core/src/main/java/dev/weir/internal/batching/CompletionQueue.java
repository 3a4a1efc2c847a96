package dev.weir.internal.batching;

import dev.weir.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The asks that are settled but not yet delivered, grouped by executor. Used in one event loop. */
final class CompletionQueue {
    private final BatchingLoop loop;
    private final SubmissionQueue intake;
    private final BatchTransport carrier;
    private final List<CompletionTask> deliveries = new ArrayList<>();
    private int count;
    /** The charge of these asks. */
    private long charge;

    private boolean soon;

    CompletionQueue(BatchingLoop loop, SubmissionQueue intake, BatchTransport carrier) {
        this.loop = loop;
        this.intake = intake;
        this.carrier = carrier;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Settles all asks of {@code call}: as decided, or failed. */
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
        charge += pending.charge;
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

    /** Delivers them with whatever else is settled in this turn of the loop. */
    void deliverSoon() {
        if (!soon) {
            soon = true;
            loop.execute(this::deliver);
        }
    }

    /** Delivers the answers to their executors. */
    void deliver() {
        soon = false;
        if (count == 0) {
            return;
        }
        intake.done(charge);
        charge = 0;
        count = 0;
        // A callback in this very loop may ask again and fail at once. So the list is emptied before any callback runs.
        CompletionTask[] going = deliveries.toArray(new CompletionTask[0]);
        deliveries.clear();
        for (CompletionTask each : going) {
            each.start();
        }
    }
}
