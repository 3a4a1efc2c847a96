package dev.weir.coalesce;

import dev.weir.store.Check;
import java.util.ArrayList;
import java.util.List;

/** The checks of an ask that share one call. They stay known here when what carries them has left its call. */
final class Part {
    private static final Parts NOBODY = part -> {};

    final Pending pending;
    final List<Check> checks = new ArrayList<>(2);
    /** It counts in any case. */
    final boolean counts;

    Part(Pending pending, boolean counts) {
        this.pending = pending;
        this.counts = counts;
    }

    void add(Check check) {
        checks.add(check);
        pending.group.add(check);
    }

    boolean hasQuota() {
        return checks.stream().anyMatch(check -> check.role == Check.Role.QUOTA);
    }

    boolean quotaPassed() {
        return checks.stream().anyMatch(check -> check.role == Check.Role.QUOTA && !isOver(check));
    }

    /** Whether a check of this role is over. */
    boolean isOver(Check.Role role) {
        return checks.stream().anyMatch(check -> check.role == role && isOver(check));
    }

    boolean hasFailed() {
        return checks.stream().anyMatch(check -> check.failure != null);
    }

    private static boolean isOver(Check check) {
        return check.failure == null && !check.outcome.allowed;
    }

    /** What gives back all that it took, no later than {@code deadlineNanos}; its outcomes say as things stand then. */
    Pending giveBack(long deadlineNanos) {
        Pending back = Pending.of(NOBODY, deadlineNanos);
        back.slot = pending.slot;
        for (Check check : checks) {
            // Of a check that failed nobody knows: what may have been taken stays taken.
            if (check.failure == null && check.hits > 0 && (counts || check.outcome.allowed)) {
                Check negative = Pending.copy(check);
                negative.hits = -check.hits;
                negative.ahead = 0;
                back.group.add(negative);
                check.outcome.remaining += check.outcome.allowed ? check.hits : 0;
            }
        }
        return back;
    }
}
