package dev.weir.internal.limiter.check;

import dev.weir.Request;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.EndpointCostTable;
import dev.weir.internal.model.Rule;
import org.jspecify.annotations.Nullable;

/**
 * The hits that a request takes from a rule with {@code costs}, or from a rule that counts another unit than requests.
 * Rule sets without either never come here.
 */
final class RequestHits {
    private RequestHits() {}

    /** Removes the matches of rules whose unit the request does not name: they do not apply to it. */
    static void removeOtherUnits(Request request, Matches matches) {
        for (int i = matches.size() - 1; i >= 0; i--) {
            Match match = matches.get(i);
            Rule rule = match.rule();
            if (rule != null && !names(request, match.descriptor(), rule.unit())) {
                matches.remove(i);
            }
        }
    }

    private static boolean names(Request request, int descriptor, String unit) {
        String only = request.value(descriptor, Attributes.UNIT);
        return request.takesNothing()
                || (only != null ? only.equals(unit) : unit.equals(Rule.REQUESTS) || request.names(unit));
    }

    /** Whether the hits of {@code descriptor} were used already, so that they are charged whether they fit or not. */
    static boolean isReport(Request request, int descriptor) {
        return "true".equals(request.value(descriptor, Attributes.REPORT))
                && request.value(descriptor, Attributes.UNIT) != null;
    }

    /** The hits by {@code rule}, whose unit the request names, before the rule multiplies them. */
    static long of(Request request, int descriptor, Rule rule, @Nullable EndpointCostTable costs) {
        if (request.takesNothing()) {
            return 0;
        }
        boolean requests = rule.unit().equals(Rule.REQUESTS);
        if (!requests && request.value(descriptor, Attributes.UNIT) == null) {
            return request.hitsOf(rule.unit());
        }
        long sent = request.hitsOf(descriptor);
        boolean given = request.hasHits(descriptor);
        if (costs == null || sent < 0 || (given && rule.trustsCost())) {
            return sent;
        }
        long listed =
                costs.of(request.value(descriptor, Attributes.ENDPOINT), request.value(descriptor, Attributes.METHOD));
        return given ? Math.max(sent, listed) : listed;
    }
}
