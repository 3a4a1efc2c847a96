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
    /** When it was sent: what it took, it took later. */
    long sentNanos;

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

    /**
     * What gives back all that it took, by {@code way} and as far as that comes in time; its outcomes say as things stand then. What is
     * not given back counts as spent.
     */
    Pending giveBack(Way way) {
        long now = way.nanos();
        long travelNanos = way.giveBackNanos();
        Pending back = Pending.of(NOBODY, now + travelNanos, way);
        back.slot = pending.slot;
        for (Check check : checks) {
            if (hasTaken(check) && check.isReturnable(now - sentNanos, travelNanos)) {
                Check returning = new Check();
                returning.setReturning(check);
                back.group.add(returning);
                check.outcome.remaining += check.outcome.allowed ? check.hits : 0;
            }
        }
        return back;
    }

    /** Of a check that failed nobody knows: what may have been taken stays taken. */
    private boolean hasTaken(Check check) {
        return check.failure == null && check.hits > 0 && (counts || check.outcome.allowed);
    }
}
