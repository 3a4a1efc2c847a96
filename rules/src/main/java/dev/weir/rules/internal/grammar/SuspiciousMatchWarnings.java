package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.internal.match.pattern.EndpointPattern;
import dev.weir.internal.match.pattern.ValuePattern;
import dev.weir.rules.internal.grammar.RuleFile.Placed;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.message.Suggestion;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Warns of what a rule may ask for, and hardly means: attributes, methods and paths that no request will have. */
final class SuspiciousMatchWarnings {
    private static final List<String> ATTRIBUTES =
            List.of("user_id", "api_key", "client_id", "tier", "endpoint", "method", "remote_address");
    private static final List<String> METHODS = List.of("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS");
    /** What other limiters call a counter that all share. */
    private static final List<String> NO_KEY = List.of("global", "all", "none");

    /** What other limiters put before the name of an attribute. */
    private static final List<String> KINDS = List.of("header", "cookie", "query");

    /** The attributes whose values are short words, in which these characters stand for a list. */
    private static final List<String> WORDS = List.of("tier", "method", "endpoint");

    private static final Pattern SEVERAL = Pattern.compile("\\s*[|,]\\s*");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{[^{}/]*}|(?<=/):[A-Za-z_]+");

    private final DiagnosticCollector problems;
    private final Set<String> warnedOf = new HashSet<>();

    SuspiciousMatchWarnings(DiagnosticCollector problems) {
        this.problems = problems;
    }

    /** Warns once of an attribute that is nearly one of those that mean something to Weir. */
    void attribute(String name, Position at) {
        // Two letters resemble too many words: only their case is a slip.
        String meant = name.equalsIgnoreCase("ip") && !name.equals("ip") ? "ip" : Suggestion.misspelt(name, ATTRIBUTES);
        if (meant != null && warnedOf.add(name)) {
            problems.warning(at, "attribute " + quote(name) + " resembles another", Suggestion.meant(meant));
        }
    }

    /** Warns of a key whose words mean something elsewhere, and are attributes here. */
    void key(List<List<String>> parts, Position at) {
        List<String> first = parts.isEmpty() ? List.of() : parts.get(0);
        if (parts.size() == 1 && first.size() == 1 && NO_KEY.contains(first.get(0))) {
            String message = "key_by: " + quote(first.get(0)) + " counts by an attribute of that name";
            problems.warning(at, message, "write [] for one counter that all share");
        } else if (parts.size() > 1 && first.size() == 1 && KINDS.contains(first.get(0))) {
            String message = "key_by: " + quote(first.get(0)) + " is taken for an attribute of its own";
            problems.warning(at, message, "write the attribute's name alone");
        }
    }

    /** Warns of clauses that no request, or none that is meant, can meet. */
    void match(List<MatchClause> clauses) {
        MatchClause endpoint = null;
        MatchClause method = null;
        for (MatchClause each : clauses) {
            clause(each);
            endpoint = each.attribute().equals("endpoint") ? each : endpoint;
            method = each.attribute().equals("method") ? each : method;
        }
        if (endpoint != null && method != null) {
            apart(endpoint, method);
        }
    }

    private void clause(MatchClause clause) {
        for (int i = 0; i < clause.values().size(); i++) {
            Placed<String> value = clause.values().get(i);
            ValuePattern pattern = clause.condition().anyOf().get(i);
            boolean plain = pattern instanceof ValuePattern.Exact || pattern instanceof EndpointPattern;
            if (plain && WORDS.contains(clause.attribute()) && isNoWord(clause.attribute(), value)) {
                continue;
            }
            if (pattern instanceof EndpointPattern endpoint) {
                method(endpoint.method(), endpoint.method(), value.at());
                path(value);
            } else if (clause.attribute().equals("method") && pattern instanceof ValuePattern.Exact) {
                method(value.value(), value.value().toUpperCase(Locale.ROOT), value.at());
            }
        }
    }

    /** Whether the value is several in one, or begins with a "not", neither of which there is; and says so. */
    private boolean isNoWord(String attribute, Placed<String> value) {
        String text = value.value();
        String[] several = SEVERAL.split(text, -1);
        boolean endpoint = attribute.equals("endpoint");
        // A path may hold a comma.
        boolean list = endpoint ? text.indexOf('|') >= 0 : several.length > 1;
        if (!list && !text.startsWith("!")) {
            return false;
        }
        String hint = !list
                ? "there is no negation: name those that are meant"
                : endpoint ? "write a list" : "a list: [" + String.join(", ", several) + "]";
        problems.warning(value.at(), attribute + " " + quote(text) + " matches only as it is written", hint);
        return true;
    }

    /** {@code method} as it is compared, and as it would be if the case of its letters did not matter. */
    private void method(String method, String upper, Position at) {
        String meant = METHODS.contains(upper) ? upper : Suggestion.nearest(method, METHODS);
        if (meant != null && !meant.equals(method)) {
            problems.warning(at, "method " + quote(method) + " resembles another", Suggestion.meant(meant));
        }
    }

    private void path(Placed<String> endpoint) {
        String meant = PLACEHOLDER.matcher(endpoint.value()).replaceAll("*");
        if (!meant.equals(endpoint.value())) {
            String message = "endpoint " + quote(endpoint.value()) + " matches only as it is written";
            problems.warning(endpoint.at(), message, Suggestion.meant(meant));
        }
    }

    private void apart(MatchClause endpoint, MatchClause method) {
        Set<String> asked = new HashSet<>();
        for (ValuePattern each : endpoint.condition().anyOf()) {
            if (!(each instanceof EndpointPattern path) || path.method().isEmpty()) {
                return;
            }
            asked.add(path.method());
        }
        for (ValuePattern each : method.condition().anyOf()) {
            if (!(each instanceof ValuePattern.Exact)
                    || asked.contains(each.text().toUpperCase(Locale.ROOT))) {
                return;
            }
        }
        String message = "no request has " + method + " and " + endpoint;
        problems.warning(method.values().get(0).at(), message, "the endpoint says the method already");
    }
}
