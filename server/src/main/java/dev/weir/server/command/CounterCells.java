package dev.weir.server.command;

import dev.weir.internal.model.PlainDuration;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** The cells of a table that show the limit and the state of a counter, alike in all commands. */
final class CounterCells {
    private CounterCells() {}

    /** {@code 600 per 1m, burst 1200}, or {@code 20 at once}. */
    static String limit(JsonObject counter) {
        JsonObject limit = counter.getJsonObject("limit", new JsonObject());
        if (limit.isEmpty()) {
            return "unlimited";
        }
        if (limit.getValue("window") == null) {
            return limit.getLong("requests") + " at once";
        }
        boolean bucket = !limit.getString("algorithm").contains("window");
        boolean holdsMore = bucket && !limit.getLong("burst").equals(limit.getLong("requests"));
        Long whole = limit.getLong("whole");
        String part = whole == null ? "" : " of " + whole + " in all regions";
        return limit.getLong("requests") + part + " per " + limit.getString("window")
                + (holdsMore ? ", burst " + limit.getLong("burst") : "");
    }

    /** Where the limit is from: {@code rule}, or {@code 50 % of the rule, by the load of payments}. */
    static String from(JsonObject counter) {
        JsonObject limit = counter.getJsonObject("limit", new JsonObject());
        String from = limit.getString("from", "");
        if (limit.getDouble("share") == null) {
            return from;
        }
        String cause = from.equals("load")
                ? "by the load of " + limit.getString("service")
                : "by a reputation of " + limit.getInteger("score") + " or worse";
        return BigDecimal.valueOf(limit.getDouble("share") * 100)
                        .setScale(1, RoundingMode.HALF_UP)
                        .stripTrailingZeros()
                        .toPlainString()
                + " % of the rule, " + cause;
    }

    /** How old the count of a region is. */
    static String heard(JsonObject region) {
        Double age = region.getDouble("age");
        String heard = age == null ? "not yet" : seconds(age) + " ago";
        return region.getBoolean("silent") ? heard + ": silent, its share is kept" : heard;
    }

    static String used(JsonObject counter) {
        return counter.getValue("used") == null ? "?" : String.valueOf(counter.getLong("used"));
    }

    /** How long until the counter equals an unused one. */
    static String reset(JsonObject counter) {
        return counter.getValue("reset_in") == null ? "?" : seconds(counter.getDouble("reset_in"));
    }

    /** Whether the hits asked for have room, and if not, when. */
    static String now(JsonObject counter) {
        if (counter.getBoolean("degraded", false)) {
            return "its store does not answer";
        }
        if (counter.getBoolean("has_room", true)) {
            return "room";
        }
        JsonObject limit = counter.getJsonObject("limit", new JsonObject());
        if (!limit.isEmpty() && limit.getValue("window") == null) {
            return "passes when one in flight ends";
        }
        return counter.getValue("retry_after") == null
                ? "never passes"
                : "passes in " + seconds(counter.getDouble("retry_after"));
    }

    private static String seconds(double seconds) {
        return PlainDuration.roundedUp(Math.round(seconds * 1e6));
    }
}
