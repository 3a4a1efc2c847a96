package dev.weir.server.command;

import dev.weir.internal.model.PlainDuration;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Asks a running server how it would decide a request, and why. */
@Command(
        name = "explain",
        description =
                "Tell which rules a request meets, which not and why, and what is left of their limits; takes nothing.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {"0:it would pass", "1:it would be denied", "2:no answer"},
        footer = {"", "Example: weir explain api user_id=u_42 endpoint=/v1/charges"})
final class ExplainCommand implements Callable<Integer> {
    private static final int DENIED = 1;

    @Mixin
    private RequestArguments request = new RequestArguments();

    @Option(
            names = "--hits",
            paramLabel = "N",
            description = "What the request would take. Default: ${DEFAULT-VALUE}.",
            defaultValue = "1")
    private long hits;

    @Option(names = "--json", description = "Print the answer as it came.")
    private boolean json;

    @Mixin
    private AdminClient admin = new AdminClient();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws CommandException {
        JsonObject answer = admin.post("/admin/v1/explain", question()).body();
        PrintWriter out = spec.commandLine().getOut();
        boolean passes = answer.getBoolean("would_pass");
        if (json) {
            out.println(answer.encodePrettily());
        } else {
            show(answer, passes, out);
        }
        out.flush();
        return passes ? 0 : DENIED;
    }

    private byte[] question() throws CommandException {
        Buffer body = new JsonObject()
                .put("domain", request.domain())
                .put("entries", request.descriptor())
                .put("hits", hits)
                .toBuffer();
        return body.getBytes();
    }

    private void show(JsonObject answer, boolean passes, PrintWriter out) {
        if (!answer.getString("everything").equals("on")) {
            out.println("everything is switched to " + answer.getString("everything"));
        }
        if (answer.getString("tier") != null) {
            out.println("tier agreed with the caller: " + answer.getString("tier"));
        }
        answer.getJsonObject("compared", new JsonObject())
                .forEach(each -> out.println(each.getKey() + " is compared as " + each.getValue()));
        TextTable met = new TextTable("RULE", "COUNTER", "STORE", "USED", "LIMIT", "FROM", "NOW", "WRITTEN IN");
        TextTable others = new TextTable("RULE", "DOES NOT APPLY, BECAUSE", "WRITTEN IN");
        int applying = 0;
        int other = 0;
        for (Object one : answer.getJsonArray("rules")) {
            JsonObject rule = (JsonObject) one;
            if (rule.getBoolean("met")) {
                applying++;
                met(met, rule);
            } else {
                other++;
                others.row(rule.getString("rule"), rule.getString("why"), rule.getString("source"));
            }
        }
        out.println(applying == 0 ? "no rule applies: it passes" : passes ? "it would pass" : "it would be denied");
        if (applying > 0) {
            out.println();
            met.print(out);
        }
        if (other > 0) {
            out.println();
            others.print(out);
        }
    }

    private static void met(TextTable table, JsonObject rule) {
        JsonObject limit = rule.getJsonObject("limit", new JsonObject());
        boolean limited = !limit.isEmpty();
        table.row(
                rule.getString("rule"),
                rule.getString("counter", ""),
                rule.getString("store", ""),
                rule.getValue("used") == null ? "?" : String.valueOf(rule.getLong("used")),
                limited ? limit.getLong("requests") + " per " + limit.getString("window") : "unlimited",
                limited ? limit.getString("from") : "",
                now(rule),
                rule.getString("source"));
    }

    private static String now(JsonObject rule) {
        String state;
        if (rule.getBoolean("degraded", false)) {
            state = "its store does not answer";
        } else if (rule.getBoolean("has_room", true)) {
            state = "room";
        } else {
            state = rule.getValue("passes_within") == null
                    ? "never passes"
                    : "passes in " + PlainDuration.roundedUp((long) Math.ceil(rule.getDouble("passes_within") * 1e6))
                            + " at the latest";
        }
        String mode = rule.getString("mode");
        return mode.equals("on") ? state : state + " (" + mode + ")";
    }
}
