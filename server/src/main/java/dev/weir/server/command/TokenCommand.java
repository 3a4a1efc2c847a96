package dev.weir.server.command;

import dev.weir.server.command.client.AdminClient;
import dev.weir.server.command.client.AdminCommandGroup;
import dev.weir.server.command.client.AuditedClient;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.terminal.TextTable;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Manages the tokens of a running server's admin port. */
@Command(
        name = "token",
        description = "Create, list, rotate and revoke tokens for the admin port.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example: weir token create ci --role operator --expires 90d"})
final class TokenCommand extends AdminCommandGroup {
    /** The flag or argument that each member of the body comes from. */
    private static final Map<String, String> FLAGS = Map.of(
            "name", "NAME",
            "role", "--role",
            "grace", "--grace",
            "expires_at", "--expires",
            "expires_in", "--expires");

    private static final String TOKENS = "/admin/v1/tokens";

    @Command(
            name = "create",
            description = "Create a token and print it; it cannot be shown again.",
            mixinStandardHelpOptions = true)
    int create(
            @Mixin AuditedClient admin,
            @Parameters(paramLabel = "NAME", description = "Name of the holder, for the audit.") String name,
            @Option(
                            names = "--role",
                            required = true,
                            paramLabel = "ROLE",
                            description = "viewer reads; operator also changes quotas, switches and counters; admin"
                                    + " does everything.")
                    String role,
            @Option(
                            names = "--expires",
                            paramLabel = "DURATION|TIME",
                            description = "Expiry: 90d, or 2027-02-01T00:00:00Z. Without it, never.")
                    @Nullable
                    String expires,
            @Option(names = "--json", description = "Print JSON.") boolean json)
            throws CommandException {
        JsonObject wanted = new JsonObject().put("name", name).put("role", role);
        return issued(
                admin.postFlags(TOKENS, bytes(expiring(wanted, expires)), FLAGS).body(), json);
    }

    @Command(name = "list", description = "List tokens, without their secrets.", mixinStandardHelpOptions = true)
    int list(@Mixin AdminClient admin, @Option(names = "--json", description = "Print JSON.") boolean json)
            throws CommandException {
        JsonArray all = admin.all(TOKENS, "tokens");
        if (json) {
            return print(all.encodePrettily());
        }
        TextTable table = new TextTable("NAME", "ID", "ROLE", "CREATED", "BY", "EXPIRES", "LAST USED");
        all.forEach(one -> {
            JsonObject each = (JsonObject) one;
            table.row(
                    each.getString("name"),
                    each.getString("token_id"),
                    each.getString("role"),
                    minute(each.getString("created_at")),
                    each.getString("created_by"),
                    each.getBoolean("expired") ? "expired" : or(minute(each.getString("expires_at")), "never"),
                    or(minute(each.getString("last_used_at")), "never"));
        });
        return print(table);
    }

    @Command(
            name = "rotate",
            description = "Replace a token's secret and print it; the previous one stays valid for a while.",
            mixinStandardHelpOptions = true)
    int rotate(
            @Mixin AuditedClient admin,
            @Parameters(paramLabel = "NAME|ID") String name,
            @Option(
                            names = "--grace",
                            paramLabel = "DURATION",
                            description = "How long the previous secret stays valid; 0s ends it at once. Default:"
                                    + " ${DEFAULT-VALUE}.",
                            defaultValue = "1h")
                    String grace,
            @Option(
                            names = "--expires",
                            paramLabel = "DURATION|TIME",
                            description = "New expiry. Without it, unchanged.")
                    @Nullable
                    String expires,
            @Option(names = "--json", description = "Print JSON.") boolean json)
            throws CommandException {
        JsonObject renewal = expiring(new JsonObject().put("grace", grace), expires);
        return issued(
                admin.postFlags(TOKENS + "/" + AdminClient.encoded(name) + "/rotate", bytes(renewal), FLAGS)
                        .body(),
                json);
    }

    @Command(name = "revoke", description = "Revoke a token: it is no longer valid.", mixinStandardHelpOptions = true)
    int revoke(@Mixin AuditedClient admin, @Parameters(paramLabel = "NAME|ID") String name) throws CommandException {
        admin.delete(TOKENS + "/" + AdminClient.encoded(name));
        return print(name + ": revoked");
    }

    /** Prints the token alone to standard output, so that it can be redirected to a file. */
    private int issued(JsonObject token, boolean json) {
        if (json) {
            return print(token.encodePrettily());
        }
        String ends = token.getString("expires_at");
        String previous = token.getString("previous_until");
        err().println(token.getString("name") + ": " + token.getString("role")
                + (ends == null ? "" : ", until " + minute(ends))
                + (previous == null ? "" : "; the previous secret is valid until " + minute(previous))
                + ". It is shown only once:");
        err().flush();
        return print(token.getString("token"));
    }

    /** Adds an expiry: a text with dashes is a time, any other a duration. */
    private static JsonObject expiring(JsonObject body, @Nullable String expires) {
        return expires == null ? body : body.put(expires.contains("-") ? "expires_at" : "expires_in", expires);
    }

    private static byte[] bytes(JsonObject body) {
        return body.encode().getBytes(StandardCharsets.UTF_8);
    }

    /** {@code 2027-02-01 00:00}, or empty. */
    private static String minute(@Nullable String time) {
        return time == null || time.length() < 16 ? "" : time.substring(0, 16).replace('T', ' ');
    }

    private static String or(String text, String otherwise) {
        return text.isEmpty() ? otherwise : text;
    }
}
