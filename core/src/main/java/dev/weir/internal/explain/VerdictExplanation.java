package dev.weir.internal.explain;

import dev.weir.Limit;
import dev.weir.internal.match.keyby.CounterLabel;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import java.time.Duration;
import java.util.Locale;
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
        return new VerdictExplanation(label, counter, bucket, retryAfter, sentence(verdict, label, counter));
    }

    private static String sentence(MutableVerdict verdict, String label, String counter) {
        String whose = counter.isEmpty() ? label : label + " for " + counter;
        if (verdict.degraded() && verdict.reason() != MutableVerdict.Reason.NEVER) {
            return degraded(verdict, whose);
        }
        String outcome = outcome(verdict, label, whose);
        return verdict.shadowed() ? outcome + "; " + watching(verdict) : outcome;
    }

    private static String outcome(MutableVerdict verdict, String label, String whose) {
        return switch (verdict.reason()) {
            case WITHIN_LIMIT -> whose + " has room: " + verdict.remaining() + " left" + ofLimit(verdict.limit());
            case OVER_LIMIT ->
                whose + " is used up" + ofLimit(verdict.limit()) + "; it passes in "
                        + seconds(verdict.retryAfterMicros());
            case NEVER -> verdict.hits() + " hits can never fit into " + whose + ofLimit(verdict.limit());
            case MISSING_KEY -> "the request lacks what " + label + " counts by";
            case UNLIMITED -> label + (isOff(verdict) ? " is switched off" : " does not limit");
            case STORE_DOWN -> degraded(verdict, whose);
        };
    }

    private static boolean isOff(MutableVerdict verdict) {
        Rule rule = verdict.rule();
        return rule != null && rule.isOff();
    }

    /** Why what is over was let pass. */
    private static String watching(MutableVerdict verdict) {
        Rule rule = verdict.rule();
        if (rule == null || !rule.shadow()) {
            return rule == null || !rule.isRollingOut()
                    ? "only watched: everything is in shadow"
                    : "only watched: rolled out to " + rule.rolloutPercent() + " % of counters, and not to this one";
        }
        return rule.switched() == null ? "only watched: the rule says shadow" : "only watched: switched to shadow";
    }

    private static String degraded(MutableVerdict verdict, String whose) {
        Rule rule = verdict.rule();
        String onFail = rule == null
                ? ""
                : ", and the rule says on_fail: " + rule.onFail().name().toLowerCase(Locale.ROOT);
        String share =
                verdict.reason() == MutableVerdict.Reason.OVER_LIMIT ? "; this process's share of it is used up" : "";
        return "the store of " + whose + " does not answer" + onFail + share;
    }

    private static String ofLimit(@Nullable Limit limit) {
        return limit == null ? "" : " (" + limit.requests() + " per " + seconds(limit.windowMicros()) + ")";
    }

    /** Rounded up to the millisecond: what waits so long has waited long enough. */
    private static String seconds(long micros) {
        long millis = micros / 1_000 + (micros % 1_000 == 0 ? 0 : 1);
        String fraction = millis % 1_000 == 0 ? "" : "." + String.format("%03d", millis % 1_000);
        return millis / 1_000 + fraction + " s";
    }
}
