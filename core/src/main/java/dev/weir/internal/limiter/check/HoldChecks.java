package dev.weir.internal.limiter.check;

import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.model.HeldHits;
import dev.weir.internal.model.HeldRequest;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The checks of a hold. To reserve, each asks for at most what its limit can ever hold. To settle, each charges or gives
 * back the difference between the true cost and what was reserved; what exceeds the limit is a debt. All of them ask the
 * store of their counter, never a lease or a reported count.
 */
public final class HoldChecks {
    private final @Nullable HeldRequest settled;
    /** Whether the hits in the memory of this process are settled now. */
    private final boolean here;

    private final long wallMicros;
    private final List<HeldHits> held = new ArrayList<>();
    private boolean local = true;
    private boolean partlyLocal;
    private boolean failed;
    private boolean debt;

    private HoldChecks(@Nullable HeldRequest settled, boolean here, long wallMicros) {
        this.settled = settled;
        this.here = here;
        this.wallMicros = wallMicros;
    }

    /** The checks that reserve hits at {@code wallMicros}. */
    public static HoldChecks reserving(long wallMicros) {
        return new HoldChecks(null, true, wallMicros);
    }

    /**
     * The checks that settle {@code hold} at {@code wallMicros}.
     *
     * @param here whether hits in the memory of this process are settled too: it made the hold, and did not settle them
     *     before
     */
    public static HoldChecks settling(HeldRequest hold, boolean here, long wallMicros) {
        return new HoldChecks(hold, here, wallMicros);
    }

    /** Whether hits are reserved, and not settled. */
    public boolean isReserving() {
        return settled == null;
    }

    /** The hits to ask for, if the request costs {@code hits}. */
    long hitsOf(Match match, Meter meter, long hits) {
        HeldRequest hold = settled;
        Rule rule = match.rule();
        if (hold == null) {
            return CheckWriter.isDenied(match)
                    ? hits
                    : Math.min(hits, Math.max(1, meter.limit().capacity())); // a limit of 0 still denies
        }
        if (rule == null || CheckWriter.isDenied(match)) {
            return 0;
        }
        HeldHits reserved = reserved(hold, rule, match.descriptor());
        if (reserved == null) {
            return hits;
        }
        boolean remembers = reserved.hits() != HeldHits.UNKNOWN && wallMicros < reserved.untilMicros();
        return remembers ? hits - reserved.hits() : 0;
    }

    /** Completes {@code check}, which has its hits. */
    void complete(MeteredRules rules, Match match, Check check) {
        Rule rule = match.rule();
        if (check.store == Check.LOCAL && rule != null && !CheckWriter.isDenied(match)) {
            check.store = rules.reportPlace(rule);
        }
        HeldRequest hold = settled;
        if (hold == null) {
            return;
        }
        if (check.store == Check.LOCAL && !here) {
            check.hits = 0; // counted in the memory of another process, or settled before
        }
        check.role = Check.Role.SHADOW;
        check.countsDenied = false;
        check.owed = check.hits > 0;
        HeldHits reserved = rule == null ? null : reserved(hold, rule, match.descriptor());
        check.window = check.hits < 0 && reserved != null ? reserved.window() : 0;
    }

    private static @Nullable HeldHits reserved(HeldRequest hold, Rule rule, int descriptor) {
        for (HeldHits each : hold.held()) {
            if (each.descriptor() == descriptor && each.rule().equals(rule.id())) {
                return each;
            }
        }
        return null;
    }

    /** Notes what was taken, once the request is decided. */
    public void decided(Matches matches, Checks checks) {
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            Match match = matches.get(check.about);
            Rule rule = match.rule();
            Meter meter = check.meter;
            boolean unknown = check.failure != null;
            boolean inMemory = check.store == Check.LOCAL && !unknown;
            local &= inMemory;
            partlyLocal |= inMemory;
            failed |= unknown;
            debt |= check.owed;
            if (rule != null && meter != null && (unknown || check.outcome.allowed)) {
                long until = wallMicros + meter.returnableNanos(check.outcome) / 1_000;
                long hits = unknown ? HeldHits.UNKNOWN : Math.max(0, check.hits);
                long window = unknown ? 0 : meter.windowOf(check.outcome);
                held.add(new HeldHits(rule.id(), match.descriptor(), hits, window, until));
            }
        }
    }

    /** The hits that were taken from each limit. */
    public List<HeldHits> held() {
        return held;
    }

    /** Whether all counters are in the memory of this process. */
    public boolean isLocal() {
        return local;
    }

    /** Whether some counters are in the memory of this process. */
    public boolean isPartlyLocal() {
        return partlyLocal;
    }

    /** Whether the true cost of some limit is more than was reserved. */
    public boolean isDebt() {
        return debt;
    }

    /** Whether a store did not answer. */
    public boolean hasFailed() {
        return failed;
    }
}
