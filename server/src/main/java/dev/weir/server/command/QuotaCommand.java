package dev.weir.server.command;

import dev.weir.text.fields.Durations;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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

    private static final String QUOTAS = "/admin/v1/quotas/";
    private static final Pattern OVERRIDE = Pattern.compile("(.+)=([0-9]+)/([a-z]+)");

    @Command(name = "get", description = "Show a caller's quota and usage.", mixinStandardHelpOptions = true)
    int get(
            @Mixin AdminClient admin,
            @Parameters(paramLabel = "API_KEY") String apiKey,
            @Option(names = "--domain", paramLabel = "DOMAIN", description = "Domain of the usage.") @Nullable
                    String domain,
            @Option(names = "--json", description = "Print JSON.") boolean json)
            throws CommandException {
        JsonObject quota = admin.get(QUOTAS + AdminClient.encoded(apiKey)).body();
        String query = domain == null ? "" : "?domain=" + AdminClient.encoded(domain);
        JsonObject usage = admin.get("/admin/v1/usage/" + AdminClient.encoded(apiKey) + query)
                .body();
        if (json) {
            return print(quota.copy().put("usage", usage.getJsonObject("usage")).encodePrettily());
        }
        out().println(apiKey + ": tier " + quota.getString("tier")
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

    @Command(
            name = "set",
            description = "Set a caller's quota, replacing the current one.",
            mixinStandardHelpOptions = true)
    int set(
            @Mixin AuditedClient admin,
            @Parameters(paramLabel = "API_KEY") String apiKey,
            @Option(
                            names = "--tier",
                            paramLabel = "TIER",
                            description = "Tier of the caller, instead of the one in its requests; rules must know it.")
                    @Nullable
                    String tier,
            @Option(
                            names = "--override",
                            paramLabel = "DESCRIPTOR=N/UNIT",
                            description = "Limit of the caller that replaces a rule's; DESCRIPTOR is the rule's"
                                    + " name, its scope"
                                    + " (endpoint:POST /orders), or default for the tier's limit. Repeatable.")
                    @Nullable
                    List<String> overrides,
            @Option(
                            names = "--effective",
                            paramLabel = "DURATION|TIME",
                            description = "Start of the quota: 7d, or 2027-02-01T00:00:00Z. Without it, now.")
                    @Nullable
                    String effective,
            @Option(
                            names = "--expires",
                            paramLabel = "DURATION|TIME",
                            description = "End of the quota: 90d, or 2027-02-01T00:00:00Z. Without it, never.")
                    @Nullable
                    String expires,
            @Option(
                            names = {"-f", "--file"},
                            paramLabel = "FILE",
                            description = "File with the quota as JSON or YAML, instead of the options.")
                    @Nullable
                    Path file)
            throws CommandException {
        byte[] body = file == null
                ? quota(tier, overrides == null ? List.of() : overrides, effective, expires)
                        .encode()
                        .getBytes(StandardCharsets.UTF_8)
                : InputFile.read(file);
        String path = QUOTAS + AdminClient.encoded(apiKey);
        JsonObject now = (file == null ? admin.putFlags(path, body, FLAGS) : admin.put(path, body, null)).body();
        int count = now.getJsonObject("quotas").getJsonArray("overrides").size();
        return print(apiKey + ": tier " + now.getString("tier") + ", " + count
                + (count == 1 ? " override" : " overrides") + until(now));
    }

    private static String until(JsonObject quota) {
        return quota.getString("expires_at") == null ? "" : ", until " + quota.getString("expires_at");
    }

    private static JsonObject quota(
            @Nullable String tier, List<String> overrides, @Nullable String effective, @Nullable String expires)
            throws CommandException {
        JsonArray list = new JsonArray();
        for (String each : overrides) {
            Matcher matcher = OVERRIDE.matcher(each);
            if (!matcher.matches()) {
                throw new CommandException("--override: \"" + each + "\" (expected: DESCRIPTOR=N/UNIT, such as"
                        + " \"endpoint:POST /api/v1/orders=500/minute\")");
            }
            list.add(new JsonObject()
                    .put("descriptor", matcher.group(1))
                    .put("requests_per_unit", Long.parseLong(matcher.group(2)))
                    .put("unit", matcher.group(3)));
        }
        return new JsonObject()
                .put("tier", tier)
                .put("overrides", list)
                .put("effective_at", time("--effective", effective))
                .put("expires_at", time("--expires", expires));
    }

    /** Returns a time as it is, and converts a duration to a time from now; a time has dashes. */
    private static @Nullable String time(String option, @Nullable String text) throws CommandException {
        if (text == null || text.contains("-")) {
            return text;
        }
        try {
            return Instant.now()
                    .plus(Durations.micros(text), ChronoUnit.MICROS)
                    .truncatedTo(ChronoUnit.SECONDS)
                    .toString();
        } catch (IllegalArgumentException e) {
            throw new CommandException(option + ": \"" + text
                    + "\" (expected: a duration such as 90d, or a time like 2027-02-01T00:00:00Z)");
        }
    }

    @Command(name = "delete", description = "Delete a caller's quota.", mixinStandardHelpOptions = true)
    int delete(@Mixin AuditedClient admin, @Parameters(paramLabel = "API_KEY") String apiKey) throws CommandException {
        admin.delete(QUOTAS + AdminClient.encoded(apiKey));
        return print(apiKey + ": quota deleted");
    }
}
