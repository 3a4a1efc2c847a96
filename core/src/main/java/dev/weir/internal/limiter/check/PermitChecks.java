package dev.weir.internal.limiter.check;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.PermitLevels;
import dev.weir.internal.algorithm.PermitSet;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.model.HeldPermit;
import dev.weir.internal.model.TakenPermits;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The checks of concurrency rules: which rules a request meets, the ids of the permits that it takes, and what a decision
 * says of them. Nothing here runs while no rule in force is a concurrency rule.
 */
public final class PermitChecks {
    private PermitChecks() {}

    /**
     * Removes matches. A request that cannot release loses its concurrency rules. A descriptor that gives hits back, and
     * meets a concurrency rule, loses all others: at the end of a call only its permit comes back.
     */
    static void narrow(Request request, Matches matches) {
        matches.taken = TakenPermits.NONE;
        List<String> unenforced = null;
        for (int i = matches.size() - 1; i >= 0; i--) {
            Match match = matches.get(i);
            if (isConcurrency(match) && !request.takesPermits()) {
                unenforced = unenforced == null ? new ArrayList<>() : unenforced;
                unenforced.add(0, label(match));
                matches.remove(i);
            } else if (request.takesPermits()
                    && request.hitsOf(match.descriptor()) < 0
                    && !isConcurrency(match)
                    && meetsConcurrency(matches, match.descriptor())) {
                matches.remove(i);
            }
        }
        if (unenforced != null) {
            matches.taken = new TakenPermits(List.of(), unenforced, 0);
        }
    }

    private static boolean meetsConcurrency(Matches matches, int descriptor) {
        for (int i = 0; i < matches.size(); i++) {
            if (matches.get(i).descriptor() == descriptor && isConcurrency(matches.get(i))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isConcurrency(Match match) {
        Limit limit = match.rule() == null ? null : match.rule().limit();
        return limit != null && limit.algorithm() == Algorithm.CONCURRENCY;
    }

    private static String label(Match match) {
        return match.rule() == null ? "" : match.rule().label();
    }

    /**
     * Gives the check of a concurrency rule that takes permits their ids; if {@code leased}, this process counts them by
     * itself.
     */
    static void name(Check check, boolean leased) {
        if (check.meter instanceof PermitSet permits) {
            check.countsDenied = false; // a permit of a denied request would never come back
            if (leased) {
                PermitLevels levels = PermitLevels.of(permits.limit());
                long id = ThreadLocalRandom.current().nextLong(1, PermitLevels.LAST_ID);
                check.meter = check.hits > 0 ? levels.holding(id, check.hits) : levels;
            } else if (check.hits > 0) {
                long id = ThreadLocalRandom.current().nextLong(1, PermitSet.LAST_ID);
                check.meter = permits.holding(id, check.hits);
            }
        }
    }

    /** The meter of {@code share} for a check of {@code before}: the same permits, counted elsewhere. */
    public static Meter sameIds(@Nullable Meter before, Meter share) {
        return share instanceof PermitSet permits && permitsOf(before) > 0
                ? permits.holding(idOf(before), permitsOf(before))
                : share;
    }

    /**
     * Treats permits as unanswered whose answer took {@code nanos}, a quarter of their time to live or more. This process
     * was paused, and by the time its caller is done the permits may have expired.
     */
    public static void refuseLate(Checks checks, long nanos) {
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            if (check.hits > 0
                    && check.failure == null
                    && check.outcome.allowed
                    && check.meter instanceof PermitSet permits
                    && nanos / 1_000 >= permits.limit().windowMicros() / 4) {
                check.failure = StoreFailure.TIMEOUT;
            }
        }
    }

    /** Whether a store may have taken permits for {@code check}, which failed, without being heard. */
    public static boolean mayBeLost(Check check) {
        boolean unheard = check.failure == StoreFailure.TIMEOUT || check.failure == StoreFailure.BROKEN;
        return unheard && check.hits > 0 && check.meter instanceof PermitSet permits && permits.permits() > 0;
    }

    /** The permits that {@code checks} took, and the rules that were left out; {@code allowed} is their decision. */
    static TakenPermits taken(Matches matches, Checks checks, boolean allowed) {
        TakenPermits narrowed = matches.taken == null ? TakenPermits.NONE : matches.taken;
        List<HeldPermit> held = new ArrayList<>();
        long enforced = Long.MAX_VALUE;
        long watched = Long.MAX_VALUE;
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            if (check.hits > 0 && permitsOf(check.meter) > 0) {
                // A check that its store did not answer, and that is not counted here instead, holds nothing.
                boolean counted = check.failure == null || check.store == Check.LOCAL;
                boolean holds = allowed && check.outcome.allowed && counted;
                if (holds) {
                    held.add(held(matches.get(check.about), check));
                }
                long comesBack = holds && check.failure == null ? check.hits : 0;
                if (check.role == Check.Role.SHADOW) {
                    watched = Math.min(watched, comesBack);
                } else {
                    enforced = Math.min(enforced, comesBack);
                }
            }
        }
        if (enforced == Long.MAX_VALUE && watched == Long.MAX_VALUE) {
            return narrowed;
        }
        return new TakenPermits(held, narrowed.unenforced(), enforced == Long.MAX_VALUE ? watched : enforced);
    }

    /** The number of permits that {@code meter} names; 0 if it counts none. */
    private static long permitsOf(@Nullable Meter meter) {
        return meter instanceof PermitSet set
                ? set.permits()
                : meter instanceof PermitLevels levels ? levels.permits() : 0;
    }

    private static long idOf(@Nullable Meter meter) {
        return meter instanceof PermitSet set
                ? set.firstId()
                : meter instanceof PermitLevels levels ? levels.firstId() : 0;
    }

    private static HeldPermit held(Match match, Check check) {
        Meter meter = Objects.requireNonNull(check.meter, "meter");
        boolean shared = check.store != Check.LOCAL;
        return new HeldPermit(
                label(match),
                check.store,
                check.key0,
                check.key1,
                shared ? check.name.subject() : 0,
                shared ? check.name.toString() : "",
                idOf(meter),
                permitsOf(meter),
                meter instanceof PermitLevels
                        ? PermitLevels.permitMicros(meter.limit())
                        : meter.limit().windowMicros(),
                meter instanceof PermitLevels levels ? levels.node() : 0);
    }
}
