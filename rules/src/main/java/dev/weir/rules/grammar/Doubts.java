package dev.weir.rules.grammar;

import static dev.weir.rules.diagnostics.Text.quote;

import dev.weir.match.Endpoint;
import dev.weir.match.ValuePattern;
import dev.weir.rules.diagnostics.Position;
import dev.weir.rules.diagnostics.Problems;
import dev.weir.rules.diagnostics.Suggestion;
import dev.weir.rules.grammar.RuleFile.Placed;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Warns of what a rule may ask for, and hardly means: attributes, methods and paths that no request will have. */
final class Doubts {
    private static final List<String> ATTRIBUTES =
            List.of("user_id", "api_key", "client_id", "tier", "endpoint", "method", "remote_address");
    private static final List<String> METHODS = List.of("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{[^{}/]*}|(?<=/):[A-Za-z_]+");

    private final Problems problems;
    private final Set<String> warnedOf = new HashSet<>();

    Doubts(Problems problems) {
        this.problems = problems;
    }

    /** Warns once of an attribute that is nearly one of those that mean something to Weir. */
    void attribute(String name, Position at) {
        String meant = Suggestion.misspelt(name, ATTRIBUTES);
        if (meant != null && warnedOf.add(name)) {
            problems.warning(at, "attribute " + quote(name) + " resembles another", Suggestion.meant(meant));
        }
    }

    /** Warns of clauses that no request, or none that is meant, can meet. */
    void match(List<Clause> clauses) {
        Clause endpoint = null;
        Clause method = null;
        for (Clause each : clauses) {
            clause(each);
            endpoint = each.attribute().equals("endpoint") ? each : endpoint;
            method = each.attribute().equals("method") ? each : method;
        }
        if (endpoint != null && method != null) {
            apart(endpoint, method);
        }
    }

    private void clause(Clause clause) {
        for (int i = 0; i < clause.values().size(); i++) {
            Placed<String> value = clause.values().get(i);
            ValuePattern pattern = clause.condition().anyOf().get(i);
            if (pattern instanceof Endpoint endpoint) {
                method(endpoint.method(), endpoint.method(), value.at());
                path(value);
            } else if (clause.attribute().equals("method") && pattern instanceof ValuePattern.Exact) {
                method(value.value(), value.value().toUpperCase(Locale.ROOT), value.at());
            }
        }
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

    private void apart(Clause endpoint, Clause method) {
        Set<String> asked = new HashSet<>();
        for (ValuePattern each : endpoint.condition().anyOf()) {
            if (!(each instanceof Endpoint path) || path.method().isEmpty()) {
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
