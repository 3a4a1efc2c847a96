package dev.weir.rules.internal.grammar;

import dev.weir.LoadShedder.Priority;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.weir.PriorityRule;
import dev.weir.rules.internal.grammar.MatchReader.MatchClause;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads {@code priorities}: how important requests are to a service near its capacity. */
final class Priorities {
    static final String NAME = "priorities";

    private static final String EXAMPLE = "{ match: { endpoint: \"POST /charge\" }, is: critical }";
    /** They are tried one after the other, for each request of a service with a capacity. */
    private static final int MOST = 100;

    private static final Map<String, String> OTHERS = Map.of(
            "priority", Suggestion.meant("is"),
            "as", Suggestion.meant("is"),
            "endpoint", Fields.belongsIn("match"),
            "tier", Fields.belongsIn("match"));

    private Priorities() {}

    static List<PriorityRule> read(Fields root, MatchReader matches, boolean ignoresCase) {
        DiagnosticCollector problems = root.problems();
        List<PriorityRule> priorities = new ArrayList<>();
        List<YamlNode> items = root.list(NAME);
        if (items.size() > MOST) {
            problems.error(
                    root.nameAt(NAME), "priorities: " + items.size(), "expected: at most " + MOST + ", tried in order");
        }
        YamlNode everything = null;
        for (YamlNode each : items) {
            Fields fields = Fields.of(each, "priority", EXAMPLE, problems);
            if (everything != null) {
                problems.warning(each.at(), "never holds", "the entry before it has no match, and holds for all");
                everything = null;
            }
            PriorityRule priority = fields == null ? null : priority(fields, matches, ignoresCase);
            if (priority != null) {
                priorities.add(priority);
                everything = priority.match().isEmpty() ? each : null;
            }
        }
        return priorities;
    }

    private static @Nullable PriorityRule priority(Fields fields, MatchReader matches, boolean ignoresCase) {
        DiagnosticCollector problems = fields.problems();
        int before = problems.errors();
        fields.allow(List.of("match", "is"), OTHERS);
        List<MatchClause> match = matches.read(fields, ignoresCase);
        if (match.stream().anyMatch(each -> each.attribute().equals(Attributes.PRIORITY))) {
            problems.error(
                    fields.at("match"),
                    "match by priority",
                    "callers set it, to lower their priority; expected: an attribute that only your gateway sets");
        }
        Priority is = fields.oneOf("is", Priority.values());
        if (is == null && fields.lacks("is")) {
            problems.error(fields.at(), "is is missing", "expected: test, read, write or critical, as in " + EXAMPLE);
        }
        return is == null || problems.errors() > before
                ? null
                : new PriorityRule(match.stream().map(MatchClause::condition).toList(), is, ignoresCase);
    }
}
