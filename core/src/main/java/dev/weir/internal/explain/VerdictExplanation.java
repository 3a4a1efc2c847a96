package dev.weir.internal.explain;

import dev.weir.internal.match.keyby.CounterLabel;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.VerdictSentence;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A verdict for people: which rule, which counter, and when it passes.
 *
 * @param rule the rule's label; "the caller's limit" where the request brought its own
 * @param counter the values that share the counter, {@code api_key=abc}, safe to show; empty for a counter that all share
 * @param bucket a short id of the counter, the same in every process; empty where nothing is counted
 * @param retryAfter when the same request passes with no other traffic; zero if it did or nobody knows, null if it never will
 * @param text all of it in one sentence
 */
public record VerdictExplanation(
        String rule,
        String counter,
        String bucket,
        @Nullable Duration retryAfter,
        String text) {

    public static VerdictExplanation of(MutableVerdict verdict, @Nullable CounterLabel found) {
        Rule rule = verdict.rule();
        String label = rule == null ? "the caller's limit" : rule.label();
        String counter = found == null ? "" : found.text();
        String bucket = found == null ? "" : found.bucket();
        Duration retryAfter = verdict.retryAfter();
        return new VerdictExplanation(label, counter, bucket, retryAfter, VerdictSentence.of(verdict, counter));
    }
}
