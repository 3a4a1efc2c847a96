package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.algorithm.ScaledLimit;
import dev.weir.internal.model.ReputationScale;
import dev.weir.internal.model.ReputationScale.Step;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.fields.Fields;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Scalar;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@code reputation}: the share of a rule's limit that callers with a bad reputation have. */
final class ReputationReader {
    static final String NAME = "reputation";

    private static final String EXAMPLE = "{ 80: 0.5, 95: 0.1 }";
    private static final Pattern SCORE = Pattern.compile("[1-9][0-9]?|100");
    private static final Pattern SHARE = Pattern.compile("0\\.[0-9]{1,3}");

    private final DiagnosticCollector problems;
    private final Limit limit;
    private final long cost;
    private final List<Step> steps = new ArrayList<>();

    private ReputationReader(DiagnosticCollector problems, Limit limit, long cost) {
        this.problems = problems;
        this.limit = limit;
        this.cost = cost;
    }

    /**
     * Reads the field of a rule; null if there is none, or if it has errors.
     *
     * @param limit the rule's limit; null if it has an error
     */
    static @Nullable ReputationScale read(Fields rule, @Nullable Limit limit, long cost) {
        YamlNode node = rule.node(NAME);
        DiagnosticCollector problems = rule.problems();
        Fields fields = node == null ? null : Fields.of(node, NAME, EXAMPLE, problems);
        if (fields == null || limit == null) {
            return null;
        }
        if (limit.algorithm() == Algorithm.CONCURRENCY) {
            problems.error(
                    rule.nameAt(NAME),
                    "reputation on a concurrency limit",
                    "expected: another algorithm, or none of it");
            return null;
        }
        if (fields.entries().isEmpty()) {
            problems.error(
                    fields.at(), "reputation is empty", "expected: shares of the limit by score, like " + EXAMPLE);
            return null;
        }
        int before = problems.errors();
        ReputationReader reader = new ReputationReader(problems, limit, cost);
        fields.entries().forEach(reader::add);
        return problems.errors() > before ? null : new ReputationScale(reader.steps);
    }

    private void add(Entry entry) {
        String score = entry.key().text();
        if (!SCORE.matcher(score).matches()) {
            problems.error(entry.key().at(), "score: " + quote(score), "expected: a whole number from 1 to 100");
            return;
        }
        String share = entry.value() instanceof Scalar scalar
                ? scalar.text()
                : entry.value().kind();
        int thousandths = SHARE.matcher(share).matches()
                ? new BigDecimal(share).movePointRight(3).intValueExact()
                : 0;
        if (thousandths == 0) {
            problems.error(
                    entry.value().at(),
                    "share: " + quote(share),
                    "expected: above 0 and below 1, like 0.5; to deny, ban");
            return;
        }
        add(new Step(Integer.parseInt(score), thousandths, scaled(thousandths)), entry);
    }

    private Limit scaled(int share) {
        return ScaledLimit.at(limit, ScaledLimit.countableShare(limit, share, cost), cost);
    }

    private void add(Step step, Entry entry) {
        Step last = steps.isEmpty() ? null : steps.get(steps.size() - 1);
        if (last != null && step.score() <= last.score()) {
            problems.error(
                    entry.key().at(), "score does not rise", "expected: the scores of reputation in rising order");
        } else if (last != null && step.share() >= last.share()) {
            problems.error(entry.value().at(), "share does not fall", "expected: a smaller share for a worse score");
        } else {
            steps.add(step);
        }
    }
}
