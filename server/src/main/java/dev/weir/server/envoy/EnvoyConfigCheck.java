package dev.weir.server.envoy;

import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.text.diagnostics.Diagnostic;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlNode.Sequence;
import dev.weir.text.yaml.YamlReader;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks an Envoy configuration, whole or in part, as far as it asks a rate limit service or a rate limit quota service.
 * An error is something that Envoy refuses; a warning is something that it takes and that does not do what it seems to.
 * Everything said of Envoy was seen on version 1.40.
 */
public final class EnvoyConfigCheck {
    private static final String FILTERS = "envoy.extensions.filters.http.";
    private static final String RATE_LIMIT = FILTERS + "ratelimit.v3.RateLimit";
    private static final String PER_ROUTE = FILTERS + "ratelimit.v3.RateLimitPerRoute";
    private static final String QUOTA = FILTERS + "rate_limit_quota.v3.RateLimitQuotaFilterConfig";
    private static final String QUOTA_PER_ROUTE = FILTERS + "rate_limit_quota.v3.RateLimitQuotaOverride";

    private final DiagnosticCollector problems;
    private final EnvoyClusters clusters;
    private final QuotaFilterCheck quotas;
    private final RateLimitFilterCheck limits;
    private final Set<String> domains = new LinkedHashSet<>();
    private int filters;

    private EnvoyConfigCheck(YamlNode root, DiagnosticCollector problems, @Nullable RuleMatches matches) {
        this.problems = problems;
        this.clusters = new EnvoyClusters(root, problems);
        this.quotas = new QuotaFilterCheck(problems, clusters, matches);
        this.limits = new RateLimitFilterCheck(problems, clusters, matches);
    }

    /**
     * Checks the configuration in {@code bytes}, in YAML or JSON.
     *
     * @param file the name of the file in diagnostics
     * @param rules the rules to compare it with; null to check it alone
     * @param form the form in which rules compare endpoints
     */
    public static List<Diagnostic> check(String file, byte[] bytes, @Nullable WrittenRules rules, EndpointForm form) {
        DiagnosticCollector problems = new DiagnosticCollector(file);
        YamlNode root = YamlReader.read(bytes, problems);
        if (root != null) {
            RuleMatches matches = rules == null ? null : new RuleMatches(rules, form, problems);
            new EnvoyConfigCheck(root, problems, matches).check(root);
        } else if (problems.errors() == 0) {
            problems.error(new Position(1, 1), "the file is empty", "expected: an Envoy configuration");
        }
        return problems.all();
    }

    private void check(YamlNode root) {
        findFilters(root);
        limits.routes(domains, root);
        if (filters == 0) {
            problems.warning(
                    root.at(),
                    "no rate limit filter",
                    "expected: envoy.filters.http.ratelimit or envoy.filters.http.rate_limit_quota");
        }
    }

    private void findFilters(YamlNode node) {
        if (node instanceof Sequence list) {
            list.items().forEach(this::findFilters);
        } else if (node instanceof Mapping mapping) {
            switch (ProtoFields.type(mapping)) {
                case QUOTA -> {
                    filters++;
                    durations(mapping);
                    quotas.filter(mapping);
                }
                case RATE_LIMIT -> {
                    filters++;
                    durations(mapping);
                    domains.add(limits.filter(mapping));
                }
                case PER_ROUTE -> domains.add(ProtoFields.text(mapping, "domain"));
                case QUOTA_PER_ROUTE ->
                    problems.warning(
                            mapping.at(), "settings of the quota filter for a route", "Envoy 1.40 does not apply them");
                default -> {}
            }
            mapping.entries().forEach(each -> findFilters(each.value()));
        }
    }

    /** Reports durations that Envoy does not read, in a filter. */
    private void durations(YamlNode node) {
        if (node instanceof Sequence list) {
            list.items().forEach(this::durations);
        } else if (node instanceof Mapping mapping) {
            for (Entry each : mapping.entries()) {
                String name = ProtoFields.snakeCase(each.key().text());
                boolean duration = name.endsWith("timeout") || name.endsWith("interval");
                if (duration && each.value() instanceof Scalar value && ProtoFields.seconds(value) == null) {
                    problems.error(
                            value.at(),
                            each.key().text() + ": '" + value.text() + "'",
                            "expected: seconds, such as 5s or 0.02s; Envoy reads no other unit");
                }
                durations(each.value());
            }
        }
    }
}
