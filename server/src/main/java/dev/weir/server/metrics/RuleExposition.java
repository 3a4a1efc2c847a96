package dev.weir.server.metrics;

import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;

/** Writes what the slots counted as time series of their rules. */
final class RuleExposition {
    private static final String DURATION = "ratelimit_check_duration_seconds";
    private static final double MICROS = 1e6;

    private final List<SeriesPositions.Series> series;
    private final SeriesPositions.Totals totals;
    private final IntToLongFunction requests;
    private final IntFunction<MajorityCounters.Favourite> favourite;

    RuleExposition(
            List<SeriesPositions.Series> series,
            SeriesPositions.Totals totals,
            IntToLongFunction requests,
            IntFunction<MajorityCounters.Favourite> favourite) {
        this.series = series;
        this.totals = totals;
        this.requests = requests;
        this.favourite = favourite;
    }

    void write(Exposition out) {
        out.metric("ratelimit_requests_total", "counter", "Requests decided; unmatched ones met no rule and passed.");
        requests(out, "allowed", ThreadCounts.ALLOWED);
        requests(out, "denied", ThreadCounts.DENIED);
        requests(out, "unmatched", ThreadCounts.UNMATCHED);

        out.metric(
                "ratelimit_decisions_total",
                "counter",
                "Checks by rule and what came out: allowed (there was room), denied (there was none), shadow (there was none,"
                        + " but the rule only watches). A request counts once for each rule that it meets.");
        for (SeriesPositions.Series each : series) {
            decisions(out, each, "allowed", ThreadCounts.ALLOWED);
            decisions(out, each, "denied", ThreadCounts.DENIED);
            decisions(out, each, "shadow", ThreadCounts.SHADOWED);
        }
        counter(out, "ratelimit_denied_total", "Checks that found their limit used up.", ThreadCounts.DENIED);
        counter(
                out,
                "ratelimit_degraded_total",
                "Checks that the rule's on_fail decided, because the store did not answer in time.",
                ThreadCounts.DEGRADED);
        counter(
                out,
                "ratelimit_failopen_total",
                "Those of them that passed uncounted, because the rule says on_fail: allow.",
                ThreadCounts.FAIL_OPEN);
        counter(
                out,
                "ratelimit_missing_key_total",
                "Requests that met the rule and lacked what it counts by: a client, or a proxy, that leaves it out.",
                ThreadCounts.MISSING_KEY);
        counter(
                out,
                "ratelimit_override_ignored_total",
                "Requests of callers whose override the rule cannot count, as its algorithm has changed: its own limit held.",
                ThreadCounts.OVERRIDE_IGNORED);
        out.metric(
                "ratelimit_busiest_counter_ratio",
                "gauge",
                "At least this share of the rule's checks goes to one counter, by one request in "
                        + ThreadCounts.SAMPLED
                        + " since the rules were loaded; near 1, callers are not told apart. 0 for a rule with one counter.");
        for (SeriesPositions.Series each : series) {
            out.sample(
                    "ratelimit_busiest_counter_ratio",
                    labels(each),
                    favourite.apply(each.slot).share());
        }
        out.metric(
                DURATION,
                "histogram",
                "From the moment a request was read until it was decided; one request in " + ThreadCounts.SAMPLED
                        + " of each thread is timed, to the microsecond.");
        for (SeriesPositions.Series each : series) {
            histogram(out, each, "allowed", true);
            histogram(out, each, "denied", false);
        }
    }

    private void requests(Exposition out, String outcome, int field) {
        out.sample("ratelimit_requests_total", Exposition.labels("outcome", outcome), requests.applyAsLong(field));
    }

    private void counter(Exposition out, String name, String help, int field) {
        out.metric(name, "counter", help);
        for (SeriesPositions.Series each : series) {
            out.sample(name, labels(each), count(each, field));
        }
    }

    private void decisions(Exposition out, SeriesPositions.Series of, String outcome, int field) {
        out.sample(
                "ratelimit_decisions_total",
                Exposition.labels("domain", of.domain, "rule", of.rule, "outcome", outcome),
                count(of, field));
    }

    private void histogram(Exposition out, SeriesPositions.Series of, String outcome, boolean allowed) {
        String labels = Exposition.labels("domain", of.domain, "rule", of.rule, "outcome", outcome);
        String open = labels.substring(0, labels.length() - 1) + ",le=\"";
        long below = 0;
        for (int bucket = 0; bucket <= ThreadCounts.BOUNDS.length; bucket++) {
            below += count(of, ThreadCounts.histogram(allowed) + bucket);
            String bound = bucket == ThreadCounts.BOUNDS.length
                    ? "+Inf"
                    : String.valueOf(ThreadCounts.BOUNDS[bucket] / MICROS);
            out.sample(DURATION + "_bucket", open + bound + "\"}", below);
        }
        out.sample(DURATION + "_sum", labels, count(of, ThreadCounts.sum(allowed)) / MICROS);
        out.sample(DURATION + "_count", labels, below);
    }

    private static String labels(SeriesPositions.Series of) {
        return Exposition.labels("domain", of.domain, "rule", of.rule);
    }

    private long count(SeriesPositions.Series of, int field) {
        return totals.total(of.slot, field) - of.before(field);
    }
}
