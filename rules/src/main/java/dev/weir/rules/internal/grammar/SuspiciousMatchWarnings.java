package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.pattern.EndpointPattern;
import dev.weir.internal.match.pattern.ValuePattern;
import dev.weir.rules.internal.grammar.MatchReader.MatchClause;
import dev.weir.rules.internal.grammar.RuleFile.Placed;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.message.Suggestion;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Warns of valid matches that are probably mistakes: attributes, methods and paths that no request will have. */
final class SuspiciousMatchWarnings {
    private static final List<String> ATTRIBUTES =
            List.of("user_id", "api_key", "client_id", "tier", "endpoint", "method", "remote_address");
    private static final List<String> METHODS = List.of("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS");
    /** The words of other limiters for one shared counter. */
    private static final List<String> NO_KEY = List.of("global", "all", "none");

    /** The prefixes of attribute names in other limiters. */
    private static final List<String> KINDS = List.of("header", "cookie", "query");

    /** The attributes whose values are short words, in which {@code |} and {@code ,} were probably meant as a list. */
    private static final List<String> WORDS = List.of("tier", "method", "endpoint");

    private static final Pattern SEVERAL = Pattern.compile("\\s*[|,]\\s*");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{[^{}/]*}|(?<=/):[A-Za-z_]+");

    private final DiagnosticCollector problems;
    private final EndpointForm form;
    private final Set<String> warnedOf = new HashSet<>();

    /** Creates warnings about rules that compare endpoints in {@code form}. */
    SuspiciousMatchWarnings(DiagnosticCollector problems, EndpointForm form) {
        this.problems = problems;
        this.form = form;
    }

    /** Warns once of an attribute whose name is almost one that Weir knows. */
    void attribute(String name, Position at) {
        // Two letters resemble too many words, so only a difference in case counts.
        String meant = name.equalsIgnoreCase("ip") && !name.equals("ip") ? "ip" : Suggestion.misspelt(name, ATTRIBUTES);
        if (meant != null && warnedOf.add(name)) {
            problems.warning(at, "attribute " + quote(name) + " resembles another", Suggestion.meant(meant));
        }
    }

    /** Warns of a key with words that other limiters treat specially and Weir takes for attributes. */
    void key(List<List<String>> parts, Position at) {
        List<String> first = parts.isEmpty() ? List.of() : parts.get(0);
        if (parts.size() == 1 && first.size() == 1 && NO_KEY.contains(first.get(0))) {
            String message = "key_by: " + quote(first.get(0)) + " means an attribute of that name";
            problems.warning(at, message, "write [] for one shared counter");
        } else if (parts.size() > 1 && first.size() == 1 && KINDS.contains(first.get(0))) {
            String message = "key_by: " + quote(first.get(0)) + " is taken for an attribute of its own";
            problems.warning(at, message, "write the attribute's name alone");
        }
    }

    /** Warns of clauses that no request can match, or none that is meant. */
    void match(List<MatchClause> clauses) {
        MatchClause endpoint = null;
        MatchClause method = null;
        for (MatchClause each : clauses) {
            clause(each);
            endpoint = each.attribute().equals("endpoint") ? each : endpoint;
            method = each.attribute().equals("method") ? each : method;
        }
        if (endpoint != null && method != null) {
            warnOfContradiction(endpoint, method);
        }
    }

    private void clause(MatchClause clause) {
        for (int i = 0; i < clause.values().size(); i++) {
            Placed<String> value = clause.values().get(i);
            ValuePattern pattern = clause.condition().anyOf().get(i);
            boolean plain = pattern instanceof ValuePattern.Exact || pattern instanceof EndpointPattern;
            if (plain && WORDS.contains(clause.attribute()) && warnOfListOrNot(clause.attribute(), value)) {
                continue;
            }
            if (pattern instanceof EndpointPattern endpoint) {
                method(endpoint.method(), endpoint.method(), value.at());
                path(endpoint, value);
            } else if (clause.attribute().equals("endpoint") && pattern instanceof ValuePattern.Regex) {
                regex(value);
            } else if (clause.attribute().equals("method") && pattern instanceof ValuePattern.Exact) {
                method(value.value(), value.value().toUpperCase(Locale.ROOT), value.at());
            }
        }
    }

    /**
     * Warns of a value that contains several or begins with a "not", which Weir does not have; returns whether it did.
     */
    private boolean warnOfListOrNot(String attribute, Placed<String> value) {
        String text = value.value();
        String[] several = SEVERAL.split(text, -1);
        boolean endpoint = attribute.equals("endpoint");
        // A path may contain a comma.
        boolean list = endpoint ? text.indexOf('|') >= 0 : several.length > 1;
        if (!list && !text.startsWith("!")) {
            return false;
        }
        String hint = !list
                ? "there is no negation: list the values that should match"
                : endpoint ? "write a list" : "a list: [" + String.join(", ", several) + "]";
        problems.warning(value.at(), attribute + " " + quote(text) + " is matched literally", hint);
        return true;
    }

    /** Warns of an unknown method; {@code upper} is the method in upper case if its case does not matter. */
    private void method(String method, String upper, Position at) {
        String meant = METHODS.contains(upper) ? upper : Suggestion.nearest(method, METHODS);
        if (meant != null && !meant.equals(method)) {
            problems.warning(at, "method " + quote(method) + " resembles another", Suggestion.meant(meant));
        }
    }

    private void path(EndpointPattern pattern, Placed<String> endpoint) {
        String meant = PLACEHOLDER.matcher(endpoint.value()).replaceAll("*");
        if (!meant.equals(endpoint.value())) {
            String message = "endpoint " + quote(endpoint.value()) + " is matched literally";
            problems.warning(endpoint.at(), message, Suggestion.meant(meant));
            return;
        }
        String compared = pattern.in(form, false).path().text();
        String written = pattern.path().text();
        if (!written.equals(compared) && !written.equals(compared + "/")) {
            String message = "endpoint " + quote(endpoint.value()) + " is compared as " + quote(compared);
            problems.warning(
                    endpoint.at(),
                    message,
                    "its normal form; as written with endpoint_form: raw, or rawEndpoints() in the library");
        }
    }

    /** Warns of an expression that ends with a slash, which the normal form of a path does not. */
    private void regex(Placed<String> expression) {
        String text = expression.value();
        boolean root = text.equals("~^/$") || text.endsWith(" /$");
        if (form == EndpointForm.NORMAL && !root && (text.endsWith("/$") || text.contains("\\?"))) {
            String message = "endpoint " + quote(text) + " mentions a slash at the end or a query";
            problems.warning(expression.at(), message, "the normal form of an endpoint has neither");
        }
    }

    private void warnOfContradiction(MatchClause endpoint, MatchClause method) {
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
        problems.warning(method.values().get(0).at(), message, "the endpoint has the method already");
    }
}
