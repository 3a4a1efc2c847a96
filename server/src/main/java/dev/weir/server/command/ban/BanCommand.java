package dev.weir.server.command.ban;

import dev.weir.server.command.client.AdminClient;
import dev.weir.server.command.client.AdminCommandGroup;
import dev.weir.server.command.client.AuditedClient;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.CommandTime;
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

/** Bans, shadow bans and exempts callers on a running server, and on all that share its database or Redis. */
@Command(
        name = "ban",
        description = "Ban callers by any attribute, shadow ban them, or exempt them from bans.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Example: weir ban add ip=192.0.2.0/24 --for 24h --reason \"credential stuffing\"",
            "         weir ban remove ip=192.0.2.0/24"
        })
public final class BanCommand extends AdminCommandGroup {
    private static final String BANS = "/admin/v1/bans";

    /** The flag that each member of the body comes from. */
    private static final Map<String, String> FLAGS = Map.of(
            "attribute", "ATTRIBUTE=VALUE",
            "value", "ATTRIBUTE=VALUE",
            "domain", "--domain",
            "expires_at", "--for",
            "reason", "--reason");

    @Command(
            name = "add",
            description = {
                "Ban a caller: its requests are denied with 403. Replaces the caller's last ban.",
                "With --shadow they pass, charge nothing, and only the upstream is told. With --allow, bans and"
                        + " escalation do not apply to the caller; limits do."
            },
            mixinStandardHelpOptions = true)
    int add(
            @Mixin AuditedClient admin,
            @Parameters(
                            paramLabel = "ATTRIBUTE=VALUE",
                            description = "Attribute of requests and its value: ip=192.0.2.1, ip=2001:db8::/48,"
                                    + " user_id=u_42.")
                    String subject,
            @Option(names = "--for", paramLabel = "DURATION|TIME", description = "End: 24h, 2027-02-01T00:00:00Z.")
                    @Nullable
                    String until,
            @Option(names = "--domain", paramLabel = "DOMAIN", description = "Only in this domain.") @Nullable
                    String domain,
            @Option(names = "--shadow", description = "Shadow ban.") boolean shadow,
            @Option(names = "--allow", description = "Exempt the caller from bans.") boolean allow)
            throws CommandException {
        if (shadow && allow) {
            throw new CommandException("--shadow conflicts with --allow (expected: one of them)");
        }
        int equals = separator(subject);
        JsonObject body = new JsonObject()
                .put("attribute", subject.substring(0, equals))
                .put("value", subject.substring(equals + 1))
                .put("domain", domain)
                .put("kind", shadow ? "shadow" : allow ? "allow" : "ban")
                .put("expires_at", until == null ? null : CommandTime.future("--for", until));
        return print(admin.postFlags(BANS, body.encode().getBytes(StandardCharsets.UTF_8), FLAGS)
                .body());
    }

    @Command(name = "list", description = "List the bans in force.", mixinStandardHelpOptions = true)
    int list(@Mixin AdminClient admin, @Option(names = "--json", description = "Print JSON.") boolean json)
            throws CommandException {
        JsonArray bans = admin.all(BANS, "bans");
        if (json) {
            return print(bans.encodePrettily());
        }
        if (bans.isEmpty()) {
            return print("nobody is banned");
        }
        TextTable table = new TextTable("CALLER", "KIND", "DOMAIN", "UNTIL", "BY", "REASON");
        bans.forEach(each -> {
            JsonObject ban = (JsonObject) each;
            table.row(
                    ban.getString("attribute") + "=" + ban.getString("value"),
                    ban.getString("kind"),
                    shown(ban.getString("domain")),
                    shown(ban.getString("expires_at")),
                    ban.getString("updated_by"),
                    ban.getString("reason"));
        });
        return print(table);
    }

    @Command(
            name = "remove",
            description = "Remove the bans of a caller, or its exemption, whether an operator or a rule made them.",
            mixinStandardHelpOptions = true)
    int remove(
            @Mixin AuditedClient admin,
            @Parameters(paramLabel = "ATTRIBUTE=VALUE", description = "Caller, as it was banned.") String subject,
            @Option(names = "--domain", paramLabel = "DOMAIN", description = "Domain of the ban, if it has one.")
                    @Nullable
                    String domain)
            throws CommandException {
        int equals = separator(subject);
        return print(admin.delete(BANS + "?attribute=" + AdminClient.encoded(subject.substring(0, equals)) + "&value="
                        + AdminClient.encoded(subject.substring(equals + 1))
                        + (domain == null ? "" : "&domain=" + AdminClient.encoded(domain)))
                .body());
    }

    private static int separator(String subject) throws CommandException {
        int equals = subject.indexOf('=');
        if (equals < 1 || equals == subject.length() - 1) {
            throw new CommandException(
                    "\"" + subject + "\" (expected: ATTRIBUTE=VALUE, such as ip=192.0.2.1 or user_id=u_42)");
        }
        return equals;
    }

    private int print(JsonObject done) {
        String kind = done.getString("kind");
        String until = done.getString("expires_at");
        String what = done.getString("attribute") + "=" + done.getString("value") + ": ";
        String caveat = done.getString("caveat");
        return print(what
                + (kind == null ? "removed" : word(kind) + (until == null ? "" : " until " + until))
                + (caveat == null ? "" : "\n" + caveat));
    }

    private static String word(String kind) {
        return switch (kind) {
            case "shadow" -> "shadow banned";
            case "allow" -> "exempt from bans";
            default -> "banned";
        };
    }

    private static String shown(@Nullable String text) {
        return text == null ? "-" : text;
    }
}
