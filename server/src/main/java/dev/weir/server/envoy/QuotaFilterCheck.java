package dev.weir.server.envoy;

import dev.weir.server.envoy.RuleMatches.AskedEntry;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlNode.Sequence;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks {@code envoy.filters.http.rate_limit_quota}. */
final class QuotaFilterCheck {
    private static final String SETTINGS =
            "envoy.extensions.filters.http.rate_limit_quota.v3.RateLimitQuotaBucketSettings";
    private static final BigDecimal REPORT_SECONDS = BigDecimal.valueOf(5);

    private final DiagnosticCollector problems;
    private final EnvoyClusters clusters;
    private final @Nullable RuleMatches rules;

    QuotaFilterCheck(DiagnosticCollector problems, EnvoyClusters clusters, @Nullable RuleMatches rules) {
        this.problems = problems;
        this.clusters = clusters;
        this.rules = rules;
    }

    void filter(Mapping filter) {
        clusters.checkService(
                ProtoFields.at(filter, "rlqs_server"),
                filter.at(),
                "rlqs_server",
                "requests follow no_assignment_behavior",
                true);
        for (String each : List.of("filter_enabled", "filter_enforced")) {
            Entry entry = ProtoFields.entry(filter, each);
            if (entry != null) {
                problems.warning(entry.key().at(), each + " has no effect", "Envoy 1.40 does not apply it");
            }
        }
        YamlNode domain = ProtoFields.at(filter, "domain");
        boolean known = false;
        if (domain == null) {
            problems.error(filter.at(), "domain: missing", "expected: the domain of the rules");
        } else {
            known = rules != null && rules.checkDomain(domain);
        }
        buckets(ProtoFields.at(filter, "bucket_matchers"), known ? ProtoFields.text(filter, "domain") : "");
    }

    private void buckets(@Nullable YamlNode node, String domain) {
        if (node instanceof Sequence list) {
            list.items().forEach(each -> buckets(each, domain));
        } else if (node instanceof Mapping mapping) {
            if (ProtoFields.type(mapping).equals(SETTINGS)) {
                bucket(mapping, domain);
            } else {
                mapping.entries().forEach(each -> buckets(each.value(), domain));
            }
        }
    }

    private void bucket(Mapping settings, String domain) {
        interval(settings);
        YamlNode before = ProtoFields.at(settings, "no_assignment_behavior", "fallback_rate_limit");
        Entry tokens = ProtoFields.entry(before, "token_bucket");
        if (tokens != null) {
            problems.warning(
                    tokens.key().at(),
                    "a token_bucket in no_assignment_behavior: Envoy 1.40 crashes on the first request of a bucket",
                    "expected: blanket_rule: DENY_ALL or ALLOW_ALL");
        }
        strategy(before, "no_assignment_behavior");
        YamlNode after = ProtoFields.at(settings, "expired_assignment_behavior", "fallback_rate_limit");
        strategy(after, "expired_assignment_behavior");
        tokens(after);
        expiry(settings, before);
        if (rules != null && !domain.isEmpty()) {
            asked(settings, domain, rules);
        }
    }

    private void interval(Mapping settings) {
        YamlNode interval = ProtoFields.at(settings, "reporting_interval");
        BigDecimal seconds = ProtoFields.seconds(interval);
        if (interval == null) {
            problems.error(settings.at(), "reporting_interval: missing", "expected: reporting_interval: 5s");
        } else if (seconds != null && seconds.compareTo(REPORT_SECONDS) != 0) {
            String below = seconds.compareTo(BigDecimal.ONE) < 0 ? "an interval below a second" : "this interval";
            problems.warning(interval.at(), below + " has no effect: Envoy 1.40 reports every 5 s", "expected: 5s");
        }
    }

