package dev.weir.server.command;

import dev.weir.server.command.client.AdminClient;
import dev.weir.server.command.client.AuditedClient;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.terminal.TextTable;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Switches rules, or all rules, on, off or into shadow, on a running server and on all that share its database or
 * Redis.
 */
@Command(
        name = "switch",
        description = {
            "Switch a rule, or all rules, off, into shadow (counted, never denied) or on; without a rule, list"
                    + " the switches.",
            "release removes a switch: the rule's own mode applies again."
        },
        mixinStandardHelpOptions = true,
        customSynopsis = {
            "weir switch [OPTIONS]",
            "weir switch RULE|all on|off|shadow|release [OPTIONS]",
            "weir switch RULE rollout PERCENT [OPTIONS]"
        },
        footer = {"", "Example: weir switch orders rollout 25 --reason \"launch\"", "         weir switch all shadow"})
final class SwitchCommand implements Callable<Integer> {
    private static final String SWITCHES = "/admin/v1/switches";
    private static final List<String> STATES = List.of("on", "off", "shadow");

    @Mixin
    private final AuditedClient admin = new AuditedClient();

    @Parameters(arity = "0..3", paramLabel = "RULE|all STATE", description = "Rule, and the state to switch it to.")
    private List<String> words = List.of();

    @Option(
            names = "--domain",
            paramLabel = "DOMAIN",
            description = "Domain of the rule, if several domains have a rule of that name.")
    private @Nullable String domain;

    @Option(
            names = "--local",
            description = "Switch this server only, without the database or Redis; other servers follow"
                    + " when the database is reachable.")
    private boolean local;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws CommandException {
        if (words.isEmpty()) {
            return list();
        }
        String word = words.size() == 1 ? "" : words.get(1);
        boolean rollout = word.equals("rollout");
        if ((!rollout && !STATES.contains(word) && !word.equals("release")) || words.size() != (rollout ? 3 : 2)) {
            // Other commands take the domain first; this one takes it as an option, because few need it.
            boolean domainFirst = words.size() == 3
                    && (STATES.contains(words.get(2)) || words.get(2).equals("release"));
            String meant = domainFirst
                    ? "; did you mean weir switch " + words.get(1) + " " + words.get(2) + " --domain " + words.get(0)
                            + "?"
                    : "";
            throw new CommandException("\"" + String.join(" ", words) + "\" (expected: " + words.get(0)
                    + " on, off, shadow, release or rollout PERCENT" + meant + ")");
        }
        String path = SWITCHES + "/" + AdminClient.encoded(words.get(0)) + "?local=" + local
                + (domain == null ? "" : "&domain=" + AdminClient.encoded(domain));
        if (word.equals("release")) {
            return print(admin.delete(path).body());
        }
        JsonObject body =
                rollout ? new JsonObject().put("rollout", percent(words.get(2))) : new JsonObject().put("state", word);
        return print(admin.put(path, body.encode().getBytes(StandardCharsets.UTF_8), null)
                .body());
    }

    private static BigDecimal percent(String text) throws CommandException {
        try {
            return new BigDecimal(text.endsWith("%") ? text.substring(0, text.length() - 1) : text);
        } catch (NumberFormatException e) {
            throw new CommandException(
                    "rollout: \"" + text + "\" (expected: a percentage from 0 to 100, like 25 or 0.5)");
        }
    }

    private int print(JsonObject done) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(done.encodePrettily());
        } else {
            String what = done.getString("domain") == null ? "all rules" : name(done);
            out.println(what + ": " + state(done) + where(done.getString("via")));
            if (done.getString("caveat") != null) {
                out.println(done.getString("caveat"));
            }
        }
        out.flush();
        return 0;
    }

    private static String name(JsonObject one) {
        return one.getString("label", one.getString("rule"));
    }

    private static String state(JsonObject one) {
        String state = one.getString("state");
        Object rollout = one.getValue("rollout");
        return state == null ? "not switched" : rollout == null ? state : "rolled out to " + rollout + " %";
    }

    private static String where(String via) {
        return switch (via) {
            case "redis" -> ", through Redis (the database is unreachable)";
            case "local" -> ", on this server only until the database is reachable";
            default -> "";
        };
    }

    private int list() throws CommandException {
        JsonArray all = admin.all(SWITCHES, "switches");
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(all.encodePrettily());
        } else if (all.isEmpty()) {
            out.println("no switches are set");
        } else {
            TextTable table = new TextTable("DOMAIN", "RULE", "STATE", "SINCE", "BY", "VIA", "REASON");
            all.forEach(one -> {
                JsonObject each = (JsonObject) one;
                table.row(
                        each.getString("domain") == null ? "" : each.getString("domain"),
                        name(each),
                        state(each),
                        each.getString("updated_at"),
                        each.getString("updated_by"),
                        each.getString("via"),
                        each.getString("reason"));
            });
            table.print(out);
        }
        out.flush();
        return 0;
    }
}
