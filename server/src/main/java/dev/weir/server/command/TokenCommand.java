package dev.weir.server.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Who is let in on the admin port of a running server. */
@Command(
        name = "token",
        description = "Make, list, renew and take back the tokens that open the admin port.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example: weir token create ci --role operator --expires 90d"})
final class TokenCommand extends AdminCommandGroup {
    private static final String TOKENS = "/admin/v1/tokens";

    @Command(
            name = "create",
            description = "Make a token, and print it: nobody can tell it again.",
            mixinStandardHelpOptions = true)
    int create(
            @Mixin AuditedClient admin,
            @Parameters(paramLabel = "NAME", description = "What the audit calls its holder.") String name,
            @Option(
                            names = "--role",
                            required = true,
                            paramLabel = "ROLE",
                            description =
                                    "viewer looks; operator also changes quotas, switches and counters; admin does all.")
                    String role,
            @Option(
                            names = "--expires",
                            paramLabel = "DURATION|TIME",
                            description = "When it ends: 90d, or 2027-02-01T00:00:00Z. Without it, never.")
                    @Nullable
                    String expires,
            @Option(names = "--json", description = "As JSON.") boolean json)
            throws CommandException {
        JsonObject wanted = new JsonObject().put("name", name).put("role", role);
        return issued(admin.post(TOKENS, bytes(expiring(wanted, expires))).body(), json);
    }

    @Command(name = "list", description = "Every token, never its secret.", mixinStandardHelpOptions = true)
    int list(@Mixin AdminClient admin, @Option(names = "--json", description = "As JSON.") boolean json)
            throws CommandException {
        JsonArray all = admin.all(TOKENS, "tokens");
        if (json) {
            return said(all.encodePrettily());
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
        return said(table);
    }

    @Command(
            name = "rotate",
            description = "Give a token a new secret, and print it; the one before opens for a while.",
            mixinStandardHelpOptions = true)
    int rotate(
            @Mixin AuditedClient admin,
            @Parameters(paramLabel = "NAME|ID") String name,
            @Option(
                            names = "--grace",
                            paramLabel = "DURATION",
                            description =
                                    "How long the secret before still opens; 0s ends it at once. Default: ${DEFAULT-VALUE}.",
                            defaultValue = "1h")
                    String grace,
            @Option(
                            names = "--expires",
                            paramLabel = "DURATION|TIME",
                            description = "When it ends from now on. Without it, as before.")
                    @Nullable
                    String expires,
            @Option(names = "--json", description = "As JSON.") boolean json)
            throws CommandException {
        JsonObject renewal = expiring(new JsonObject().put("grace", grace), expires);
        return issued(
                admin.post(TOKENS + "/" + AdminClient.encoded(name) + "/rotate", bytes(renewal))
                        .body(),
                json);
    }

    @Command(
            name = "revoke",
            description = "Take a token back: it opens nothing from now on.",
            mixinStandardHelpOptions = true)
    int revoke(@Mixin AuditedClient admin, @Parameters(paramLabel = "NAME|ID") String name) throws CommandException {
        admin.delete(TOKENS + "/" + AdminClient.encoded(name));
        return said(name + " is revoked");
    }

    /** The token alone is on the standard output, so that it can go into a file. */
    private int issued(JsonObject token, boolean json) {
        if (json) {
            return said(token.encodePrettily());
        }
        String ends = token.getString("expires_at");
        String previous = token.getString("previous_until");
        err().println(token.getString("name") + ": " + token.getString("role")
                + (ends == null ? "" : ", until " + minute(ends))
                + (previous == null ? "" : "; the secret before opens until " + minute(previous))
                + ". It is shown this once:");
        err().flush();
        return said(token.getString("token"));
    }

    /** A duration begins like a number and has no dashes; a time has. */
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
