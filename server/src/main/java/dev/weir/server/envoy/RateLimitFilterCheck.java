package dev.weir.server.envoy;

import dev.weir.server.envoy.RuleMatches.AskedEntry;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Sequence;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks {@code envoy.filters.http.ratelimit}, and what routes let it ask. */
final class RateLimitFilterCheck {
    /** The deadline of a decision in Weir, unless it is set otherwise. */
    private static final BigDecimal DEADLINE = new BigDecimal("0.01");

    private final DiagnosticCollector problems;
    private final EnvoyClusters clusters;
    private final @Nullable RuleMatches rules;

    RateLimitFilterCheck(DiagnosticCollector problems, EnvoyClusters clusters, @Nullable RuleMatches rules) {
        this.problems = problems;
        this.clusters = clusters;
        this.rules = rules;
    }

    /** Checks a filter; returns its domain, empty without one. */
    String filter(Mapping filter) {
        boolean denies = ProtoFields.text(filter, "failure_mode_deny").equals("true");
        clusters.checkService(
                ProtoFields.at(filter, "rate_limit_service", "grpc_service"),
                filter.at(),
                "rate_limit_service",
                denies ? "every request is denied" : "every request passes",
                false);
        YamlNode timeout = ProtoFields.at(filter, "timeout");
        BigDecimal seconds = ProtoFields.seconds(timeout);
        if (timeout != null && seconds != null && seconds.signum() > 0 && seconds.compareTo(DEADLINE) <= 0) {
            problems.warning(
                    timeout.at(),
                    "timeout: Envoy gives up before Weir's deadline of 10 ms, so that on_fail never decides",
                    "expected: more than 0.01s, or a shorter deadline in weir.yaml");
        }
        YamlNode domain = ProtoFields.at(filter, "domain");
        if (domain == null) {
            problems.error(filter.at(), "domain: missing", "expected: the domain of the rules");
        } else if (rules != null) {
            rules.checkDomain(domain);
        }
        return ProtoFields.text(filter, "domain");
    }

    /** Checks the {@code rate_limits} of routes, of virtual hosts and of filters. */
    void routes(Set<String> domains, YamlNode root) {
        Set<String> named = new LinkedHashSet<>(domains);
        named.remove("");
        find(root, named);
    }

    private void find(YamlNode node, Set<String> domains) {
        if (node instanceof Sequence list) {
            list.items().forEach(each -> find(each, domains));
        } else if (node instanceof Mapping mapping) {
            boolean ofFilter = !ProtoFields.type(mapping).isEmpty();
            for (YamlNode each : ProtoFields.items(mapping, "rate_limits")) {
                limit(each, ofFilter, domains);
            }
            mapping.entries().forEach(each -> find(each.value(), domains));
        }
    }

    private void limit(YamlNode limit, boolean ofFilter, Set<String> domains) {
        Entry hits = ProtoFields.entry(limit, "hits_addend");
        if (hits != null && !ofFilter) {
            problems.warning(
                    hits.key().at(),
                    "hits_addend on a route or virtual host: Envoy 1.40 ignores it, and each request costs 1",
                    "put the rate_limits into typed_per_filter_config, or into the filter");
        }
        List<AskedEntry> entries = new ArrayList<>();
        for (YamlNode each : ProtoFields.items(limit, "actions")) {
            AskedEntry entry = entry(each);
            if (entry == null) {
                return; // an extension, whose entry is not known here
            }
            entries.add(entry);
        }
        if (rules != null && !entries.isEmpty()) {
            rules.check(domains, limit.at(), entries, false, "descriptor");
        }
    }

    /** The entry that an action makes; null if it is not known. */
    private static @Nullable AskedEntry entry(YamlNode action) {
        if (!(action instanceof Mapping mapping) || mapping.entries().size() != 1) {
            return null;
        }
        Entry kind = mapping.entries().get(0);
        YamlNode made = kind.value();
        String key = ProtoFields.text(made, "descriptor_key");
        String value = ProtoFields.text(made, "descriptor_value");
        return switch (ProtoFields.snakeCase(kind.key().text())) {
            case "generic_key" -> fixed(action, key.isEmpty() ? "generic_key" : key, value);
            case "header_value_match" -> fixed(action, key.isEmpty() ? "header_match" : key, value);
            case "query_parameter_value_match" -> fixed(action, key.isEmpty() ? "query_match" : key, value);
            case "request_headers", "metadata", "dynamic_metadata", "query_parameters" ->
                key.isEmpty() ? null : new AskedEntry(action.at(), key, null);
            case "remote_address", "source_cluster", "destination_cluster", "masked_remote_address" ->
                new AskedEntry(action.at(), ProtoFields.snakeCase(kind.key().text()), null);
            default -> null;
        };
    }

    /** A value may have variables of Envoy, which each request replaces. */
    private static AskedEntry fixed(YamlNode action, String key, String value) {
        return new AskedEntry(action.at(), key, value.contains("%") ? null : value);
    }
}
