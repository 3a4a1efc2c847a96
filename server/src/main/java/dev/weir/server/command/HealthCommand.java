package dev.weir.server.command;

import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.ExitCodes;
import dev.weir.server.command.client.ServerClient;
import java.io.PrintWriter;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "Address of the server, or WEIR_URL. Default: ${DEFAULT-VALUE}.",
            defaultValue = "${env:WEIR_URL:-http://localhost:${env:WEIR_HTTP_PORT:-${env:PORT:-8080}}}")
    private String url = "";

    @Mixin
    private ServerClient server = new ServerClient();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws CommandException {
        HttpResponse<String> reply = server.send(
                new ServerClient.Call("--url", url, "http://localhost:8080", "GET", "/healthcheck"), null, List.of());
        PrintWriter out = spec.commandLine().getOut();
        out.println(reply.body().strip());
        out.flush();
        return reply.statusCode() == 200 ? ExitCodes.YES : ExitCodes.NO;
    }
}
