package dev.weir.server.command;

import dev.weir.server.command.client.AdminClient;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.ExitCodes;
import dev.weir.server.terminal.TextTable;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.util.HashSet;
import java.util.Set;
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
        description =
                "Tell which rules a request meets, which not and why, and what is left of their limits; takes nothing.",
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
            description = "What the request would take. Default: 1, or what the rules' costs say.")
    private @Nullable Long hits;

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
        return passes ? ExitCodes.YES : ExitCodes.NO;
    }

    private byte[] question() throws CommandException {
        JsonObject body = new JsonObject().put("domain", request.domain()).put("descriptors", request.descriptors());
        if (hits != null) {
            body.put("hits", hits);
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
            out.println("tier agreed with the caller: " + answer.getString("tier"));
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
        out.println(!passes ? "it would be denied" : applying == 0 ? "no rule applies: it passes" : "it would pass");
        JsonArray denied = answer.getJsonArray("denied_on", new JsonArray());
        if (!denied.isEmpty()) {
            out.println("denied on: " + denied.stream().map(String::valueOf).collect(Collectors.joining(", ")));
        }
        if (answer.getString("note") != null) {
            out.println("note: " + answer.getString("note"));
        }
        print(met, applying, out);
        print(elsewhere, further.size(), out);
        print(others, other, out);
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
                rule.getJsonObject("limit", new JsonObject()).getString("from", ""),
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
        String state = CounterCells.now(rule);
        String mode = rule.getString("mode");
        return mode.equals("on") ? state : state + " (" + mode + ")";
    }
}
