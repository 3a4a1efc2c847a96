package dev.weir.server.metrics;

import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;

/** Writes the counts of each position as time series of its rule. */
final class RuleExposition {
    private static final String DURATION = "ratelimit_check_duration_seconds";

    private final List<RuleSeries> series;
    private final IntToLongFunction requests;
    private final IntFunction<MajorityCounters.BusiestCounter> busiest;
    private final DenialExemplars exemplars;

    RuleExposition(
            List<RuleSeries> series,
            IntToLongFunction requests,
            IntFunction<MajorityCounters.BusiestCounter> busiest,
            DenialExemplars exemplars) {
        this.series = series;
        this.requests = requests;
        this.busiest = busiest;
        this.exemplars = exemplars;
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
        for (RuleSeries each : series) {
            decisions(out, each, "allowed", ThreadCounts.ALLOWED);
            decisions(out, each, "denied", ThreadCounts.DENIED);
            decisions(out, each, "shadow", ThreadCounts.SHADOWED);
        }
        out.metric("ratelimit_denied_total", "counter", "Checks that were over their limit.");
        for (RuleSeries each : series) {
            out.sample(
                    "ratelimit_denied_total",
                    labels(each),
                    each.count(ThreadCounts.DENIED),
                    exemplars.of(each.position()));
        }
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
        counter(
                out,
                "ratelimit_on_credit_total",
                "Checks that passed beyond the burst, on credit.",
                ThreadCounts.ON_CREDIT);
        out.metric(
                "ratelimit_busiest_key_ratio",
                "gauge",
                "At least this share of the rule's checks goes to one counter, sampled from one request in "
                        + ThreadCounts.SAMPLED
                        + " since the rules were loaded; near 1, the rule does not tell callers apart. 0 for a"
                        + " rule with one counter.");
        for (RuleSeries each : series) {
            out.sample(
                    "ratelimit_busiest_key_ratio",
                    labels(each),
                    busiest.apply(each.position()).share());
        }
        out.metric(
                DURATION,
                "histogram",
                "Time from reading a request to its decision; one request in " + ThreadCounts.SAMPLED
                        + " of each thread is timed, to the microsecond.");
        for (RuleSeries each : series) {
            histogram(out, each, "allowed", true);
            histogram(out, each, "denied", false);
        }
    }

    private void requests(Exposition out, String outcome, int field) {
        out.sample("ratelimit_requests_total", Exposition.labels("outcome", outcome), requests.applyAsLong(field));
    }

    private void counter(Exposition out, String name, String help, int field) {
        out.metric(name, "counter", help);
        for (RuleSeries each : series) {
            out.sample(name, labels(each), each.count(field));
        }
    }

    private void decisions(Exposition out, RuleSeries of, String outcome, int field) {
        out.sample(
                "ratelimit_decisions_total",
                Exposition.labels("domain", of.domain(), "rule", of.rule(), "outcome", outcome),
                of.count(field));
    }

    private void histogram(Exposition out, RuleSeries of, String outcome, boolean allowed) {
        long[] counts = new long[LatencyBuckets.COUNT];
        for (int bucket = 0; bucket < counts.length; bucket++) {
            counts[bucket] = of.count(ThreadCounts.histogram(allowed) + bucket);
        }
        out.histogram(
                DURATION,
                Exposition.labels("domain", of.domain(), "rule", of.rule(), "outcome", outcome),
                counts,
                of.count(ThreadCounts.sum(allowed)));
    }

    private static String labels(RuleSeries of) {
        return Exposition.labels("domain", of.domain(), "rule", of.rule());
    }
}
