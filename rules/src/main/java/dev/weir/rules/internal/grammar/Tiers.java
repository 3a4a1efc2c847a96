package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.Limit;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.ValuePattern;
import dev.weir.internal.model.Rule;
import dev.weir.rules.internal.grammar.MatchReader.MatchClause;
import dev.weir.rules.internal.grammar.RuleFile.Placed;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Entry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code tiers}. A tier with a limit is a rule named {@code tier:NAME} for every caller of that tier, with the
 * key of the file. Rules that match one tier and have no limit inherit its numbers.
 */
final class Tiers {
    private static final List<String> ALWAYS = List.of("free", "pro", "enterprise", "custom");

    /** A name that is not a pattern and has no characters that {@link SuspiciousMatchWarnings} warns of. */
    private static final Pattern NAME = Pattern.compile("[^~!*|,]+");

    private final DiagnosticCollector problems;
    private final Map<String, Tier> tiers = new LinkedHashMap<>();
    private boolean unclear;

    private record Tier(Position at, @Nullable Limit limit) {}

    private Tiers(DiagnosticCollector problems) {
        this.problems = problems;
    }

    static Tiers read(Fields root) {
        Tiers tiers = new Tiers(root.problems());
        int before = root.problems().errors();
        YamlNode node = root.node("tiers");
        Fields fields = node == null ? null : Fields.of(node, "tiers", root.problems());
        if (fields != null) {
            fields.entries().forEach(tiers::add);
        }
        tiers.unclear = root.problems().errors() > before || root.isMeant("tiers");
        return tiers;
    }

    /** Returns whether an error hides which tiers there are, or their limits. */
    boolean isUnclear() {
        return unclear;
    }

    private void add(Entry entry) {
        String name = entry.key().text();
        if (name.isBlank() || name.startsWith("~") || name.indexOf('*') >= 0) {
            problems.error(entry.key().at(), "tier " + quote(name), "expected: the name of one tier");
            return;
        }
        Fields fields = entry.value() instanceof YamlNode.Scalar scalar && scalar.isNull()
                ? null
                : Fields.of(entry.value(), "tier " + quote(name), problems);
        Limit limit = fields == null || fields.entries().isEmpty() ? null : LimitReader.weir(fields, 1);
        tiers.put(name, new Tier(entry.key().at(), limit));
    }

    /** Returns the rules of the tiers. */
    List<ParsedRule> rules(KeyBy key, Behaviour behaviour, Pricing pricing) {
        List<ParsedRule> rules = new ArrayList<>();
        tiers.forEach((name, tier) -> {
            if (tier.limit() != null) {
                Condition condition = new Condition("tier", List.of(new ValuePattern.Exact(name)));
                List<MatchClause> match =
                        List.of(new MatchClause("tier", List.of(new Placed<>(name, tier.at())), condition));
                rules.add(new ParsedRule(
                        tier.at(),
                        "tier:" + name,
                        match,
                        key,
                        tier.limit(),
                        1,
                        false,
                        Rule.EVERYONE,
                        OverLimit.DENY,
                        null,
                        Rule.NO_RESERVE,
                        null,
                        behaviour,
                        null,
                        pricing));
            }
        });
        return rules;
    }

    /** Returns the limit of the single tier that {@code match} requires, or null. */
    @Nullable
    Limit limitOf(List<MatchClause> match) {
        for (MatchClause clause : match) {
            if (clause.attribute().equals("tier") && clause.texts().size() == 1) {
                Tier tier = tiers.get(clause.texts().get(0));
                return tier == null ? null : tier.limit();
            }
        }
        return null;
    }

    /**
     * Warns of tiers that look like typos of others. Naming a tier in a rule defines it, so this cannot be an error.
     */
    void warn(List<ParsedRule> rules) {
        TreeSet<String> known = new TreeSet<>(ALWAYS);
        known.addAll(tiers.keySet());
        tiers.forEach((name, tier) -> warn(name, tier.at(), ALWAYS));
        for (ParsedRule rule : rules) {
            for (MatchClause clause : rule.match()) {
                if (clause.attribute().equals("tier")) {
                    clause.values().stream()
                            .filter(each -> !known.contains(each.value()))
                            .filter(each -> NAME.matcher(each.value()).matches())
                            .forEach(each -> warn(each.value(), each.at(), known));
                }
            }
        }
    }

    private void warn(String tier, Position at, Iterable<String> known) {
        List<String> others = new ArrayList<>();
        known.forEach(others::add);
        String meant = others.contains(tier) ? null : Suggestion.nearest(tier, others);
        if (meant != null) {
            problems.warning(at, "tier " + quote(tier) + " resembles another", "did you mean " + meant + "?");
        }
    }
}
