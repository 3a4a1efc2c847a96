package dev.weir.server.command;

import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.stream.Collectors;

/** Describes a server's answer in a sentence. */
final class AnswerText {
    private AnswerText() {}

    /** {@code denied by writes for user_id=u_42: 0 left (limit 20), passes again in 0.4 s}. */
    static String describe(JsonObject answer) {
        boolean allowed = answer.getBoolean("allowed");
        String rule = answer.getString("rule", "");
        if (rule.isEmpty() && allowed) {
            return "allowed: " + answer.getString("detail", "no rule applies") + switched(answer);
        }
        StringBuilder words = new StringBuilder(allowed ? "allowed" : "denied");
        words.append(rule.isEmpty() ? "" : (allowed ? " under " : " by ") + rule);
        String counter = answer.getString("counter", "");
        words.append(allowed || counter.isEmpty() ? "" : " for " + counter);
        if (answer.getValue("remaining") instanceof Number remaining) {
            words.append(": ").append(remaining);
            words.append(answer.getValue("limit") instanceof Number limit ? " left (limit " + limit + ")" : " left");
        }
        if (!allowed) {
            words.append(
                    answer.getValue("retry_after") instanceof Number seconds
                            ? ", passes again in " + seconds(seconds.doubleValue())
                            : ", never passes");
        }
        return words.append(switched(answer)).toString();
    }

    /** {@code ; switched: all is off}. */
    private static String switched(JsonObject answer) {
        JsonObject switched = answer.getJsonObject("switched", new JsonObject());
        return switched.isEmpty()
                ? ""
                : switched.fieldNames().stream()
                        .map(each -> each + " is " + switched.getString(each))
                        .collect(Collectors.joining(", ", "; switched: ", ""));
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, seconds < 10 && seconds % 1 != 0 ? "%.1f s" : "%.0f s", seconds);
    }
}
