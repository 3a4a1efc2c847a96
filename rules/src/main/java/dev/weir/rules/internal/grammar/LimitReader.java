package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.Algorithm;
import dev.weir.CalendarWindow;
import dev.weir.Limit;
import dev.weir.internal.algorithm.Meters;
import dev.weir.text.fields.Durations;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Scalar;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads a limit: Weir's {@code limit}, and the fields that Envoy's {@code rate_limit} shares with it. */
final class LimitReader {
    /** The fields that both formats have. */
    static final List<String> SHARED = List.of("algorithm", "burst", "burst_credit", "sub_windows", "over");

    static final List<String> KNOWN =
            List.of("requests", "window", "algorithm", "burst", "burst_credit", "sub_windows", "over", "permit_ttl");

    /** The fields that a concurrency limit does not have, and why. */
    private static final Map<String, String> NOT_OF_CONCURRENCY = Map.of(
            "window", "it counts what is in flight; permit_ttl says how long a permit lasts that nobody gives back",
            "burst", "requests is the most that is in flight at once",
            "burst_credit", "requests is the most that is in flight at once",
            "sub_windows", "only sliding_window has sub-windows",
            "over", "only leaky_bucket has a queue");

    private static final long DEFAULT_TTL_MICROS = 60_000_000;
    private static final long LONGEST_TTL_MICROS = 24 * 3_600_000_000L;

    static final Map<String, String> OTHERS = Map.of(
            "rate", "did you mean requests?",
            "limit", "did you mean requests?",
            "requests_per_unit", "did you mean requests?",
            "unit", "did you mean window? unit: minute is window: 1m",
            "per", "did you mean window?",
            "period", "did you mean window?",
            "interval", "did you mean window?",
            "capacity", "did you mean burst?",
            "ttl", "did you mean permit_ttl?",
            "type", "did you mean algorithm?");

    private static final List<String> CALENDAR =
            Stream.of(CalendarWindow.values()).map(CalendarWindow::text).toList();
    private static final int MOST_SUB_WINDOWS = 100_000;

    private LimitReader() {}

    /** Reads a limit in Weir's format; null if it has errors. */
    static @Nullable Limit weir(Fields fields, long cost) {
        int before = fields.problems().errors();
        fields.allow(KNOWN, OTHERS);
        Long requests = fields.whole("requests", 0, Long.MAX_VALUE);
        if (isConcurrency(fields)) {
            Limit limit = concurrency(fields, requests, cost);
            return fields.problems().errors() == before ? limit : null;
        }
        if (fields.has("permit_ttl")) {
            String hint = "only algorithm: concurrency has permits";
            fields.problems().error(fields.nameAt("permit_ttl"), "permit_ttl without permits", hint);
        }
        Long window = window(fields);
        for (String name : List.of("requests", "window")) {
            if (fields.lacks(name)) {
                fields.problems().error(fields.nameAt(name), name + " is missing", "expected: requests and window");
            }
        }
        CalendarWindow calendar = calendar(fields);
        Algorithm algorithm = algorithm(fields, calendar == null ? Algorithm.TOKEN_BUCKET : Algorithm.FIXED_WINDOW);
        Limit limit = finish(fields, algorithm, requests, window, calendar, cost);
        return fields.problems().errors() == before ? limit : null;
    }

    /** Whether the limit is one of concurrency. */
    static boolean isConcurrency(Fields fields) {
        YamlNode node = fields.node("algorithm");
        return node instanceof Scalar scalar && scalar.text().equals(Algorithm.CONCURRENCY.text());
    }

    private static @Nullable Limit concurrency(Fields fields, @Nullable Long requests, long cost) {
        if (fields.lacks("requests")) {
            fields.problems().error(fields.nameAt("requests"), "requests is missing", "expected: how many at once");
        }
        for (String each : List.of("window", "burst", "burst_credit", "sub_windows", "over")) {
            if (fields.has(each)) {
                String what = each + " with concurrency";
                fields.problems().error(fields.nameAt(each), what, String.valueOf(NOT_OF_CONCURRENCY.get(each)));
            }
        }
        Long given = fields.duration("permit_ttl");
        if (given != null && given > LONGEST_TTL_MICROS) {
            String what = "permit_ttl: " + Durations.text(given);
            String expected = "expected: a day at most; a call that takes longer renews its permit";
            fields.problems().error(fields.at("permit_ttl"), what, expected);
            return null;
        }
        if (given != null && given < DEFAULT_TTL_MICROS) {
            String what = "permit_ttl: " + Durations.text(given);
            String hint = "a call that takes longer is no longer counted, unless it renews its permit, which Envoy"
                    + " cannot";
            fields.problems().warning(fields.at("permit_ttl"), what, hint);
        }
        if (requests == null) {
            return null;
        }
        long ttl = given == null ? DEFAULT_TTL_MICROS : given;
        Limit limit = new Limit(Algorithm.CONCURRENCY, requests, ttl, requests, 1);
        check(fields, limit, cost);
        return limit;
    }

    /** Reads {@code algorithm}; {@code byDefault} if the file sets none, null if it does not exist. */
    static @Nullable Algorithm algorithm(Fields fields, Algorithm byDefault) {
        boolean given = fields.has("algorithm") || fields.isMeant("algorithm");
        return given ? fields.oneOf("algorithm", Algorithm.values()) : byDefault;
    }

