package dev.weir.internal.batching;

import dev.weir.StoreFailure;
import dev.weir.internal.store.DeadlineExtension;
import java.util.function.Function;

/** Retries asks whose call charged nothing, a bounded number of times. Used in one event loop. */
final class RetryPolicy {
    private static final int MAX_TRIES = 8;
    private static final int MAX_REDIRECTS = 5;

    private final SubmissionQueue intake;
    private final AskQueue waiting;
    private final CompletionQueue answers;

    RetryPolicy(SubmissionQueue intake, AskQueue waiting, CompletionQueue answers) {
        this.intake = intake;
        this.waiting = waiting;
        this.answers = answers;
    }

    /**
     * Puts the asks that still have time at the head of the next batch. If the store's reply comes after the deadline
     * but before the timer fires, this loop read it late. Then an ask with grace left gets {@code goNanos}, enough for
     * one retry.
     */
    void goAgain(BatchedCall call, long now, long goNanos) {
        for (int i = call.groups() - 1; i >= 0; i--) {
            QueuedAsk each = call.pending(i);
            if (each.isWaited()) {
                each.extend(DeadlineExtension.toAskOnceMore(now, each.deadlineNanos, goNanos));
            }
            if (each.isWaited() && ++each.tries < MAX_TRIES && each.deadlineNanos - now > 0) {
                waiting.putBack(each);
            } else {
                answers.settle(each, StoreFailure.TIMEOUT);
            }
        }
    }

    /** Retries each ask in its own call; an ask that was alone already is decided one key at a time. */
    void goAlone(BatchedCall call) {
        long apart = 0;
        for (int i = call.groups() - 1; i >= 0; i--) {
            QueuedAsk each = call.pending(i);
            if (!each.isWaited() || ++each.tries > MAX_REDIRECTS) {
                answers.settle(each, StoreFailure.UNAVAILABLE);
            } else if (each.alone && each.group.keys() > 1) {
                apart += each.charge;
                each.goApart();
            } else {
                each.alone = true;
                waiting.putBack(each);
            }
        }
        intake.done(apart);
    }

    /** Moves each ask to another batcher. */
    void goOn(BatchedCall call, boolean asking, long now, Function<QueuedAsk, Batcher> onward) {
        long moved = 0;
        for (int i = 0; i < call.groups(); i++) {
            QueuedAsk each = call.pending(i);
            if (each.isWaited() && ++each.tries <= MAX_REDIRECTS) {
                moved += each.charge;
                each.asking = asking;
                each.arrivedNanos = now;
                onward.apply(each).add(each);
            } else {
                answers.settle(each, StoreFailure.UNAVAILABLE);
            }
        }
        intake.done(moved);
    }
}
