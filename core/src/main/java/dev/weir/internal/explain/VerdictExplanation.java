package dev.weir.internal.explain;

import dev.weir.internal.match.keyby.CounterLabel;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.VerdictSentence;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Explains a verdict to people: the rule, the counter, and when the request passes.
 *
 * @param rule the rule's label; "the caller's limit" if the request carried its own
 * @param counter the values of the counter, {@code api_key=abc}, safe to show; empty for a counter that all callers
 *     share
 * @param bucket a short id of the counter, the same in every process; empty if nothing is counted
 * @param retryAfter when the same request passes without other traffic; zero if it passed or the wait is unknown, null
 *     if it never passes
 * @param text the whole explanation in one sentence
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
