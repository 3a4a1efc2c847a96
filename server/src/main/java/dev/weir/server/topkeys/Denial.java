package dev.weir.server.topkeys;

import dev.weir.Cause;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.control.decisions.RecordedDecision;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.VerdictSentence;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A denial as it was explained when it happened.
 *
 * @param rule the label of the rule; empty if a ban decided
 * @param key the values of the counter, for people, or the subject of the ban
 * @param bucket an id of the counter; empty if a ban decided
 * @param attributes those of the request, long values cut; empty if they were too long to keep
 * @param shadow whether the request passed, because the rule only watches
 * @param sentence the explanation
 * @param used the hits that were used
 * @param retryAfterMicros when the request would have passed; negative if never, 0 if unknown
 */
public record Denial(
        long atMillis,
        String domain,
        String rule,
        String key,
        String bucket,
        Map<String, String> attributes,
        String cause,
        boolean shadow,
        String sentence,
        long limit,
        long used,
        long retryAfterMicros,
        boolean degraded,
        boolean banned) {

    private static final int MOST_ATTRIBUTES = 16;
    private static final int MOST_LETTERS = 1_024;
    private static final int LONGEST_VALUE = 256;

    static Denial of(RecordedDecision recorded, MutableVerdict verdict, @Nullable NamedKey name) {
        Rule rule = verdict.rule();
        Limit limit = verdict.limit();
        Cause cause = verdict.cause();
        String key = name == null ? "" : name.text();
        long size = limit == null ? 0 : limit.size();
        return new Denial(
                recorded.micros() / 1_000,
                recorded.request().domain(),
                rule == null ? "" : rule.label(),
                key,
                name == null ? "" : name.bucket(),
                attributes(recorded),
                text(cause == null ? Cause.QUOTA : cause),
                verdict.shadowed() || recorded.allowed(),
                VerdictSentence.of(verdict, key),
                size,
                Math.max(0, size - verdict.remaining() + verdict.debt()),
                verdict.retryAfterMicros(),
                verdict.degraded(),
                false);
    }

    static Denial of(RecordedDecision recorded, Ban ban) {
        return new Denial(
                recorded.micros() / 1_000,
                recorded.request().domain(),
                "",
                ban.subject(),
                "",
                attributes(recorded),
                text(Cause.BANNED),
                recorded.allowed(),
                "denied (" + ban.sentence() + ")",
                0,
                0,
                0,
                false,
                true);
    }

    private static String text(Cause cause) {
        return cause.name().toLowerCase(Locale.ROOT);
    }

    private static Map<String, String> attributes(RecordedDecision recorded) {
        Map<String, String> found = new LinkedHashMap<>();
        Request request = recorded.request();
        int letters = 0;
        int end = recorded.hasValues() && request.descriptors() > 0 ? request.end(request.descriptors() - 1) : 0;
        for (int i = 0; i < end && found.size() < MOST_ATTRIBUTES; i++) {
            String value = request.value(i);
            String kept = value.length() <= LONGEST_VALUE ? value : value.substring(0, LONGEST_VALUE) + "…";
            letters += request.key(i).length() + kept.length();
            if (letters > MOST_LETTERS) {
                break;
            }
            found.putIfAbsent(request.key(i), kept);
        }
        return found;
    }

    /** Whether the request had all of {@code wanted}. */
    public boolean has(Map<String, String> wanted) {
        return wanted.entrySet().stream().allMatch(each -> each.getValue().equals(attributes.get(each.getKey())));
    }
}
