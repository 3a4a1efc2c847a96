package dev.weir.server.command;

import dev.weir.server.command.client.AdminClient;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.ExitCodes;
import dev.weir.server.terminal.TextTable;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows the state of a fleet, or of the servers that are named. */
@Command(
        name = "status",
        description = {
            "Show the state of a server and of those that share its Redis or PostgreSQL: version, rules, stores,"
                    + " breakers, database and leases.",
            "With addresses, ask each of these servers, and no others."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {
            "0:all is well",
            "1:a server has a problem, is silent, or has other rules",
            "2:wrong arguments",
            "4:no answer"
        },
        footer = {
            "",
            "Example: weir status --admin http://weir-1:6070",
            "         weir status http://weir-1:6070 http://weir-2:6070"
        })
final class StatusCommand implements Callable<Integer> {
    @Mixin
    private AdminClient admin = new AdminClient();

    @Parameters(
            arity = "0..*",
            paramLabel = "URL",
            description = "Admin addresses of servers to ask; without one, the server of --admin and its fleet.")
    private List<String> servers = List.of();

    @Option(names = "--json", description = "Print one JSON object per server and line.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws CommandException {
        PrintWriter out = spec.commandLine().getOut();
        TextTable table = new TextTable(
                "SERVER",
                "VERSION",
                "SERVING",
                "RULES",
                "STORES",
                "OPEN BREAKERS",
                "DATABASE",
                "LEASED HITS",
                "PROBLEM");
        List<JsonObject> all = servers.isEmpty() ? fleet() : asked();
        int exitCode = ExitCodes.YES;
        for (JsonObject each : all) {
            exitCode = Math.max(exitCode, exitCode(each));
            if (json) {
                out.println(each.encode());
            } else {
                row(table, each);
            }
        }
        if (!json) {
            table.print(out);
        }
        out.flush();
        return exitCode;
    }

    /** The server of --admin and those that share its Redis or database, with what they reported there. */
    private List<JsonObject> fleet() throws CommandException {
        JsonObject known = admin.get("/admin/v1/fleet").body();
        PrintWriter err = spec.commandLine().getErr();
        known.getJsonArray("unknown").forEach(each -> err.println("weir: other servers may be missing: " + each));
        err.flush();
        List<JsonObject> nodes =
                known.getJsonArray("nodes").stream().map(JsonObject.class::cast).toList();
        JsonObject self = nodes.stream()
                .filter(each -> each.getBoolean("self"))
                .findFirst()
                .orElseThrow();
        for (JsonObject each : nodes) {
            JsonArray problems = each.getJsonArray("problems");
            if (each.getBoolean("silent")) {
                problems.add("silent for " + each.getLong("seen_ms_ago") / 1_000 + " s");
            } else if (!each.getString("rules_hash").equals(self.getString("rules_hash"))) {
                problems.add("other rules than " + self.getString("node"));
            }
            each.put("server", each.getString("node"));
        }
        return nodes;
    }

    /** The servers that were named, each as it answers itself. */
    private List<JsonObject> asked() throws CommandException {
        List<JsonObject> all = new ArrayList<>();
        for (String each : servers) {
            admin.url(each);
            all.add(status(each));
        }
        return all;
    }

    /** The status of a server. If it does not answer, it is {@code unreachable}; other failures end the command. */
    private JsonObject status(String server) throws CommandException {
        try {
            return new JsonObject()
                    .put("server", server)
                    .mergeIn(admin.get("/admin/v1/status").body());
        } catch (CommandException e) {
            if (e.exitCode() != ExitCodes.UNREACHABLE) {
                throw e;
            }
            return new JsonObject().put("server", server).put("unreachable", e.getMessage());
        }
    }

    private static int exitCode(JsonObject status) {
        if (status.containsKey("unreachable")) {
            return ExitCodes.UNREACHABLE;
        }
        return status.getJsonArray("problems").isEmpty() ? ExitCodes.YES : ExitCodes.NO;
    }

    private static void row(TextTable table, JsonObject status) {
        String server = status.getString("server");
        if (status.containsKey("unreachable")) {
            table.row(server, "?", "?", "?", "?", "?", "?", "?", status.getString("unreachable"));
            return;
        }
        JsonArray stores = status.getJsonArray("stores");
        long connected = stores.stream()
                .filter(each -> ((JsonObject) each).getBoolean("connected"))
                .count();
        long open = stores.stream()
                .filter(each -> ((JsonObject) each).getString("breaker").equals("open"))
                .count();
        table.row(
                server,
                status.getString("version"),
                status.getBoolean("serving") ? "yes" : "no",
                status.getInteger("rules") + " (" + status.getString("rules_hash") + ")",
                stores.isEmpty() ? "memory" : connected + " of " + stores.size() + " connected",
                String.valueOf(open),
                database(status.getJsonObject("database")),
                String.valueOf(status.getJsonObject("leases").getLong("held_hits")),
                problems(status.getJsonArray("problems")));
    }

    private static String database(@Nullable JsonObject database) {
        if (database == null) {
            return "none";
        }
        return database.getBoolean("connected") ? "at change " + database.getLong("version") : "unreachable";
    }

    private static String problems(JsonArray problems) {
        return problems.isEmpty()
                ? "-"
                : String.join("; ", problems.stream().map(String::valueOf).toList());
    }
}
