package dev.weir.server.command;

import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.ServerClient;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Calls the HTTP port of a running server. */
final class HttpPortClient extends ServerClient {
    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "Address of the server, or WEIR_URL. Default: ${DEFAULT-VALUE}.",
            defaultValue = "${env:WEIR_URL:-http://localhost:${env:WEIR_HTTP_PORT:-${env:PORT:-8080}}}")
    private String url = "";

    /** The server that is called. */
    String url() {
        return url;
    }

    Answer call(String method, String path, byte @Nullable [] body) throws CommandException {
        return send(new Call("--url", url, "http://localhost:8080", method, path), body, List.of());
    }
}
