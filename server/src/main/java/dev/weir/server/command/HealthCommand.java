package dev.weir.server.command;

import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.ExitCodes;
import dev.weir.server.command.client.ServerClient;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Asks a running server whether it is ready: the health check of the container image, which has no curl. */
@Command(
        name = "health",
        description = "Ask a running server whether it is ready.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {"0:ready", "1:not ready", "2:wrong arguments", "4:no answer"},
        footer = {"", "Example: weir health --url http://localhost:8080"})
final class HealthCommand implements Callable<Integer> {
    @Mixin
    private HttpPortClient server = new HttpPortClient();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws CommandException {
        ServerClient.Answer reply = server.call("GET", "/healthcheck", null);
        PrintWriter out = spec.commandLine().getOut();
        out.println(reply.body().strip());
        out.flush();
        return reply.status() == 200 ? ExitCodes.YES : ExitCodes.NO;
    }
}
