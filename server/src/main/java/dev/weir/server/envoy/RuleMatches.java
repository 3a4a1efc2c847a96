package dev.weir.server.envoy;

import dev.weir.Request;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Scalar;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Compares what an Envoy asks about with the rules. */
final class RuleMatches {
    /**
     * An entry of a descriptor, or an attribute of a bucket.
     *
     * @param value null if it is taken from each request
     */
    record AskedEntry(Position at, String key, @Nullable String value) {}

    private final WrittenRules rules;
    private final EndpointForm form;
    private final List<String> domains;
    private final DiagnosticCollector problems;

    RuleMatches(WrittenRules rules, EndpointForm form, DiagnosticCollector problems) {
        this.rules = rules;
        this.form = form;
        this.domains = List.copyOf(rules.domains());
        this.problems = problems;
    }

    /** Warns if there is no rule for the domain that {@code named} is. */
    boolean checkDomain(YamlNode named) {
        if (!(named instanceof Scalar domain) || domains.contains(domain.text())) {
            return true;
        }
        String near = Suggestion.nearest(domain.text(), domains);
        problems.warning(
                domain.at(),
                "no rule has the domain '" + domain.text() + "': nothing is limited",
                near == null ? "domains: " + String.join(", ", domains) : "did you mean " + near + "?");
        return false;
    }

    /**
     * Warns if no rule of any of {@code domains} can apply to what is asked.
     *
     * @param attributes whether the order of the entries does not matter, as in a bucket
     * @param what it is, in messages
     */
    void check(Set<String> domains, Position at, List<AskedEntry> entries, boolean attributes, String what) {
        List<String> known = domains.stream().filter(this.domains::contains).toList();
        if (known.isEmpty() || known.stream().anyMatch(each -> mayApply(each, entries, attributes))) {
            return;
        }
        Set<String> named = new TreeSet<>();
        known.forEach(each -> named.addAll(rules.attributes(each)));
        List<String> hints = new ArrayList<>();
        for (AskedEntry each : entries) {
            String near = named.contains(each.key()) ? null : Suggestion.nearest(each.key(), List.copyOf(named));
            if (near != null) {
                hints.add("did you mean " + near + " for " + each.key() + "?");
            }
        }
        problems.warning(
                at,
                "no rule of domain " + String.join(", ", known) + " can match this " + what + " (" + shown(entries)
                        + ")",
                hints.isEmpty()
                        ? named.isEmpty() ? "" : "rules know: " + String.join(", ", named)
                        : String.join(" ", hints));
    }

    private boolean mayApply(String domain, List<AskedEntry> entries, boolean attributes) {
        Map<String, String> given = new LinkedHashMap<>();
        Set<String> open = new LinkedHashSet<>();
        Request request = Request.to(domain);
        request = attributes ? request.asAttributes() : request.descriptor();
        for (AskedEntry each : entries) {
            String value = each.value();
            if (value == null) {
                open.add(each.key());
            }
            if (!attributes || given.put(each.key(), "") == null) {
                request.with(each.key(), value == null ? "*" : value);
            }
        }
        return rules.mayApply(request, open, form);
    }

    private static String shown(List<AskedEntry> entries) {
        return entries.stream()
                .map(each -> each.value() == null ? each.key() : each.key() + "=" + each.value())
                .collect(Collectors.joining(", "));
    }
}
