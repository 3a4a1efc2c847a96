package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.Limit;
import dev.weir.internal.match.pattern.EndpointCostTable;
import dev.weir.internal.model.EndpointCosts;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Fields;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The cost of a request under a rule: the hits of each endpoint, whether callers may set fewer, and the unit that is
 * counted. A rule inherits {@code costs} and {@code trust_cost} from its file.
 *
 * @param costs the hits of each endpoint; empty if every request takes one
 * @param counts the unit of the rule
 */
record Pricing(List<EndpointCosts.Entry> costs, boolean trustCost, String counts) {
    /** The fields of a file. */
    static final List<String> FIELDS = List.of("costs", "trust_cost");

    static final Pricing NONE = new Pricing(List.of(), false, Rule.REQUESTS);

    /** The most patterns of one list, because each pair of them is compared. */
    private static final int MOST = 1_000;

    private static final Pattern UNIT = Pattern.compile("[a-z][a-z0-9_-]{0,63}");

    Pricing {
        costs = List.copyOf(costs);
    }

    /** Reads the fields of a file, or of a rule in a file with this pricing. */
    Pricing with(Fields fields, boolean ignoresCase) {
        List<EndpointCosts.Entry> own = fields.has("costs") ? costs(fields, ignoresCase) : costs;
        return new Pricing(own, fields.flag("trust_cost", trustCost), counts(fields));
    }

    private static String counts(Fields fields) {
        Scalar unit = fields.scalar("counts");
        if (unit == null) {
            return Rule.REQUESTS;
        }
        if (!UNIT.matcher(unit.text()).matches()) {
            String expected = "expected: a unit like requests or output_tokens (a to z, 0 to 9, _ and -, at most 64)";
            fields.problems().error(unit.at(), "counts: " + quote(unit.text()), expected);
        }
        return unit.text();
    }

    /** Reports what does not fit together in a rule; {@code fields} are those of the rule. */
    void check(Fields fields, long cost, Limit limit) {
        DiagnosticCollector problems = fields.problems();
        if (fields.has("trust_cost") && costs.isEmpty()) {
            problems.warning(
                    fields.nameAt("trust_cost"), "trust_cost has no effect", "neither the rule nor its file has costs");
        }
        if (fields.has("costs") && !counts.equals(Rule.REQUESTS)) {
            String hint = "costs are in requests: remove them, or remove counts";
            problems.error(fields.nameAt("costs"), "costs beside counts: " + counts, hint);
        }
        if (!fields.has("costs") || limit.requests() == 0) {
            return;
        }
        for (EndpointCosts.Entry each : costs) {
            if (each.hits() > limit.capacity() / cost) {
                String what = quote(each.pattern()) + " costs more than the limit holds";
                problems.warning(fields.at("costs"), what, "no such request can ever pass");
            }
        }
    }

    private static List<EndpointCosts.Entry> costs(Fields fields, boolean ignoresCase) {
        DiagnosticCollector problems = fields.problems();
        YamlNode node = fields.node("costs");
        Fields written = node == null ? null : Fields.of(node, "costs", "{ \"GET *\": 1, \"/search\": 10 }", problems);
        if (written == null) {
            return List.of();
        }
        List<EndpointCosts.Entry> costs = new ArrayList<>();
        List<Position> places = new ArrayList<>();
        for (Entry each : written.entries()) {
            Scalar endpoint = each.key();
            if (!MatchReader.isEndpoint(endpoint.text())) {
                String what = "endpoint " + quote(endpoint.text()) + " can never match";
                problems.error(endpoint.at(), what, "expected: /path, METHOD /path or *");
                continue;
            }
            Long hits = hits(each, problems);
            if (hits != null) {
                costs.add(new EndpointCosts.Entry(endpoint.text(), hits));
                places.add(endpoint.at());
            }
        }
        if (costs.size() > MOST) {
            problems.error(written.at(), "costs: " + costs.size() + " patterns", "expected: at most " + MOST);
            return List.of();
        }
        reportTies(new EndpointCosts(costs, ignoresCase), places, problems);
        return costs;
    }

    private static @Nullable Long hits(Entry entry, DiagnosticCollector problems) {
        String name = entry.key().text();
        Fields one = Fields.of(new Mapping(entry.key().at(), List.of(entry)), "costs", problems);
        Long hits = one == null ? null : one.whole(name, 0, Long.MAX_VALUE);
        if (hits == null && entry.value() instanceof Scalar scalar && scalar.isNull()) {
            problems.error(entry.key().at(), name + ": empty", "expected: a whole number >= 0");
        }
        return hits;
    }

    private static void reportTies(EndpointCosts costs, List<Position> places, DiagnosticCollector problems) {
        for (int i = 0; i < places.size(); i++) {
            EndpointCosts.Entry tied = EndpointCostTable.tieWith(costs, i);
            if (tied != null) {
                String what = quote(costs.entries().get(i).pattern()) + " is as specific as " + quote(tied.pattern())
                        + ", and some requests match both";
                problems.error(places.get(i), what, "remove one, or make one of them longer");
            }
        }
    }

    RuleBuilder applyTo(RuleBuilder rule, boolean ignoresCase) {
        boolean applies = !costs.isEmpty() && counts.equals(Rule.REQUESTS);
        return rule.costs(applies ? new EndpointCosts(costs, ignoresCase) : null)
                .trustsCost(applies && trustCost)
                .unit(counts);
    }
}
