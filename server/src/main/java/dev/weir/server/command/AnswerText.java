package dev.weir.server.command;

import io.vertx.core.json.JsonObject;
import java.util.stream.Collectors;

/** Describes a server's answer in a sentence. */
final class AnswerText {
    private AnswerText() {}

    /** {@code denied by writes (20 per 1s, token_bucket) for user_id=u_42: 0 left, passes again in 400ms}. */
    static String describe(JsonObject answer) {
        return words(answer) + degraded(answer) + switched(answer);
    }

    private static String words(JsonObject answer) {
        boolean allowed = answer.getBoolean("allowed");
        String rule = answer.getString("rule", "");
        if (!allowed) {
            return answer.getString("detail", "denied"); // the server's sentence of the verdict
        }
        if (rule.isEmpty()) {
            return "allowed: " + answer.getString("detail", "no rule applies");
        }
        return "allowed under " + rule + ": " + answer.getValue("remaining") + " left (limit "
                + answer.getValue("limit") + ")";
    }

    /** Says that the numbers are not those of the store. */
    private static String degraded(JsonObject answer) {
        boolean said = answer.getString("detail", "").contains("store does not answer");
        return answer.getBoolean("degraded", false) && !said
                ? "; a store does not answer, so on_fail decided (degraded)"
                : "";
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
}
