package dev.weir.internal.model;

import dev.weir.Algorithm;
import dev.weir.CalendarWindow;
import dev.weir.Limit;
import dev.weir.LoadShedder.Priority;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Puts a verdict into one sentence for people: which rule, which counter, what is left and when it passes again.
 *
 * <pre>
 * denied by logins (5 per 1m, token_bucket) for user_id=u_42: 0 left, passes again in 12s
 * </pre>
 */
public final class VerdictSentence {
    /** Longer names of rules are cut. */
    private static final int MOST = 64;

    private VerdictSentence() {}

    /** The sentence without the counter. */
    public static String of(MutableVerdict verdict) {
        return of(verdict, "");
    }

    /** The sentence; {@code counter} is the values that share the counter, safe to show, or empty. */
    public static String of(MutableVerdict verdict, String counter) {
        StringBuilder text = new StringBuilder(verdict.allowed() ? "allowed" : "denied");
        if (verdict.shadowed()) {
            text.insert(0, "would be ");
        }
        Rule rule = verdict.rule();
        if (rule != null) {
            text.append(verdict.allowed() ? " under " : " by ").append(name(rule.label()));
        }
        Limit limit = verdict.limit();
        if (limit != null) {
            text.append(" (").append(limit(limit)).append(')');
        }
        if (!counter.isEmpty()) {
            text.append(" for ").append(counter);
        }
        text.append(": ").append(outcome(verdict));
        if (verdict.shadowed()) {
            text.append("; only watched: ").append(watching(rule));
        }
        return text.toString();
    }

    private static String outcome(MutableVerdict verdict) {
        boolean never = verdict.reason() == MutableVerdict.Reason.NEVER;
        if (verdict.degraded() && !never) {
            return storeDown(verdict);
        }
        Rule rule = verdict.rule();
        return switch (verdict.reason()) {
            case WITHIN_LIMIT -> left(verdict);
            case OVER_LIMIT ->
                verdict.isShed()
                        ? shed(verdict)
                        : left(verdict)
                                + (verdict.hits() > 1 ? ", " + verdict.hits() + " asked for" : "")
                                + (isConcurrency(verdict)
                                        ? ", passes when one in flight ends"
                                        : ", passes again in " + PlainDuration.roundedUp(verdict.retryAfterMicros()));
            case NEVER -> verdict.hits() + (verdict.hits() == 1 ? " hit" : " hits") + " can never fit";
            case MISSING_KEY -> "the request lacks the attribute that the rule counts by";
            case UNLIMITED -> rule != null && rule.isOff() ? "switched off" : "unlimited";
            case STORE_DOWN -> storeDown(verdict);
        };
    }

    private static String shed(MutableVerdict verdict) {
        Priority priority = verdict.priority();
        return "its service is near its capacity, and some callers"
                + (priority == null ? "" : " of priority " + priority.name().toLowerCase(Locale.ROOT))
                + " are shed, worth a try in " + PlainDuration.roundedUp(verdict.retryAfterMicros());
    }

    private static boolean isConcurrency(MutableVerdict verdict) {
        Limit limit = verdict.limit();
        return limit != null && limit.algorithm() == Algorithm.CONCURRENCY;
    }

    private static String left(MutableVerdict verdict) {
        Rule rule = verdict.rule();
        String unit = rule == null || rule.unit().equals(Rule.REQUESTS) ? "" : " " + rule.unit();
        return Math.max(0, verdict.remaining()) + unit + " left"
                + (verdict.debt() > 0 ? ", " + verdict.debt() + " in debt" : "");
    }

    private static String storeDown(MutableVerdict verdict) {
        Rule rule = verdict.rule();
        String onFail = rule == null
                ? ""
                : ", and the rule says on_fail: " + rule.onFail().name().toLowerCase(Locale.ROOT);
        boolean share = verdict.reason() == MutableVerdict.Reason.OVER_LIMIT;
        return "its store does not answer" + onFail + (share ? "; the share of this process is used up" : "");
    }

    /** Why what is over was let pass. */
    private static String watching(@Nullable Rule rule) {
        if (rule != null && rule.shadow()) {
            return rule.switched() == null ? "the rule says shadow" : "switched to shadow";
        }
        return rule == null || !rule.isRollingOut()
                ? "everything is in shadow"
                : "rolled out to " + rule.rolloutPercent() + " % of counters, and not to this one";
    }

    /** A limit in words, such as {@code 100 per 1s, burst 200, token_bucket}. */
    public static String limit(Limit limit) {
        if (limit.algorithm() == Algorithm.CONCURRENCY) {
            return limit.requests() + " at once";
        }
        boolean holdsMore = limit.algorithm().isBucket() && limit.burst() != limit.requests();
        CalendarWindow calendar = limit.calendar();
        String window = calendar == null ? PlainDuration.exact(limit.windowMicros()) : calendar.text();
        return limit.requests() + " per " + window
                + (holdsMore ? ", burst " + limit.burst() : "")
                + (limit.credit() > 0 ? ", credit " + limit.credit() : "") + ", "
                + limit.algorithm().text();
    }

    /** Escapes a rule's name, so that it cannot forge a log line: rules may come from an untrusted author. */
    private static String name(String label) {
        String cut = label.length() > MOST ? label.substring(0, MOST) + "…" : label;
        return cut.replaceAll("\\p{C}", "?");
    }
}
