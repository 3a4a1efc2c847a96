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
 * Notices when a rule cannot tell callers apart, as when a proxy strips or rewrites the header that it counts by: most requests
 * lack the key, or nearly all bring the same one. Says so in the log, which key it was not, and again after an hour.
 */
public final class IneffectiveKeyWarnings {
    private static final System.Logger LOG = System.getLogger(IneffectiveKeyWarnings.class.getName());
    private static final long AGAIN_NANOS = TimeUnit.HOURS.toNanos(1);
    /** So many requests, or sampled checks, before anything is said of them. */
    private static final int ENOUGH = 1_000;

    private static final double MOST = 0.5;
    private static final double NEARLY_ALL = 0.9;

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

    /** Looks at the rules in force; to be called every few seconds, on no event loop. */
    public synchronized void look() {
        List<Traffic> traffic = metrics.traffic();
        Set<Rule> rules = traffic.stream().map(Traffic::rule).collect(Collectors.toSet());
        seen.keySet().retainAll(rules);
        for (Traffic each : traffic) {
            Seen before = seen.get(each.rule());
            if (before == null) {
                seen.put(each.rule(), new Seen(each, nanos.getAsLong()));
            } else {
                missing(each, before);
                favourite(each, before);
            }
        }
    }

    private void missing(Traffic now, Seen before) {
        Rule rule = now.rule();
        long missing = now.missing() - before.missing;
        long checks = now.checks() - before.checks;
        // What is skipped for want of a key is no check.
        long met = rule.onMissing() == OnMissing.SKIP ? checks + missing : checks;
        if (met < ENOUGH) {
            return;
        }
        before.missing = now.missing();
        before.checks = now.checks();
        if (missing > MOST * met && before.missingSaid.isDue(nanos.getAsLong())) {
            warning.accept("rule " + rule + ": " + percent((double) missing / met) + " of the last " + met
                    + " requests that met it lacked what it counts by, and "
                    + switch (rule.onMissing()) {
                        case SKIP -> "passed it uncounted";
                        case DENY -> "were denied";
                        case SHARE -> "shared one counter";
                    }
                    + "; does a client or a proxy leave it out?");
        }
    }

    private void favourite(Traffic now, Seen before) {
        MajorityCounters.Favourite favourite = now.favourite();
        if (favourite.checks() >= ENOUGH
                && favourite.share() >= NEARLY_ALL
                && before.favouriteSaid.isDue(nanos.getAsLong())) {
            warning.accept("rule " + now.rule() + ": at least " + percent(favourite.share())
                    + " of its requests share one counter; does a proxy send the same key for everyone?");
        }
    }

    private static String percent(double share) {
        return (int) (share * 100) + " %";
    }

    /** What was known of a rule when it was last looked at with enough to see. */
    private static final class Seen {
        private final Hourly missingSaid;
        private final Hourly favouriteSaid;
        private long missing;
        private long checks;

        private Seen(Traffic first, long now) {
            missing = first.missing();
            checks = first.checks();
            missingSaid = new Hourly(now);
            favouriteSaid = new Hourly(now);
        }
    }

    /** True at first, and then once an hour. */
    private static final class Hourly {
        private long next;

        private Hourly(long now) {
            next = now;
        }

        boolean isDue(long now) {
            boolean due = now - next >= 0;
            next = due ? now + AGAIN_NANOS : next;
            return due;
        }
    }
}
