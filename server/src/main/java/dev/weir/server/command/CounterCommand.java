package dev.weir.server.command;

import dev.weir.server.command.client.AdminClient;
import dev.weir.server.command.client.AdminCommandGroup;
import dev.weir.server.command.client.AuditedClient;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.terminal.TextTable;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows and resets the counters of a request, through a server's admin port. */
@Command(
        name = "counter",
        description = "Show or reset the counters of a request.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example: weir counter get api user_id=u_42 endpoint=/v1/charges"})
final class CounterCommand extends AdminCommandGroup {

    /** The request, and the output format. */
    static final class Target {
        @Mixin
        private RequestArguments request = new RequestArguments();

        @Option(names = "--json", description = "Print the server's JSON.")
        private boolean json;

        private String path() throws CommandException {
            StringBuilder path =
                    new StringBuilder("/v1/counters?domain=").append(AdminClient.encoded(request.domain()));
            for (Map.Entry<String, String> each : request.entries()) {
                path.append('&')
                        .append(AdminClient.encoded(each.getKey()))
                        .append('=')
                        .append(AdminClient.encoded(each.getValue()));
            }
            return path.toString();
        }
    }

    @Command(name = "get", description = "Show the counters of a request.", mixinStandardHelpOptions = true)
    int get(@Mixin AdminClient admin, @Mixin Target target) throws CommandException {
        return show(admin.get(target.path()).body(), target.json, false);
    }

    @Command(
            name = "reset",
            description = "Reset the counters of a request, of every rule that applies to it or of one.",
            mixinStandardHelpOptions = true)
    int reset(
            @Mixin AuditedClient admin,
            @Mixin Target target,
            @Option(names = "--rule", paramLabel = "RULE", description = "Only the counter of this rule.") @Nullable
                    String rule,
            @Option(names = "--dry-run", description = "Show the counters that would be reset, and reset nothing.")
                    boolean dryRun)
            throws CommandException {
        String path = target.path()
                + (rule == null ? "" : "&weir.rule=" + AdminClient.encoded(rule))
                + (dryRun ? "&weir.dry_run=true" : "");
        return show(admin.delete(path).body(), target.json, !dryRun);
    }

    private int show(JsonObject answer, boolean asJson, boolean reset) {
        JsonArray counters = answer.getJsonArray("counters");
        if (asJson) {
            return print(answer.encodePrettily());
        } else if (counters.isEmpty()) {
            return print("no rule counts this request");
        }
        TextTable table = new TextTable(
                "RULE", "COUNTER", "STORE", "USED", "LIMIT", "NOW", "RESETS IN", reset ? "RESET" : "NAME");
        counters.forEach(one -> {
            JsonObject each = (JsonObject) one;
            table.row(
                    each.getString("rule"),
                    each.getString("counter", ""),
                    each.getString("store", ""),
                    CounterCells.used(each),
                    CounterCells.limit(each),
                    CounterCells.now(each),
                    CounterCells.reset(each),
                    reset ? (each.getBoolean("existed", false) ? "yes" : "was not used") : each.getString("name", ""));
        });
        return print(table);
    }
}
