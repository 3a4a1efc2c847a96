package dev.weir.server.command;

import dev.weir.server.command.client.AdminClient;
import dev.weir.server.command.client.AdminCommandGroup;
import dev.weir.server.command.client.AuditedClient;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.CommandTime;
import dev.weir.server.command.client.InputFile;
import dev.weir.server.terminal.TextTable;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows and changes callers' quotas on a running server. */
@Command(
        name = "quota",
        description = "Show and change callers' quotas: their tier, and limits of their own.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Example: weir quota set abc123 --tier enterprise",
            "           --override \"endpoint:POST /api/v1/orders=500/minute\" --expires 2026-12-31T00:00:00Z"
        })
final class QuotaCommand extends AdminCommandGroup {
    /** The flag that each member of the body comes from. */
    private static final Map<String, String> FLAGS = Map.of(
            "tier", "--tier",
            "descriptor", "--override",
            "requests_per_unit", "--override",
            "unit", "--override",
            "effective_at", "--effective",
            "expires_at", "--expires");

    private static final String QUOTAS = "/admin/v1/quotas";
    private static final Pattern OVERRIDE = Pattern.compile("(.+)=([0-9]+)/([a-z_]+)");

    @Command(name = "get", description = "Show a caller's quota and usage.", mixinStandardHelpOptions = true)
    int get(
            @Mixin AdminClient admin,
            @Parameters(paramLabel = "API_KEY") String apiKey,
            @Option(names = "--domain", paramLabel = "DOMAIN", description = "Domain of the usage.") @Nullable
                    String domain,
            @Option(names = "--json", description = "Print JSON.") boolean json)
            throws CommandException {
        JsonObject quota = admin.get(QUOTAS + "/" + AdminClient.encoded(apiKey)).body();
        String query = domain == null ? "" : "?domain=" + AdminClient.encoded(domain);
        JsonObject usage = admin.get("/admin/v1/usage/" + AdminClient.encoded(apiKey) + query)
                .body();
        if (json) {
            return print(quota.copy().put("usage", usage.getJsonObject("usage")).encodePrettily());
        }
        out().println(apiKey + ": " + tier(quota)
                + (quota.getBoolean("in_force") ? "" : ", not in force")
                + until(quota));
        TextTable table = new TextTable("DESCRIPTOR", "USED", "LIMIT", "REMAINING", "RULE");
        JsonObject each = usage.getJsonObject("usage");
        each.fieldNames().forEach(name -> {
            JsonObject one = each.getJsonObject(name);
            table.row(
                    name,
                    String.valueOf(one.getValue("used")),
                    String.valueOf(one.getValue("limit")),
                    String.valueOf(one.getValue("remaining")),
                    String.valueOf(one.getValue("rule")));
        });
        return print(table);
    }

    @Command(name = "list", description = "List callers' quotas, by API key.", mixinStandardHelpOptions = true)
    int list(
            @Mixin AdminClient admin,
            @Option(names = "--tier", paramLabel = "TIER", description = "Only callers of this tier.") @Nullable
                    String tier,
            @Option(names = "--json", description = "Print JSON.") boolean json)
            throws CommandException {
        JsonArray quotas = admin.all(QUOTAS, tier == null ? "" : "tier=" + AdminClient.encoded(tier), "quotas");
        if (json) {
            return print(quotas.encodePrettily());
        }
        TextTable table =
                new TextTable("API_KEY", "TIER", "OVERRIDES", "IN FORCE", "EFFECTIVE", "EXPIRES", "CHANGED BY");
        quotas.forEach(each -> {
            JsonObject quota = (JsonObject) each;
            table.row(
                    quota.getString("api_key"),
                    shown(quota.getString("tier")),
                    String.valueOf(quota.getJsonObject("quotas")
                            .getJsonArray("overrides")
                            .size()),
                    quota.getBoolean("in_force") ? "yes" : "no",
                    shown(quota.getString("effective_at")),
                    shown(quota.getString("expires_at")),
                    shown(quota.getString("updated_by")));
        });
        return print(table);
    }

    private static String shown(@Nullable String text) {
        return text == null ? "-" : text;
    }

    /** The flags of {@code quota set}. */
    static final class Changes {
        @Option(
                names = "--tier",
                paramLabel = "TIER",
                description = "Tier of the caller, instead of the one in its requests; rules must name it.")
        private @Nullable String tier;

        @Option(
                names = "--override",
                paramLabel = "DESCRIPTOR=N/UNIT",
                description = "Limit of the caller that replaces a rule's; DESCRIPTOR is the rule's name, its scope"
                        + " (endpoint:POST /orders), or default for the tier's limit. Repeatable.")
        private List<String> overrides = List.of();

        @Option(names = "--remove-override", paramLabel = "DESCRIPTOR", description = "Override to remove. Repeatable.")
        private List<String> removed = List.of();

