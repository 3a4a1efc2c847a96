package dev.weir.http.internal;

import dev.weir.Cause;
import dev.weir.Decision;
import dev.weir.internal.model.MutableDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A decision as an HTTP answer.
 *
 * @param status 200 if the request may pass
 * @param headers names and values in turn
 * @param body the problem document of a denial; empty if the request may pass
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record DecisionAnswer(MutableDecision decision, int status, List<String> headers, byte[] body) {
    private static final RateLimitFields FIELDS = new RateLimitFields(11);
    private static final RetryAfter RETRY_AFTER = new RetryAfter(Duration.ofSeconds(1));
    private static final byte[] NO_BODY = {};

    /** The answer of {@code decided}; without {@code showHeaders} a denial has {@code Retry-After} alone. */
    public static DecisionAnswer of(Decision decided, boolean showHeaders) {
        if (!(decided instanceof MutableDecision decision)) {
            throw new IllegalStateException("decision: " + decided + " (expected: a decision of Weir.open)");
        }
        List<String> headers = showHeaders ? FIELDS.of(decision) : List.of();
        if (decision.allowed()) {
            return new DecisionAnswer(decision, 200, headers, NO_BODY);
        }
        VerdictNumbers retry = DenialProblem.retry(decision);
        if (retry != null || decision.cause() == Cause.STORE_DOWN) {
            headers = new ArrayList<>(headers);
            headers.add("Retry-After");
            // Without numbers, a server did not answer, and nobody knows for how long.
            headers.add(retry == null ? "1" : RETRY_AFTER.seconds(retry));
        }
        return new DecisionAnswer(decision, decision.status(), headers, DenialProblem.of(decision));
    }

    /**
     * The headers of two decisions on one call: both policies, and the numbers of the decision with the smaller share left.
     */
    public static List<String> merged(
            MutableDecision first, List<String> firstHeaders, MutableDecision second, List<String> secondHeaders) {
        if (firstHeaders.isEmpty() || secondHeaders.isEmpty()) {
            return firstHeaders.isEmpty() ? secondHeaders : firstHeaders;
        }
        boolean firstBinds = second.allowed() && share(first) < share(second);
        List<String> binding = firstBinds ? firstHeaders : secondHeaders;
        List<String> other = firstBinds ? secondHeaders : firstHeaders;
        List<String> merged = new ArrayList<>(binding);
        for (int i = 0; i < other.size(); i += 2) {
            int at = merged.indexOf(other.get(i));
            if (other.get(i).equals("RateLimit-Policy") && at >= 0) {
                merged.set(at + 1, merged.get(at + 1) + ", " + other.get(i + 1));
            } else if (other.get(i).equals("X-RateLimit-Degraded") && at < 0) {
                merged.add(other.get(i));
                merged.add(other.get(i + 1));
            }
        }
        return merged;
    }

    private static double share(MutableDecision decision) {
        VerdictNumbers numbers = VerdictNumbers.binding(decision);
        return numbers == null || numbers.quota() == 0 ? 1 : (double) numbers.remaining() / numbers.quota();
    }
}
