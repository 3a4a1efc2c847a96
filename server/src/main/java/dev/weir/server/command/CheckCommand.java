package dev.weir.server.command;

import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.ExitCodes;
import dev.weir.server.command.client.ServerClient;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Asks a running server whether a request may pass. */
@Command(
        name = "check",
        description = "Ask a running server whether a request may pass; charges its hits if it may.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {"0:allowed", "1:denied", "2:wrong arguments", "3:no such domain", "4:no answer"},
        footer = {
            "",
            "Example: weir check api user_id=u_42 endpoint=/v1/charges",
            "Several descriptors, as Envoy sends them: weir check edge generic_key=all + remote_address=10.0.0.7"
        })
final class CheckCommand implements Callable<Integer> {
    @Mixin
    private RequestArguments request = new RequestArguments();

    @Option(
            names = "--hits",
            paramLabel = "N",
            description = "Hits to charge; 0 charges nothing. Default: 1, or what the rules' costs say.")
    private @Nullable Long hits;

    @Option(
            names = "--cost",
            paramLabel = "UNIT=N",
            description = "Hits of another unit to charge, such as output_tokens=800. May be repeated.")
    private Map<String, Long> costs = Map.of();

    @Option(names = "--json", description = "Print the server's JSON.")
    private boolean json;

    @Mixin
    private HttpPortClient server = new HttpPortClient();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws CommandException {
        JsonObject answer = ask(question());
        PrintWriter out = spec.commandLine().getOut();
        out.println(json ? answer.encodePrettily() : AnswerText.describe(answer));
        out.flush();
        if (answer.getString("reason", "").equals("unknown_domain")) {
            return ExitCodes.NOT_FOUND;
        }
        return answer.getBoolean("allowed") ? ExitCodes.YES : ExitCodes.NO;
    }

    private JsonObject question() throws CommandException {
        JsonObject question =
                new JsonObject().put("domain", request.domain()).put("descriptors", request.descriptors());
        if (hits != null && hits < 0) {
            throw new CommandException("--hits: " + hits + " (expected: a whole number >= 0)");
        }
        if (hits != null) {
            question.put("cost", hits);
        }
        return costs.isEmpty() ? question : question.put("costs", new JsonObject(new TreeMap<>(costs)));
    }

    private JsonObject ask(JsonObject question) throws CommandException {
        ServerClient.Answer reply =
                server.call("POST", "/v1/ratelimit/check", question.encode().getBytes(StandardCharsets.UTF_8));
        try {
            JsonObject answer = new JsonObject(reply.body());
            if (answer.getValue("allowed") instanceof Boolean) {
                return answer;
            }
            String why = answer.getString("detail", answer.getString("title", "status " + reply.status()));
            throw new CommandException(server.url() + " refused the request: " + why);
        } catch (DecodeException e) {
            throw new CommandException(server.url() + " is not a Weir server: it answered with status " + reply.status()
                    + " without JSON");
        }
    }
}
