package dev.weir.internal.limiter.check;

import dev.weir.LoadShedder.Priority;
import dev.weir.Request;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.match.CallerHash;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.shedding.CapacityGate;
import dev.weir.internal.shedding.CapacityGate.Fate;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The checks of rules that are the capacity of a service: whose requests are shed before the counter is asked, and what
 * the service's gate learns from a decision. Nothing here runs while no rule in force is a capacity.
 */
public final class CapacityChecks {
    private static final long SECOND_MICROS = 1_000_000;
    /** The same in every process, so that all of them shed the same callers. */
    private static final int SEED = 0x5EED;

    private CapacityChecks() {}

    /** Marks the matches by which {@code request} is shed. */
    public static void shed(MeteredRules rules, Request request, Matches matches) {
        for (int i = 0; i < matches.size(); i++) {
            Match match = matches.get(i);
            ServiceCapacity capacity = capacity(rules, match);
            Priority priority = match.priority;
            if (capacity != null && priority != null && capacity.gate().isShedding()) {
                match.shed = request.hitsOf(match.descriptor()) > 0 && sheds(capacity.gate(), priority, request);
            }
        }
    }

    private static boolean sheds(CapacityGate gate, Priority priority, Request request) {
        int caller = CallerHash.of(request, SEED);
        return caller == SEED ? gate.shedsAnonymous(priority) : gate.sheds(priority, caller);
    }

    private static @Nullable ServiceCapacity capacity(MeteredRules rules, Match match) {
        Rule rule = match.rule();
        return rule == null || match.priority == null ? null : rules.capacity(rule);
    }

    /** Tells the gates what became of a request, decided at {@code now}. */
    public static void decided(MeteredRules rules, Matches matches, Checks checks, MutableDecision decision, long now) {
        MutableVerdict binding = decision.allowed() ? null : decision.binding();
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            Match match = matches.get(check.about);
            ServiceCapacity capacity = capacity(rules, match);
            Priority priority = match.priority;
            // A request that another limit denies is no demand on the service.
            boolean counts = decision.allowed() || (binding != null && binding.rule() == match.rule());
            if (capacity != null && priority != null && counts && check.hits > 0) {
                Fate fate = match.shed ? Fate.SHED : check.outcome.allowed ? Fate.PASSED : Fate.DENIED;
                capacity.gate().decided(priority, check.hits, fate, usage(match, check), now);
            }
        }
    }

    private static double usage(Match match, Check check) {
        Meter meter = check.meter;
        if (match.shed || meter == null || check.failure != null) {
            return Double.NaN;
        }
        long room = Math.max(1, meter.limit().capacity());
        return check.outcome.allowed ? 1 - (double) Math.min(room, check.outcome.remaining) / room : 1;
    }

    /** When a shed caller should try again, in microseconds: 1 to 3 seconds, at random. */
    static long retryAfterMicros() {
        return SECOND_MICROS + ThreadLocalRandom.current().nextLong(2 * SECOND_MICROS);
    }
}
