package dev.weir.server.metrics;

import dev.weir.OnMissing;
import dev.weir.internal.model.Rule;
import dev.weir.server.metrics.RuleMetrics.Traffic;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Warns when a rule cannot tell callers apart, for example because a proxy removes or rewrites the header that it
 * counts by: most requests lack the key, or nearly all have the same one. A warning is repeated after an hour at the
 * earliest.
 */
public final class IneffectiveKeyWarnings {
    private static final System.Logger LOG = System.getLogger(IneffectiveKeyWarnings.class.getName());
    private static final long REPEAT_NANOS = TimeUnit.HOURS.toNanos(1);
    /** Requests, or sampled checks, that are needed for a judgement. */
    static final int MIN_REQUESTS = 1_000;

    private static final double MISSING_SHARE = 0.5;
    private static final double BUSIEST_SHARE = 0.9;

    private final RuleMetrics metrics;
    private final LongSupplier nanos;
    private final Consumer<String> warning;
    private final Map<Rule, Seen> seen = new HashMap<>();

    public IneffectiveKeyWarnings(RuleMetrics metrics) {
        this(metrics, System::nanoTime, text -> LOG.log(Level.WARNING, text));
    }

    IneffectiveKeyWarnings(RuleMetrics metrics, LongSupplier nanos, Consumer<String> warning) {
        this.metrics = metrics;
        this.nanos = nanos;
        this.warning = warning;
    }

    /** Checks the rules in force; to be called every few seconds, on no event loop. */
    public synchronized void check() {
        List<Traffic> traffic = metrics.traffic();
        Set<Rule> rules = traffic.stream().map(Traffic::rule).collect(Collectors.toSet());
        seen.keySet().retainAll(rules);
        for (Traffic each : traffic) {
            Seen before = seen.get(each.rule());
            if (before == null) {
                seen.put(each.rule(), new Seen(each, nanos.getAsLong()));
            } else {
                missing(each, before);
                busiest(each, before);
            }
        }
    }

    private void missing(Traffic now, Seen before) {
        Rule rule = now.rule();
        long missing = now.missing() - before.missing;
        long checks = now.checks() - before.checks;
        // A request that is skipped for lack of a key is not counted as a check.
        long requests = rule.onMissing() == OnMissing.SKIP ? checks + missing : checks;
        if (requests < MIN_REQUESTS) {
            return;
        }
        before.missing = now.missing();
        before.checks = now.checks();
        if (missing > MISSING_SHARE * requests && before.missingWarning.isDue(nanos.getAsLong())) {
            warning.accept("rule " + rule + ": " + percent((double) missing / requests) + " of the last " + requests
                    + " requests that matched it lacked its key, and "
                    + switch (rule.onMissing()) {
                        case SKIP -> "were not counted";
                        case DENY -> "were denied";
                        case SHARE -> "shared one counter";
                    }
                    + "; does a client or a proxy omit it?");
        }
    }

    private void busiest(Traffic now, Seen before) {
        MajorityCounters.BusiestCounter busiest = now.busiest();
        if (busiest.checks() >= MIN_REQUESTS
                && busiest.share() >= BUSIEST_SHARE
                && before.busiestWarning.isDue(nanos.getAsLong())) {
            warning.accept("rule " + now.rule() + ": at least " + percent(busiest.share())
                    + " of its requests use one counter; does a proxy send the same key for every caller?");
        }
    }

    private static String percent(double share) {
        return (int) (share * 100) + " %";
    }

    /** The state of a rule at the last judgement. */
    private static final class Seen {
        private final Hourly missingWarning;
        private final Hourly busiestWarning;
        private long missing;
        private long checks;

        private Seen(Traffic first, long now) {
            missing = first.missing();
            checks = first.checks();
            missingWarning = new Hourly(now);
            busiestWarning = new Hourly(now);
        }
    }

    /** Due at first, and then once an hour. */
    private static final class Hourly {
        private long next;

        private Hourly(long now) {
            next = now;
        }

        boolean isDue(long now) {
            boolean due = now - next >= 0;
            next = due ? now + REPEAT_NANOS : next;
            return due;
        }
    }
}
