package dev.weir.server.command;

import dev.weir.server.command.client.AdminClient;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.ExitCodes;
import dev.weir.server.terminal.TextTable;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Asks a running server how it would decide a request, and why. */
@Command(
        name = "explain",
        description = "Show which rules apply to a request, which do not and why, and how much of their limits is left."
                + " Charges nothing.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {
            "0:it would pass",
            "1:it would be denied",
            "2:wrong arguments",
            "3:no such domain",
            "4:no answer"
        },
        footer = {
            "",
            "Example: weir explain api user_id=u_42 endpoint=/v1/charges",
            "A caller alone, and where it is denied: weir explain api user_id=u_42",
            "Several descriptors, as Envoy sends them: weir explain edge generic_key=all + remote_address=10.0.0.7"
        })
final class ExplainCommand implements Callable<Integer> {
    @Mixin
    private RequestArguments request = new RequestArguments();

    @Option(
            names = "--hits",
            paramLabel = "N",
            description = "Hits that the request would take. Default: 1, or what the rules' costs say.")
    private @Nullable Long hits;

    @Option(
            names = "--cost",
            paramLabel = "UNIT=N",
            description = "Hits of another unit that it would take, such as output_tokens=800. May be repeated.")
    private Map<String, Long> costs = Map.of();

    @Option(names = "--json", description = "Print the server's JSON.")
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
        return passes ? ExitCodes.YES : ExitCodes.NO;
    }

    private byte[] question() throws CommandException {
        JsonObject body = new JsonObject().put("domain", request.domain()).put("descriptors", request.descriptors());
        if (hits != null) {
            body.put("hits", hits);
        }
        if (!costs.isEmpty()) {
            body.put("costs", new JsonObject(new TreeMap<>(costs)));
        }
        return body.toBuffer().getBytes();
    }

    private void show(JsonObject answer, boolean passes, PrintWriter out) {
        if (!answer.getString("everything").equals("on")) {
            out.println("everything is switched to " + answer.getString("everything"));
        }
        JsonObject ban = answer.getJsonObject("ban");
        if (ban != null) {
            out.println(ban.getString("sentence"));
        }
        if (answer.getString("tier") != null) {
            out.println("tier of the quota of this caller: " + answer.getString("tier"));
        }
        answer.getJsonObject("compared", new JsonObject())
                .forEach(each -> out.println(each.getKey() + " is compared as " + each.getValue()));
        TextTable met = new TextTable("RULE", "COUNTER", "STORE", "USED", "LIMIT", "FROM", "NOW", "WRITTEN IN");
        TextTable others = new TextTable("RULE", "DOES NOT APPLY, BECAUSE", "WRITTEN IN");
        TextTable elsewhere = new TextTable("RULE", "APPLIES IF", "COUNTER", "USED", "LIMIT", "NOW");
        JsonArray further = answer.getJsonArray("elsewhere", new JsonArray());
        Set<String> named = new HashSet<>();
        for (Object one : further) {
            JsonObject rule = (JsonObject) one;
            named.add(rule.getString("rule"));
            elsewhere(elsewhere, rule);
        }
        int applying = 0;
        int other = 0;
        for (Object one : answer.getJsonArray("rules")) {
            JsonObject rule = (JsonObject) one;
            if (rule.getBoolean("met")) {
                applying++;
                met(met, rule);
            } else if (!named.contains(rule.getString("rule"))) {
                other++;
                others.row(rule.getString("rule"), rule.getString("why"), rule.getString("source"));
            }
        }
        JsonArray denied = answer.getJsonArray("denied_on", new JsonArray());
        // A caller alone: whether it passes depends on what it asks for.
        String alone =
                denied.isEmpty() ? "" : applying == 0 ? " to these attributes alone" : " with these attributes alone";
        String passing = applying == 0 ? "no rule applies" + alone + ": it passes" : "it would pass" + alone;
        out.println(passes ? passing : "it would be denied");
        if (!denied.isEmpty()) {
            out.println("denied on: " + denied.stream().map(String::valueOf).collect(Collectors.joining(", ")));
        }
        if (answer.getString("note") != null) {
            out.println("note: " + answer.getString("note"));
        }
        print(met, applying, out);
        regions(answer.getJsonArray("rules"), out);
        envoys(answer.getJsonArray("envoys", new JsonArray()), out);
        print(elsewhere, further.size(), out);
        print(others, other, out);
    }

    /** Prints what is known of each region's part in counters that regions share. */
    private static void regions(JsonArray rules, PrintWriter out) {
        TextTable table = new TextTable("RULE", "REGION", "USED", "HEARD");
        int rows = 0;
        for (Object one : rules) {
            JsonObject rule = (JsonObject) one;
            for (Object known : rule.getJsonArray("regions", new JsonArray())) {
                JsonObject each = (JsonObject) known;
                table.row(
                        rule.getString("rule"),
                        each.getString("region"),
                        String.valueOf(each.getLong("used")),
                        CounterCells.heard(each));
                rows++;
            }
        }
        print(table, rows, out);
    }

    /** Prints the hits that Envoys hold and spend by themselves. */
    private static void envoys(JsonArray holding, PrintWriter out) {
        TextTable table = new TextTable("ENVOY", "BUCKET", "TOLD", "HOLDS", "ASKS FOR");
        for (Object one : holding) {
            JsonObject each = (JsonObject) one;
            table.row(
                    each.getString("envoy"),
                    each.getJsonObject("bucket").stream()
                            .map(part -> part.getKey() + "=" + part.getValue())
                            .collect(Collectors.joining(", ")),
                    each.getString("assignment"),
                    String.valueOf(each.getLong("held")),
                    Math.round(each.getDouble("asks_per_second")) + "/s");
        }
        print(table, holding.size(), out);
    }

    private static void print(TextTable table, int rows, PrintWriter out) {
        if (rows > 0) {
            out.println();
            table.print(out);
        }
    }

    private static void met(TextTable table, JsonObject rule) {
        table.row(
                rule.getString("rule"),
                rule.getString("counter", ""),
                rule.getString("store", ""),
                CounterCells.used(rule),
                CounterCells.limit(rule),
                CounterCells.from(rule),
                now(rule),
                rule.getString("source"));
    }

    private static void elsewhere(TextTable table, JsonObject rule) {
        table.row(
                rule.getString("rule"),
                rule.getString("why"),
                rule.getString("counter", ""),
                CounterCells.used(rule),
                CounterCells.limit(rule),
                now(rule));
    }

    private static String now(JsonObject rule) {
        String state = CounterCells.now(rule) + over(rule);
        String mode = rule.getString("mode");
        return mode.equals("on") ? state : state + " (" + mode + ")";
    }

    /** How the rule treats a request that has no room. */
    private static String over(JsonObject rule) {
        JsonObject over = rule.getJsonObject("over");
        if (over == null || rule.getBoolean("has_room", true)) {
            return "";
        }
        JsonObject queue = over.getJsonObject("queue");
        return queue == null
                ? ", denied after " + over.getJsonObject("tarpit").getString("delay")
                : ", waits up to " + queue.getString("max_wait");
    }
}
