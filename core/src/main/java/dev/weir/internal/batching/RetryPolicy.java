package dev.weir.internal.batching;

import dev.weir.StoreFailure;
import java.util.function.Function;

/** What becomes of those whose call charged nothing: they go again, but not for ever. Used in one loop. */
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
     * Those who still have time go first in the next round. A store that says so after their deadline, and is heard before the timer
     * rings, was heard late: so {@code goNanos}, in which they can go once more, are given to who may wait for longer.
     */
    void goAgain(BatchedCall call, long now, long goNanos) {
        for (int i = call.groups() - 1; i >= 0; i--) {
            QueuedAsk each = call.pending(i);
            if (each.isWaited()) {
                each.extend(Math.max(0, now + goNanos - each.deadlineNanos));
            }
            if (each.isWaited() && ++each.tries < MAX_TRIES && each.deadlineNanos - now > 0) {
                waiting.putBack(each);
            } else {
                answers.settle(each, StoreFailure.TIMEOUT);
            }
        }
    }

    /** Each goes in a call of its own; who did so already, one key at a time. */
    void goAlone(BatchedCall call) {
        int apart = 0;
        for (int i = call.groups() - 1; i >= 0; i--) {
            QueuedAsk each = call.pending(i);
            if (!each.isWaited() || ++each.tries > MAX_REDIRECTS) {
                answers.settle(each, StoreFailure.UNAVAILABLE);
            } else if (each.alone && each.group.keys() > 1) {
                apart++;
                each.goApart();
            } else {
                each.alone = true;
                waiting.putBack(each);
            }
        }
        intake.done(apart);
    }

    /** Each goes by another lane. */
    void goOn(BatchedCall call, boolean asking, long now, Function<QueuedAsk, Batcher> onward) {
        int moved = 0;
        for (int i = 0; i < call.groups(); i++) {
            QueuedAsk each = call.pending(i);
            if (each.isWaited() && ++each.tries <= MAX_REDIRECTS) {
                moved++;
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
