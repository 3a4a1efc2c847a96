package dev.weir.server.command.top;

import dev.weir.server.command.client.AdminClient;
import dev.weir.server.command.client.CommandException;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Explains a row of a table: which limits a caller meets, and why it was denied; or what a rule does. */
final class TopExplanation {
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss");

    private final AdminClient admin;

    TopExplanation(AdminClient admin) {
        this.admin = admin;
    }

    List<String> lines(TopView view, JsonObject row) throws CommandException {
        return view == TopView.RULES ? rule(row) : caller(row);
    }

    private List<String> caller(JsonObject row) throws CommandException {
        String title = row.getString("key", "") + " in domain " + row.getString("domain");
        JsonObject attributes = row.getJsonObject("attributes");
        if (row.getBoolean("hashed", false)) {
            return List.of(title, "", "Viewers see a hash in place of the caller. Use a token with the role operator.");
        }
        if (attributes == null || attributes.isEmpty()) {
            return List.of(title, "", "The server did not keep the attributes of this caller: they are too long.");
        }
        StringBuilder query = new StringBuilder("?domain=").append(AdminClient.encoded(row.getString("domain")));
        for (Map.Entry<String, Object> each : attributes) {
            query.append('&').append(AdminClient.encoded(each.getKey()));
            query.append('=').append(AdminClient.encoded(String.valueOf(each.getValue())));
        }
        JsonObject known = admin.get("/admin/v1/caller" + query).body();
        List<String> lines = new ArrayList<>(List.of(title));
        if (known.getString("tier") != null) {
            lines.add("tier " + known.getString("tier"));
        }
        lines.add("");
        known.getJsonArray("counters").forEach(each -> lines.add(counter((JsonObject) each, attributes)));
        known.getJsonArray("bans").forEach(each -> lines.add(ban((JsonObject) each)));
        lines.addAll(List.of("", "last denials"));
        known.getJsonArray("denials").forEach(each -> lines.add(denial((JsonObject) each)));
        return lines;
    }

    /** A limit of the caller with these {@code attributes}. A rule that asks for more is shown with what it asks for. */
    private static String counter(JsonObject counter, JsonObject attributes) {
        JsonObject limit = counter.getJsonObject("limit");
        String room = counter.getBoolean("has_room")
                ? TopView.amount(counter.getDouble("remaining")) + " left"
                : "over its limit, passes again in " + TopView.amount(counter.getDouble("retry_after")) + " s";
        String more = counter.getJsonObject("attributes", new JsonObject()).stream()
                .filter(each -> !attributes.containsKey(each.getKey()))
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(", "));
        String window = limit.getString("window", limit.getString("calendar"));
        return "  " + counter.getString("rule") + (more.isEmpty() ? "" : " (if " + more + ")") + ": "
                + TopView.amount(counter.getDouble("used")) + " of " + TopView.amount(limit.getDouble("requests"))
                + (window == null ? " at once" : " per " + window) + " used, " + room
                + (counter.getBoolean("shadow", false) ? " (shadow: denies nobody)" : "");
    }

    private static String ban(JsonObject ban) {
        return "  banned: " + ban.getString("attribute", "") + "=" + ban.getString("value", "") + ", "
                + ban.getString("reason", "no reason given");
    }

    private static String denial(JsonObject denial) {
        Instant at = Instant.ofEpochMilli(denial.getLong("at_ms"));
        return "  " + CLOCK.format(at.atZone(ZoneId.systemDefault())) + "  " + denial.getString("sentence");
    }

    private static List<String> rule(JsonObject row) {
        List<String> lines = new ArrayList<>(List.of(
                row.getString("rule") + " in domain " + row.getString("domain"),
                "",
                "  limit        " + row.getString("limit"),
                "  written in   " + row.getString("source"),
                "  last minute  " + TopView.amount(row.getDouble("allowed")) + " allowed, "
                        + TopView.amount(row.getDouble("denied")) + " denied, "
                        + TopView.amount(row.getDouble("degraded")) + " degraded"));
        JsonObject hour = row.getJsonObject("hour");
        if (hour != null) {
            lines.add("  last hour    " + TopView.amount(hour.getDouble("allowed")) + " allowed, "
                    + TopView.amount(hour.getDouble("denied")) + " denied, "
                    + TopView.amount(hour.getDouble("shadow_denied")) + " would have been denied in shadow");
        }
        JsonObject busiest = row.getJsonObject("busiest");
        if (busiest != null) {
            lines.add("  one caller   " + TopView.percent(busiest.getDouble("share")) + " of its traffic is "
                    + busiest.getString("key"));
        }
        return lines;
    }
}
