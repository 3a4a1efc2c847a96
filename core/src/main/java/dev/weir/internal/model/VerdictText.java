package dev.weir.internal.model;

import dev.weir.Algorithm;
import dev.weir.CalendarWindow;
import dev.weir.Cause;
import dev.weir.Limit;
import dev.weir.Verdict.Reason;
import org.jspecify.annotations.Nullable;

/**
 * A verdict as text between a server and {@code weir-remote}: words separated by spaces, in two parts. The policy, which is
 * the same for every verdict of a rule, so that a reader can keep it; and the counts.
 *
 * <pre>
 * policy  algorithm requests window burst sub_windows calendar credit cause flags length(unit) unit+label
 * counts  reason descriptor hits remaining debt reset retry_after delay flags
 * </pre>
 *
 * Times are microseconds. A missing value is {@code -}.
 */
public final class VerdictText {
    private static final String NONE = "-";

    private static final Algorithm[] ALGORITHMS = Algorithm.values();
    private static final CalendarWindow[] CALENDARS = CalendarWindow.values();
    private static final Cause[] CAUSES = Cause.values();
    private static final Reason[] REASONS = Reason.values();

    private VerdictText() {}

    /** A rule with the limit that was in force, as a policy header shows it. */
    public record Policy(@Nullable Rule rule, @Nullable Limit limit) {}

    /** Writes the rule of {@code verdict} and its limit in force. */
    public static String policy(MutableVerdict verdict) {
        StringBuilder text = new StringBuilder(96);
        Limit limit = verdict.limit();
        if (limit == null) {
            text.append("- 0 0 0 0 - 0 ");
        } else {
            CalendarWindow calendar = limit.calendar();
            text.append(limit.algorithm().name()).append(' ');
            text.append(limit.requests()).append(' ').append(limit.windowMicros());
            text.append(' ').append(limit.burst()).append(' ').append(limit.subWindows());
            text.append(' ').append(calendar == null ? NONE : calendar.name());
            text.append(' ').append(limit.credit()).append(' ');
        }
        Rule rule = verdict.rule();
        if (rule == null) {
            return text.append(Cause.QUOTA.name()).append(" o 0 ").toString();
        }
        text.append(rule.denyAs().name()).append(' ');
        text.append(rule.quota() ? 'q' : '-').append(rule.countsDenied() ? 'd' : '-');
        String unit = rule.unit().equals(Rule.REQUESTS) ? "" : rule.unit();
        return text.append(' ')
                .append(unit.length())
                .append(' ')
                .append(unit)
                .append(rule.label())
                .toString();
    }

    /** Writes the outcome of {@code verdict}. */
    public static String counts(MutableVerdict verdict) {
        StringBuilder text = new StringBuilder(64);
        text.append(verdict.reason().name()).append(' ').append(verdict.descriptor());
        text.append(' ').append(verdict.hits()).append(' ').append(verdict.remaining());
        text.append(' ').append(verdict.debt()).append(' ').append(verdict.resetMicros());
        text.append(' ').append(verdict.retryAfterMicros()).append(' ').append(verdict.delayMicros());
        text.append(' ').append(verdict.degraded() ? 'd' : '-').append(verdict.shadow() ? 's' : '-');
        return text.append(verdict.leased() ? 'l' : '-').toString();
    }

    /**
     * Reads a policy of a rule of {@code domain}.
     *
     * @throws IllegalArgumentException if it is not one
     */
    public static Policy policy(String domain, String text) {
        Words words = new Words(text);
        String algorithm = words.next();
        long requests = words.number();
        long window = words.number();
        long burst = words.number();
        int subWindows = (int) words.number();
        String calendar = words.next();
        long credit = words.number();
        Cause denyAs = named(CAUSES, words.next());
        String flags = words.next();
        int unit = (int) words.number();
        String rest = words.rest();
        Limit limit = algorithm.equals(NONE)
                ? null
                : new Limit(
                        named(ALGORITHMS, algorithm),
                        requests,
                        window,
                        burst,
                        subWindows,
                        calendar.equals(NONE) ? null : named(CALENDARS, calendar),
                        credit);
        if (flags.equals("o")) {
            return new Policy(null, limit);
        }
        if (unit < 0 || unit > rest.length()) {
            throw malformed(text);
        }
        String label = rest.substring(unit);
        RuleBuilder rule = Rule.builder(domain, label).label(label).denyAs(denyAs);
        rule.quota(flags.indexOf('q') >= 0).countsDenied(flags.indexOf('d') >= 0);
        rule.unit(unit == 0 ? Rule.REQUESTS : rest.substring(0, unit));
        return new Policy((limit == null ? rule : rule.limit(limit)).build(), limit);
    }

    /**
     * Reads counts into {@code verdict}, under {@code policy}.
     *
     * @throws IllegalArgumentException if the text is not that
     */
    public static void read(Policy policy, String counts, MutableVerdict verdict) {
        Words words = new Words(counts);
        Reason reason = named(REASONS, words.next());
        int descriptor = (int) words.number();
        long hits = words.number();
        long remaining = words.number();
        long debt = words.number();
        long reset = words.number();
        long retry = words.number();
        long delay = words.number();
        String flags = words.rest();
        verdict.set(policy.rule(), policy.limit(), descriptor, hits, reason, remaining, reset, retry, delay)
                .debt(debt)
                .degraded(flags.indexOf('d') >= 0)
                .shadow(flags.indexOf('s') >= 0)
                .leased(flags.indexOf('l') >= 0);
    }

    private static <E extends Enum<E>> E named(E[] all, String name) {
        for (E each : all) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        throw malformed(name);
    }

    private static IllegalArgumentException malformed(String text) {
        return new IllegalArgumentException("verdict: " + text + " (expected: a verdict as a server writes it)");
    }

    /** The words of a text, from left to right. */
    private static final class Words {
        private final String text;
        private int at;

        Words(String text) {
            this.text = text;
        }

        String next() {
            int end = text.indexOf(' ', at);
            if (end < 0) {
                throw malformed(text);
            }
            String word = text.substring(at, end);
            at = end + 1;
            return word;
        }

        long number() {
            int end = text.indexOf(' ', at);
            if (end <= at) {
                throw malformed(text);
            }
            long number = Long.parseLong(text, at, end, 10);
            at = end + 1;
            return number;
        }

        String rest() {
            return text.substring(at);
        }
    }
}
