package dev.weir.client.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One limit as a response describes it.
 *
 * @param policy the name of the policy with its partition key
 * @param quota the total that {@code remaining} is a part of
 * @param windowSeconds the seconds in which the quota is renewed
 * @param remaining what is left
 * @param untilSeconds the effective window or the time to the reset, whichever the server sends; -1 if it does not
 * @param endsInSeconds the time to the end of the window, finer than whole seconds, which Weir sends for short windows; -1 if
 *     it is not sent
 * @param burst what a bucket can hold, if the server says that it is less than the quota; else 0
 */
public record LimitReading(
        String policy,
        long quota,
        double windowSeconds,
        long remaining,
        double untilSeconds,
        double endsInSeconds,
        long burst) {
    /** A window that is neither sent nor known: the time to the reset stands in for it, and is at least this. */
    private static final double LEAST_WINDOW = 1;

    /** Reset times above this are points in time, not waits. */
    private static final long EPOCH_SECONDS = 1_000_000_000L;

    /**
     * Reads the limits of a response: {@code RateLimit} with {@code RateLimit-Policy}, else {@code X-RateLimit-*}. A field
     * that is malformed is ignored, and so is all of a response from a cache.
     *
     * @param nowSeconds the time, seconds since the epoch
     */
    public static List<LimitReading> of(Function<String, List<String>> headers, long nowSeconds) {
        if (!headers.apply("Age").isEmpty()) {
            return List.of();
        }
        List<LimitReading> readings = fields(headers);
        return readings.isEmpty() ? trio(headers, nowSeconds) : readings;
    }

    private static List<LimitReading> fields(Function<String, List<String>> headers) {
        List<StructuredList.Item> limits = StructuredList.parse(headers.apply("RateLimit"));
        List<StructuredList.Item> policies = StructuredList.parse(headers.apply("RateLimit-Policy"));
        if (limits == null || policies == null) {
            return List.of();
        }
        Map<String, StructuredList.Item> byName = new LinkedHashMap<>();
        for (StructuredList.Item each : policies) {
            Long quota = each.integer("q");
            Long window = each.integer("w");
            if (quota != null && quota >= 0 && window != null && window > 0 && isRequests(each)) {
                byName.put(key(each), each);
            }
        }
        List<LimitReading> readings = new ArrayList<>();
        for (StructuredList.Item each : limits) {
            Long remaining = each.integer("r");
            Long until = each.integer("t");
            StructuredList.Item policy = byName.get(key(each));
            boolean timed = !each.has("t") || (until != null && until >= 0);
            if (remaining != null && remaining >= 0 && timed && policy != null) {
                readings.add(new LimitReading(
                        key(each),
                        number(policy, "q"),
                        number(policy, "w"),
                        remaining,
                        until == null ? -1 : until,
                        endsIn(each),
                        Math.max(0, number(policy, "burst"))));
            }
        }
        return readings;
    }

    private static long number(StructuredList.Item item, String name) {
        Long number = item.integer(name);
        return number == null ? 0 : number;
    }

    private static double endsIn(StructuredList.Item limit) {
        Long millis = limit.integer("weir-ms");
        return millis == null || millis < 0 ? -1 : millis / 1_000.0;
    }

    /** Whether a policy counts requests: how many others a call takes is not known here. */
    private static boolean isRequests(StructuredList.Item policy) {
        return !policy.has("qu") || "requests".equals(policy.text("qu"));
    }

    private static String key(StructuredList.Item item) {
        String partition = item.text("pk");
        return partition == null ? item.name() : item.name() + ";" + partition;
    }

    private static List<LimitReading> trio(Function<String, List<String>> headers, long nowSeconds) {
        Long limit = whole(headers.apply("X-RateLimit-Limit"));
        Long remaining = whole(headers.apply("X-RateLimit-Remaining"));
        Long reset = whole(headers.apply("X-RateLimit-Reset"));
        if (limit == null || remaining == null || reset == null) {
            return List.of();
        }
        double until = Math.max(0, reset >= EPOCH_SECONDS ? reset - nowSeconds : reset);
        return List.of(new LimitReading("", limit, Math.max(LEAST_WINDOW, until), remaining, until, -1, 0));
    }

    /** A number of the single value; null if there is none, or it is not a number >= 0. */
    private static @Nullable Long whole(List<String> values) {
        if (values.size() != 1) {
            return null;
        }
        String text = values.get(0).strip();
        if (text.isEmpty() || text.length() > 15 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return null;
        }
        return Long.parseLong(text);
    }
}
