package dev.weir.server.insight;

import dev.weir.server.http.CallerText;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.http.QueryParameters;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a call, and whether the caller may see keys.
 *
 * @param seesKeys whether the caller may see the keys of callers, rather than a hash
 */
public record Question(QueryParameters parameters, boolean seesKeys) {
    private static final int MOST_ATTRIBUTES = 32;

    @Nullable
    String text(String name) {
        return parameters.get(name);
    }

    /** A whole number within bounds. */
    long number(String name, long otherwise, long least, long most) {
        String text = text(name);
        if (text == null) {
            return otherwise;
        }
        try {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Falls through to the message for a number out of range.
        }
        throw HttpProblemException.badRequest(
                name + ": " + CallerText.shown(text) + " (expected: " + least + " to " + most + ")");
    }

    /** One of some words, the first of which is the default. */
    String word(String name, String... words) {
        String text = text(name);
        if (text == null) {
            return words[0];
        }
        if (Arrays.asList(words).contains(text)) {
            return text;
        }
        throw HttpProblemException.badRequest(
                name + ": " + CallerText.shown(text) + " (expected: " + String.join(", ", words) + ")");
    }

    /** Requires that a rule is named by both {@code domain} and {@code rule}, or by neither. */
    void requireWholeRule() {
        if ((text("domain") == null) != (text("rule") == null)) {
            throw HttpProblemException.badRequest(
                    (text("rule") == null ? "rule" : "domain") + ": missing (expected: domain and rule, or neither)");
        }
    }

    /** The attributes of a request: all parameters but {@code domain} and those that begin with an underscore. */
    Map<String, String> attributes() {
        Map<String, String> found = new LinkedHashMap<>();
        for (Map.Entry<String, String> each : parameters.parameters()) {
            if (!each.getKey().equals("domain") && !each.getKey().startsWith("_")) {
                found.put(each.getKey(), each.getValue());
            }
        }
        if (found.size() > MOST_ATTRIBUTES) {
            throw HttpProblemException.badRequest("attributes: too many (expected: at most " + MOST_ATTRIBUTES + ")");
        }
        return found;
    }

    static HttpProblemException unknownRule(@Nullable String domain, @Nullable String rule, List<String> domains) {
        return HttpProblemException.notFound("rule: " + CallerText.shown(rule + " of " + domain)
                + " is not in force (expected: the label of a rule; GET /admin/v1/live lists them; domains: "
                + String.join(", ", domains.subList(0, Math.min(20, domains.size()))) + ")");
    }
}
