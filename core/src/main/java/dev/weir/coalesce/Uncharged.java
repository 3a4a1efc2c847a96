package dev.weir.coalesce;

import dev.weir.store.StoreFailure;
import java.util.function.Function;

/** What becomes of those whose call charged nothing: they go again, but not for ever. Used in one loop. */
final class Uncharged {
    private static final int MAX_TRIES = 8;
    private static final int MAX_REDIRECTS = 5;

    private final Intake intake;
    private final WaitingLine waiting;
    private final Answers answers;

    Uncharged(Intake intake, WaitingLine waiting, Answers answers) {
        this.intake = intake;
        this.waiting = waiting;
        this.answers = answers;
    }

    /**
     * Those who still have time go first in the next round. A store that says so after their deadline, and is heard before the timer
     * rings, was heard late: so {@code goNanos}, in which they can go once more, are given to who may wait for longer.
     */
    void goAgain(Call call, long now, long goNanos) {
        for (int i = call.groups() - 1; i >= 0; i--) {
            Pending each = call.pending(i);
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
    void goAlone(Call call) {
        int apart = 0;
        for (int i = call.groups() - 1; i >= 0; i--) {
            Pending each = call.pending(i);
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
    void goOn(Call call, boolean asking, long now, Function<Pending, Lane> onward) {
        int moved = 0;
        for (int i = 0; i < call.groups(); i++) {
            Pending each = call.pending(i);
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
