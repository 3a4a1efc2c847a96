package dev.weir.server.command;

import dev.weir.server.command.client.AdminClient;
import dev.weir.server.command.client.AdminCommandGroup;
import dev.weir.server.command.client.AuditedClient;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.InputFile;
import dev.weir.server.terminal.LineDiff;
import dev.weir.server.terminal.TextTable;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows and changes the rules of a running server. */
@Command(
        name = "rules",
        description = "Show and change the rules of a running server.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example: weir rules put r_abc -f rule.yaml --reason \"launch\""})
final class RulesCommand extends AdminCommandGroup {
    private static final String CONFIG = "/v1/ratelimit/config";
    private static final Pattern FILE = Pattern.compile(".*\\.(ya?ml|json)");

    @Command(
            name = "list",
            description = "List every rule with its source, and the rule that it overrides.",
            mixinStandardHelpOptions = true)
    int list(@Mixin AdminClient admin, @Option(names = "--json", description = "Print JSON.") boolean json)
            throws CommandException {
        JsonArray rules = admin.all(CONFIG, "rules");
        if (json) {
            return print(rules.encodePrettily());
        }
        TextTable table = new TextTable("DOMAIN", "RULE", "STATUS", "LIMIT", "ALGORITHM", "MATCH", "KEY", "SOURCE");
        rules.forEach(each -> {
            JsonObject rule = (JsonObject) each;
            JsonObject summary = rule.getJsonObject("summary", new JsonObject());
            table.row(
                    rule.getString("domain"),
                    rule.getString("rule_id"),
                    rule.getString("status")
                            + (rule.containsKey("switched") ? ", switched: " + rule.getString("switched") : ""),
                    summary.getString("limit", ""),
                    String.valueOf(summary.getString("algorithm", "")),
                    summary.getString("match", ""),
                    summary.getString("key", ""),
                    rule.getString("source")
                            + (rule.containsKey("hides") ? ", overrides " + rule.getString("hides") : ""));
        });
        return print(table);
    }

    @Command(
            name = "sources",
            description = "List the sources of rules; a later one overrides earlier ones.",
            mixinStandardHelpOptions = true)
    int sources(@Mixin AdminClient admin, @Option(names = "--json", description = "Print JSON.") boolean json)
            throws CommandException {
        JsonArray sources = admin.get("/v1/ratelimit/sources").body().getJsonArray("sources");
        if (json) {
            return print(sources.encodePrettily());
        }
        TextTable table = new TextTable("SOURCE", "RULES", "OVERRIDDEN", "STATE", "VERSION", "CHANGED");
        sources.forEach(each -> {
            JsonObject source = (JsonObject) each;
            table.row(
                    source.getString("source"),
                    String.valueOf(source.getInteger("rules")),
                    String.valueOf(source.getInteger("hidden")),
                    source.getString("problem", "in force"),
                    source.getString("version", ""),
                    source.getString("changed_at", ""));
        });
        return print(table);
    }

    @Command(name = "get", description = "Show one rule.", mixinStandardHelpOptions = true)
    int get(@Mixin AdminClient admin, @Parameters(paramLabel = "RULE") String id) throws CommandException {
        return print(admin.get(CONFIG + "/" + AdminClient.encoded(id)).body().encodePrettily());
    }

    @Command(
            name = "put",
            description = "Write a rule to the database, as JSON or YAML.",
            mixinStandardHelpOptions = true)
    int put(
            @Mixin AuditedClient admin,
            @Parameters(paramLabel = "RULE") String id,
            @Mixin InputFile rule,
            @Option(
                            names = "--if-match",
                            paramLabel = "TAG",
                            description = "Write only if the rule is still at this version.")
                    @Nullable
                    String tag)
            throws CommandException {
        AdminClient.Reply reply =
                admin.putFile(path("put", id, rule), rule.read(), tag == null ? null : "\"" + tag + "\"", rule.name());
        return print(id + " is " + reply.body().getString("status") + ", version "
                + reply.tag().replace("\"", ""));
    }

    @Command(
            name = "diff",
            description = "Show what put would change in the rule in force, from whatever source, without changing it.",
            mixinStandardHelpOptions = true)
    int diff(@Mixin AdminClient admin, @Parameters(paramLabel = "RULE") String id, @Mixin InputFile rule)
            throws CommandException {
        JsonObject change = admin.putFile(path("diff", id, rule) + "?dry_run=true", rule.read(), null, rule.name())
                .body()
                .getJsonObject("effect");
        String before = text(change.getJsonObject("before"));
        String after = text(change.getJsonObject("after"));
        if (before.equals(after)) {
            return print("no change");
        }
        PrintWriter out = out();
        String source = change.getString("source");
        out.println(id + (source == null ? " is new" : ", in force from " + source));
        LineDiff.of(before.lines().toList(), after.lines().toList()).forEach(out::println);
        out.flush();
        return 0;
    }

    /** The path of the rule {@code id}. A file in the place of the id is a mistake: the command would wait for input. */
    private static String path(String command, String id, InputFile rule) throws CommandException {
        if (!rule.isGiven() && FILE.matcher(id).matches()) {
            throw new CommandException("RULE: \"" + id + "\" (expected: the id of a rule; did you mean weir rules "
                    + command + " RULE -f " + id + "?)");
        }
        return CONFIG + "/" + AdminClient.encoded(id);
    }

    private static String text(@Nullable JsonObject rule) {
        return rule == null ? "" : rule.encodePrettily();
    }

    @Command(name = "delete", description = "Delete a rule from the database.", mixinStandardHelpOptions = true)
    int delete(@Mixin AuditedClient admin, @Parameters(paramLabel = "RULE") String id) throws CommandException {
        String path = CONFIG + "/" + AdminClient.encoded(id);
        AdminClient.Reply rule = admin.find(path);
        String below = rule == null ? null : rule.body().getString("hides");
        admin.delete(path);
        return print(id + " is deleted from the database"
                + (below == null ? "" : "; the rule of " + below + " applies again"));
    }
}
