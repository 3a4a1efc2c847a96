package dev.weir.server.command;

import dev.weir.server.command.client.CommandException;
import dev.weir.server.request.RequestWords;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
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
            description = "Attributes of the request, in the order of the descriptor; + begins the next descriptor.")
    private List<String> words = List.of();

    String domain() {
        return domain;
    }

    /** The entries of the only descriptor. */
    List<Map.Entry<String, String>> entries() throws CommandException {
        List<List<Map.Entry<String, String>>> descriptors = words().descriptors();
        if (descriptors.size() > 1) {
            throw new CommandException("+: several descriptors (expected: one, because each has counters of its own)");
        }
        return descriptors.get(0);
    }

    /** The descriptors in JSON: {@code [{"entries": [{"key": …, "value": …}]}]}. */
    JsonArray descriptors() throws CommandException {
        JsonArray descriptors = new JsonArray();
        for (List<Map.Entry<String, String>> entries : words().descriptors()) {
            JsonArray array = new JsonArray();
            entries.forEach(
                    each -> array.add(new JsonObject().put("key", each.getKey()).put("value", each.getValue())));
            descriptors.add(new JsonObject().put("entries", array));
        }
        return descriptors;
    }

    private RequestWords words() throws CommandException {
        try {
            return RequestWords.of(words);
        } catch (IllegalArgumentException e) {
            throw new CommandException(String.valueOf(e.getMessage()));
        }
    }
}