        @Option(
                names = "--effective",
                paramLabel = "DURATION|TIME",
                description = "Start of the quota: 7d, 2027-02-01T00:00:00Z, or now.")
        private @Nullable String effective;

        @Option(
                names = "--expires",
                paramLabel = "DURATION|TIME",
                description = "End of the quota: 90d, 2027-02-01T00:00:00Z, or never.")
        private @Nullable String expires;

        private boolean isEmpty() {
            return tier == null && overrides.isEmpty() && removed.isEmpty() && effective == null && expires == null;
        }

        /** The body of {@code quota}, as the server shows it, with these changes. */
        private JsonObject applyTo(JsonObject quota) throws CommandException {
            JsonObject body = new JsonObject()
                    .put("tier", tier == null ? quota.getString("tier") : tier)
                    .put("overrides", overrides(quota))
                    .put("effective_at", quota.getString("effective_at"))
                    .put("expires_at", quota.getString("expires_at"));
            if (effective != null) {
                body.put("effective_at", effective.equals("now") ? null : CommandTime.future("--effective", effective));
            }
            if (expires != null) {
                body.put("expires_at", expires.equals("never") ? null : CommandTime.future("--expires", expires));
            }
            return body;
        }

        private JsonArray overrides(JsonObject quota) throws CommandException {
            Map<String, JsonObject> byDescriptor = new LinkedHashMap<>();
            quota.getJsonObject("quotas", new JsonObject())
                    .getJsonArray("overrides", new JsonArray())
                    .forEach(each -> byDescriptor.put(((JsonObject) each).getString("descriptor"), (JsonObject) each));
            for (String each : removed) {
                if (byDescriptor.remove(each) == null) {
                    throw new CommandException("--remove-override: \"" + each + "\" (expected: one of the caller's"
                            + " overrides: " + String.join(", ", byDescriptor.keySet()) + ")");
                }
            }
            for (String each : overrides) {
                Matcher matcher = OVERRIDE.matcher(each);
                if (!matcher.matches()) {
                    throw new CommandException("--override: \"" + each + "\" (expected: DESCRIPTOR=N/UNIT, such as"
                            + " \"endpoint:POST /api/v1/orders=500/minute\")");
                }
                byDescriptor.put(
                        matcher.group(1),
                        new JsonObject()
                                .put("descriptor", matcher.group(1))
                                .put("requests_per_unit", new BigInteger(matcher.group(2)))
                                .put("unit", matcher.group(3)));
            }
            return new JsonArray(List.copyOf(byDescriptor.values()));
        }
    }

    @Command(
            name = "set",
            description = "Change a caller's quota. Parts that are not given stay as they are; a file replaces all.",
            mixinStandardHelpOptions = true)
    int set(
            @Mixin AuditedClient admin,
            @Parameters(paramLabel = "API_KEY") String apiKey,
            @Mixin Changes changes,
            @Option(
                            names = {"-f", "--file"},
                            paramLabel = "FILE",
                            description = "File with the whole quota as JSON or YAML, instead of the options; - for"
                                    + " standard input.")
                    @Nullable
                    Path file)
            throws CommandException {
        String path = QUOTAS + "/" + AdminClient.encoded(apiKey);
        if (changes.isEmpty() == (file == null)) {
            throw new CommandException(
                    file == null
                            ? "nothing to change (expected: --tier, --override, --remove-override, --effective,"
                                    + " --expires or --file)"
                            : "--file conflicts with the other options: the file has the whole quota");
        }
        AdminClient.Reply reply = file == null
                ? change(admin, path, changes)
                : admin.putFile(path, InputFile.read(file), null, InputFile.name(file));
        JsonObject now = reply.body();
        int count = now.getJsonObject("quotas").getJsonArray("overrides").size();
        return print(apiKey + ": " + tier(now) + ", " + count + (count == 1 ? " override" : " overrides") + until(now));
    }

    /** Writes the quota with {@code changes}, unless somebody else changed it since it was read. */
    private static AdminClient.Reply change(AuditedClient admin, String path, Changes changes) throws CommandException {
        AdminClient.Reply before = admin.find(path);
        JsonObject body = changes.applyTo(before == null ? new JsonObject() : before.body());
        byte[] bytes = body.encode().getBytes(StandardCharsets.UTF_8);
        return admin.putFlags(path, bytes, before == null ? "" : before.tag(), FLAGS);
    }

    private static String tier(JsonObject quota) {
        return quota.getString("tier") == null ? "no tier" : "tier " + quota.getString("tier");
    }

    private static String until(JsonObject quota) {
        return quota.getString("expires_at") == null ? "" : ", until " + quota.getString("expires_at");
    }

    @Command(name = "delete", description = "Delete a caller's quota.", mixinStandardHelpOptions = true)
    int delete(@Mixin AuditedClient admin, @Parameters(paramLabel = "API_KEY") String apiKey) throws CommandException {
        admin.delete(QUOTAS + "/" + AdminClient.encoded(apiKey));
        return print(apiKey + ": quota deleted");
    }
}
