package dev.weir.internal.limiter.shared;

import dev.weir.internal.counter.CounterKey;
import dev.weir.internal.limiter.check.CheckWriter;
import dev.weir.internal.match.Match;
import dev.weir.internal.model.Rule;
import dev.weir.internal.report.ReportedCounter;
import dev.weir.internal.report.Reports;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The checks of a request that this process decides alone and reports to shared stores afterwards. */
final class ReportedChecks {
    private final CounterKey key = new CounterKey();
    private @Nullable ReportedCounter[] counters = new ReportedCounter[4];
    private int size;

    /** Finds the counters of such checks. A counter without a place in the tier is asked exactly, like any other. */
    void find(InFlightDecision pending, Reports reports, long now) {
        Checks checks = pending.checks;
        if (counters.length < checks.size()) {
            counters = new ReportedCounter[checks.size()];
        }
        size = checks.size();
        for (int i = 0; i < size; i++) {
            Check check = checks.get(i);
            Match match = pending.matches.get(check.about);
            Rule rule = match.rule();
            int place = rule == null || CheckWriter.isDenied(match)
                    ? Check.LOCAL
                    : pending.rules().reportPlace(rule);
            if (rule != null && place != Check.LOCAL && check.store == Check.LOCAL) {
                counters[i] = reports.find(check, key, rule, place, now);
                check.store = counters[i] == null ? place : Check.LOCAL;
            }
        }
    }

    /** The index of a check that is denied because the nodes together have admitted too much; or -1. */
    int denied(InFlightDecision pending, long now) {
        for (int i = 0; i < size; i++) {
            if (denies(pending, i, now)) {
                return i;
            }
        }
        return -1;
    }

    /** Whether the check at {@code index} is denied because the nodes together have admitted too much. */
    boolean denies(InFlightDecision pending, int index, long now) {
        Check check = pending.checks.get(index);
        ReportedCounter counter = index < size ? counters[index] : null;
        return counter != null && check.role == Check.Role.ENFORCE && check.hits > 0 && counter.denies(check, now);
    }

    /** Records the hits that the decided request took. */
    void decided(InFlightDecision pending, boolean allowed, long now) {
        for (int i = 0; i < size; i++) {
            ReportedCounter counter = counters[i];
            Check check = pending.checks.get(i);
            if (counter == null || check.hits == 0) {
                continue;
            }
            if (!check.outcome.allowed) {
                counter.denied(now);
            } else if (allowed || check.countsDenied) {
                counter.add(check.hits, check.outcome.reset, now);
            }
        }
    }

    /** Releases the counters. */
    void end() {
        Arrays.fill(counters, 0, size, null);
        size = 0;
    }
}
