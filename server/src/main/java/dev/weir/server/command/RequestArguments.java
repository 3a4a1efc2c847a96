package dev.weir.server.command;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Parameters;

/** The request that a command's arguments describe. */
final class RequestArguments {
    @Parameters(index = "0", paramLabel = "DOMAIN", description = "Domain of the rules.")
    private String domain = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "key=value",
            description = "Attributes of the request, in the order of the descriptor.")
    private List<String> words = List.of();

    String domain() {
        return domain;
    }

    List<Map.Entry<String, String>> entries() throws CommandException {
        List<Map.Entry<String, String>> entries = new ArrayList<>();
        for (String each : words) {
            int equals = each.indexOf('=');
            if (equals < 1) {
                throw new CommandException("\"" + each + "\" (expected: key=value)");
            }
            entries.add(Map.entry(each.substring(0, equals), each.substring(equals + 1)));
        }
        return entries;
    }

    /** The entries as a descriptor in JSON. */
    JsonArray descriptor() throws CommandException {
        JsonArray descriptor = new JsonArray();
        for (Map.Entry<String, String> each : entries()) {
            descriptor.add(new JsonObject().put("key", each.getKey()).put("value", each.getValue()));
        }
        return descriptor;
    }
}