    /** Creates the limit from {@code requests}, {@code window} and the fields that both formats share. */
    static @Nullable Limit finish(
            Fields fields,
            @Nullable Algorithm algorithm,
            @Nullable Long requests,
            @Nullable Long window,
            @Nullable CalendarWindow calendar,
            long cost) {
        Long burst = fields.whole("burst", 0, Long.MAX_VALUE);
        Long subWindows = fields.whole("sub_windows", 1, MOST_SUB_WINDOWS);
        Long credit = fields.whole("burst_credit", 0, Long.MAX_VALUE);
        over(fields, algorithm);
        if (algorithm == null) {
            return null;
        }
        if (credit != null && credit > 0 && !algorithm.lendsCredit()) {
            String hint = "expected: token_bucket or gcra, whose refill repays a debt; or no burst_credit";
            fields.problems().error(fields.nameAt("burst_credit"), "burst_credit with " + algorithm, hint);
            return null;
        }
        if (burst != null && !algorithm.isBucket()) {
            fields.problems()
                    .warning(
                            fields.nameAt("burst"),
                            "burst has no effect on " + algorithm,
                            "algorithm: token_bucket has a burst");
        }
        if (subWindows != null && algorithm != Algorithm.SLIDING_WINDOW) {
            String hint = "only sliding_window has sub-windows";
            fields.problems().warning(fields.nameAt("sub_windows"), "sub_windows has no effect on " + algorithm, hint);
        }
        if (calendar != null && algorithm != Algorithm.FIXED_WINDOW) {
            String where = fields.has("window") ? "window" : "unit";
            String hint = "only fixed_window counts by the calendar";
            fields.problems().error(fields.at(where), calendar.text() + " with " + algorithm, hint);
            return null;
        }
        if (requests == null || window == null) {
            return null;
        }
        Limit limit = calendar == null
                ? new Limit(algorithm, requests, window, requests, 1)
                : Limit.calendarWindow(requests, calendar);
        if (burst != null && algorithm.isBucket()) {
            limit = limit.withBurst(burst);
        }
        if (credit != null && credit > 0) {
            if (credit > Long.MAX_VALUE - limit.burst()) {
                String expected = "expected: <= " + (Long.MAX_VALUE - limit.burst());
                fields.problems().error(fields.at("burst_credit"), "burst_credit: " + credit, expected);
                return null;
            }
            limit = limit.withCredit(credit);
        }
        if (subWindows != null && algorithm == Algorithm.SLIDING_WINDOW) {
            limit = limit.withSubWindows(Math.toIntExact(subWindows));
        }
        check(fields, limit, cost);
        return limit;
    }

    private static void check(Fields fields, Limit limit, long cost) {
        String refusal = Meters.refusal(limit);
        String requests = fields.has("requests") ? "requests" : "requests_per_unit";
        if (refusal != null) {
            String number = refusal.substring(0, Math.max(0, refusal.indexOf(':')));
            fields.problems().error(fields.at(number.equals("requests") ? requests : number), refusal);
        } else if (limit.requests() > 0 && limit.capacity() < cost) {
            String what = limit.algorithm().isBucket() && fields.has("burst") ? "burst" : requests;
            String expected = "expected: >= " + cost + ", the cost of one request, or no request would ever pass";
            fields.problems().error(fields.at(what), what + ": " + limit.burst(), expected);
        }
    }

    /** Returns the window of the calendar that {@code window} names; null if it is none. */
    private static @Nullable CalendarWindow calendar(Fields fields) {
        YamlNode node = fields.node("window");
        for (CalendarWindow each : CalendarWindow.values()) {
            if (node instanceof Scalar scalar && each.text().equals(scalar.text())) {
                return each;
            }
        }
        return null;
    }

    /** Reads a duration, one of Envoy's units, or a window of the calendar. */
    private static @Nullable Long window(Fields fields) {
        Scalar scalar = fields.scalar("window");
        if (scalar == null) {
            return null;
        }
        EnvoyUnit unit = EnvoyUnit.called(scalar.text());
        if (unit != null) {
            return unit.micros();
        }
        CalendarWindow calendar = calendar(fields);
        if (calendar != null) {
            return calendar.longestMicros();
        }
        boolean word =
                !scalar.text().isEmpty() && Character.isLetter(scalar.text().charAt(0));
        String meant = word ? Suggestion.nearest(scalar.text(), EnvoyUnit.TEXTS) : null;
        if (scalar.text().startsWith("calendar_")) {
            fields.problems()
                    .error(scalar.at(), "window: " + quote(scalar.text()), Suggestion.among(scalar.text(), CALENDAR));
        } else if (meant != null) {
            fields.problems().error(scalar.at(), "window: " + quote(scalar.text()), "did you mean " + meant + "?");
        } else {
            return fields.duration("window");
        }
        return null;
    }

    private static void over(Fields fields, @Nullable Algorithm algorithm) {
        Scalar scalar = fields.scalar("over");
        if (scalar == null) {
            return;
        }
        if (!scalar.text().equals("queue")) {
            fields.problems().error(scalar.at(), "over: " + quote(scalar.text()), "expected: queue");
        } else if (algorithm != null && algorithm != Algorithm.LEAKY_BUCKET) {
            fields.problems().error(fields.nameAt("over"), "only leaky_bucket has a queue", "");
        } else if (algorithm != null) {
            String hint = "the response has the delay, and the caller waits";
            fields.problems().warning(fields.nameAt("over"), "over: queue has no effect in this version", hint);
        }
    }
}
