package dev.weir.server.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows and forgets the counters that a request meets, by way of a server's admin port. */
@Command(
        name = "counter",
        description = "Show or reset the counters that a request meets.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example: weir counter get api user_id=u_42 endpoint=/v1/charges"})
final class Counters extends AdminCommand {

    /** Which request, and how its counters are printed. */
    static final class Asked {
        @Parameters(index = "0", paramLabel = "DOMAIN", description = "Domain of the rules.")
        private String domain = "";

        @Parameters(
                index = "1..*",
                arity = "1..*",
                paramLabel = "key=value",
                description = "What is known of the request.")
        private List<String> entries = List.of();

        @Option(names = "--json", description = "Print the answer as it came.")
        private boolean json;

        private String path() throws Refusal {
            StringBuilder path = new StringBuilder("/v1/counters?domain=").append(AdminClient.encoded(domain));
            for (String each : entries) {
                int equals = each.indexOf('=');
                if (equals < 1) {
                    throw new Refusal("\"" + each + "\" (expected: key=value)");
                }
                path.append('&')
                        .append(AdminClient.encoded(each.substring(0, equals)))
                        .append('=')
                        .append(AdminClient.encoded(each.substring(equals + 1)));
            }
            return path.toString();
        }
    }

    @Command(name = "get", description = "Show the counters that a request meets.", mixinStandardHelpOptions = true)
    int get(@Mixin AdminClient admin, @Mixin Asked asked) throws Refusal {
        return show(admin.get(asked.path()).body(), asked.json, false);
    }

    @Command(
            name = "reset",
            description = "Forget the counters that a request meets: every limit is as good as new.",
            mixinStandardHelpOptions = true)
    int reset(@Mixin AuditedClient admin, @Mixin Asked asked) throws Refusal {
        return show(admin.delete(asked.path()).body(), asked.json, true);
    }

    private int show(JsonObject answer, boolean asJson, boolean reset) {
        JsonArray counters = answer.getJsonArray("counters");
        if (asJson) {
            return said(answer.encodePrettily());
        } else if (counters.isEmpty()) {
            return said("no rule counts such a request");
        }
        Table table = new Table("RULE", "COUNTER", "STORE", "USED", "LIMIT", "RESETS IN", reset ? "RESET" : "NAME");
        counters.forEach(one -> {
            JsonObject each = (JsonObject) one;
            table.row(
                    each.getString("rule"),
                    each.getString("counter", ""),
                    each.getString("store", ""),
                    each.getValue("used") == null ? "?" : String.valueOf(each.getLong("used")),
                    String.valueOf(each.getLong("limit", 0L)),
                    each.getValue("reset_in") == null
                            ? "?"
                            : String.format(Locale.ROOT, "%.1f s", each.getDouble("reset_in")),
                    reset ? (each.getBoolean("existed", false) ? "yes" : "was new") : each.getString("name", ""));
        });
        table.print(out());
        out().flush();
        return 0;
    }
}
