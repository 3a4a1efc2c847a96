package dev.weir.internal.batching;

import dev.weir.internal.store.Check;
import java.util.ArrayList;
import java.util.List;

/** The checks of an ask that share one call. They stay known here when what carries them has left its call. */
final class AskPart {
    private static final AskPartListener NOBODY = part -> {};
    /** What is given back has time: nobody waits for it, and it is sent once. */
    private static final long MOST_NANOS = 1_000_000_000L;

    final QueuedAsk pending;
    final List<Check> checks = new ArrayList<>(2);
    /** It counts in any case. */
    final boolean counts;
    /** When it was sent: what it took, it took later. */
    long sentNanos;

    AskPart(QueuedAsk pending, boolean counts) {
        this.pending = pending;
        this.counts = counts;
    }

    void add(Check check) {
        checks.add(check);
        pending.group.add(check);
    }

    /** How many hits the tightest of its limits holds that may deny. */
    long capacity() {
        long least = Long.MAX_VALUE;
        for (Check each : checks) {
            if (each.role != Check.Role.SHADOW && each.meter != null) {
                least = Math.min(least, each.meter.limit().capacity());
            }
        }
        return least;
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
     * What gives back all that it took, as far as that surely comes in time by {@code way}; its outcomes say as things stand then. What is
     * not given back counts as spent.
     */
    QueuedAsk giveBack(AskRouter way) {
        long now = way.nanos();
        long elapsed = now - sentNanos;
        long most = MOST_NANOS;
        QueuedAsk back = QueuedAsk.of(NOBODY, now, way);
        back.slot = pending.slot;
        for (Check check : checks) {
            // A round trip less: that is how far off it may be what the store's clock shows.
            long left = check.returnableNanos(elapsed) - elapsed;
            if (hasTaken(check) && left > way.patienceNanos()) {
                Check returning = new Check();
                returning.setReturning(check);
                back.group.add(returning);
                check.outcome.remaining += check.outcome.allowed ? check.hits : 0;
                most = Math.min(most, left);
            }
        }
        back.deadlineNanos = now + most;
        return back;
    }

    /** Of a check that failed nobody knows: what may have been taken stays taken. */
    private boolean hasTaken(Check check) {
        return check.failure == null && check.hits > 0 && (counts || check.outcome.allowed);
    }
}