    private void strategy(@Nullable YamlNode fallback, String where) {
        Entry rate = ProtoFields.entry(fallback, "requests_per_time_unit");
        if (rate != null) {
            problems.warning(
                    rate.key().at(),
                    "requests_per_time_unit in " + where + ": Envoy 1.40 ignores it, and lets every request pass",
                    "expected: blanket_rule, or a token_bucket in expired_assignment_behavior");
        }
    }

    private void tokens(@Nullable YamlNode fallback) {
        YamlNode bucket = ProtoFields.at(fallback, "token_bucket");
        if (bucket == null) {
            return;
        }
        if (ProtoFields.entry(bucket, "tokens_per_fill") == null) {
            problems.warning(
                    bucket.at(), "no tokens_per_fill: the bucket is never filled again", "add tokens_per_fill");
        }
        YamlNode interval = ProtoFields.at(bucket, "fill_interval");
        BigDecimal seconds = ProtoFields.seconds(interval);
        if (interval != null && seconds != null && seconds.compareTo(BigDecimal.ONE) < 0) {
            problems.warning(
                    interval.at(),
                    "a fill_interval below a second: Envoy 1.40 divides by zero, and lets every request pass",
                    "expected: at least 1s, with more tokens_per_fill");
        }
    }

    /** Warns if a bucket lets all requests pass as soon as its assignment has expired. */
    private void expiry(Mapping settings, @Nullable YamlNode before) {
        boolean allowsBefore = !ProtoFields.text(before, "blanket_rule").equals("DENY_ALL");
        String otherwise = allowsBefore ? ", which lets every request pass" : "";
        String hint = "for the time in which no server answers: expired_assignment_behavior with "
                + "expired_assignment_behavior_timeout: 60s and fallback_rate_limit: { blanket_rule: DENY_ALL }";
        Entry expired = ProtoFields.entry(settings, "expired_assignment_behavior");
        if (expired == null) {
            if (allowsBefore) {
                problems.warning(
                        settings.at(),
                        "no expired_assignment_behavior: it is that of no_assignment_behavior" + otherwise,
                        hint);
            }
            return;
        }
        Position at = expired.key().at();
        YamlNode fallback = ProtoFields.at(expired.value(), "fallback_rate_limit");
        BigDecimal timeout =
                ProtoFields.seconds(ProtoFields.at(expired.value(), "expired_assignment_behavior_timeout"));
        boolean written = ProtoFields.at(expired.value(), "expired_assignment_behavior_timeout") != null;
        if (ProtoFields.entry(expired.value(), "reuse_last_assignment") != null) {
            problems.warning(
                    at, "reuse_last_assignment: Envoy 1.40 follows no_assignment_behavior instead" + otherwise, hint);
        } else if (!written || (timeout != null && timeout.signum() <= 0)) {
            problems.warning(
                    at,
                    "without expired_assignment_behavior_timeout Envoy skips this and follows no_assignment_behavior"
                            + otherwise,
                    hint);
        } else if (ProtoFields.text(fallback, "blanket_rule").equals("ALLOW_ALL") || isDefault(fallback)) {
            problems.warning(at, "expired_assignment_behavior lets every request pass", hint);
        }
    }

    /** Whether a fallback says nothing, which is ALLOW_ALL. */
    private static boolean isDefault(@Nullable YamlNode fallback) {
        return fallback instanceof Mapping mapping && mapping.entries().isEmpty();
    }

    private void asked(Mapping settings, String domain, RuleMatches matches) {
        if (!(ProtoFields.at(settings, "bucket_id_builder", "bucket_id_builder") instanceof Mapping builder)) {
            return;
        }
        List<AskedEntry> entries = new ArrayList<>();
        for (Entry each : builder.entries()) {
            YamlNode value = ProtoFields.at(each.value(), "string_value");
            entries.add(new AskedEntry(
                    each.key().at(), each.key().text(), value instanceof Scalar scalar ? scalar.text() : null));
        }
        if (!entries.isEmpty()) {
            matches.check(Set.of(domain), builder.at(), entries, true, "bucket");
        }
    }
}
