package dev.weir.server.metrics;

import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;

/** Writes the counts of each position as time series of its rule. */
final class RuleExposition {
    private static final String DURATION = "ratelimit_check_duration_seconds";
    private static final double MICROS = 1e6;

    private final List<SeriesPositions.Series> series;
    private final SeriesPositions.Totals totals;
    private final IntToLongFunction requests;
    private final IntFunction<MajorityCounters.BusiestCounter> busiest;

    RuleExposition(
            List<SeriesPositions.Series> series,
            SeriesPositions.Totals totals,
            IntToLongFunction requests,
            IntFunction<MajorityCounters.BusiestCounter> busiest) {
        this.series = series;
        this.totals = totals;
        this.requests = requests;
        this.busiest = busiest;
    }

    void write(Exposition out) {
        out.metric(
                "ratelimit_requests_total", "counter", "Requests decided; unmatched ones matched no rule and passed.");
        requests(out, "allowed", ThreadCounts.ALLOWED);
        requests(out, "denied", ThreadCounts.DENIED);
        requests(out, "unmatched", ThreadCounts.UNMATCHED);

        out.metric(
                "ratelimit_decisions_total",
                "counter",
                "Checks by rule and outcome: allowed (within the limit), denied (over it), shadow (over it, but"
                        + " the rule is in"
                        + " shadow). A request counts once for each rule that it matches.");
        for (SeriesPositions.Series each : series) {
            decisions(out, each, "allowed", ThreadCounts.ALLOWED);
            decisions(out, each, "denied", ThreadCounts.DENIED);
            decisions(out, each, "shadow", ThreadCounts.SHADOWED);
        }
        counter(out, "ratelimit_denied_total", "Checks that were over their limit.", ThreadCounts.DENIED);
        counter(
                out,
                "ratelimit_degraded_total",
                "Checks that on_fail decided because the store did not answer in time.",
                ThreadCounts.DEGRADED);
        counter(
                out,
                "ratelimit_failopen_total",
                "Degraded checks that passed uncounted because of on_fail: allow.",
                ThreadCounts.FAIL_OPEN);
        counter(
                out,
                "ratelimit_missing_key_total",
                "Requests that matched the rule but lacked its key: a client or a proxy omits it.",
                ThreadCounts.MISSING_KEY);
        counter(
                out,
                "ratelimit_override_ignored_total",
                "Requests of callers whose override the rule's algorithm cannot count: the rule's own limit applied.",
                ThreadCounts.OVERRIDE_IGNORED);
        out.metric(
                "ratelimit_busiest_key_ratio",
                "gauge",
                "At least this share of the rule's checks goes to one counter, sampled from one request in "
                        + ThreadCounts.SAMPLED
                        + " since the rules were loaded; near 1, the rule does not tell callers apart. 0 for a"
                        + " rule with one counter.");
        for (SeriesPositions.Series each : series) {
            out.sample(
                    "ratelimit_busiest_key_ratio",
                    labels(each),
                    busiest.apply(each.position).share());
        }
        out.metric(
                DURATION,
                "histogram",
                "Time from reading a request to its decision; one request in " + ThreadCounts.SAMPLED
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
        return totals.total(of.position, field) - of.before(field);
    }
}
