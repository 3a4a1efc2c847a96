package dev.weir.server.command.client;

import dev.weir.server.tls.ClientTls;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Calls a running server, in clear text or over TLS. */
public class ServerClient {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "CA bundle (PEM) for the server's certificate, or WEIR_CA; without it, the JVM's.")
    private @Nullable Path authorities;

    @Option(names = "--cert", paramLabel = "FILE", description = "Client certificate (PEM).")
    private @Nullable Path certificate;

    @Option(names = "--key", paramLabel = "FILE", description = "Private key (PEM) of that certificate.")
    private @Nullable Path key;

    /** Made with the first call, for all of a command's calls. */
    private @Nullable HttpClient client;

    /** A call: {@code url} is the value of {@code option}, which should look like {@code example}. */
    public record Call(String option, String url, String example, String method, String path) {}

    /** Sends a call. Headers are names and values in turn. */
    public final HttpResponse<String> send(Call call, byte @Nullable [] body, List<String> headers)
            throws CommandException {
        String url = call.url();
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + call.path()))
                    .timeout(ANSWER_TIMEOUT)
                    .method(call.method(), body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
            if (!headers.isEmpty()) {
                request.headers(headers.toArray(String[]::new));
            }
            if (body != null) {
                request.header("Content-Type", "application/json");
            }
            return client(url.startsWith("http:")).send(request.build(), BodyHandlers.ofString());
        } catch (IllegalArgumentException e) {
            throw new CommandException(
                    call.option() + ": \"" + url + "\" (expected: an address such as " + call.example() + ")");
        } catch (SSLException e) {
            throw new CommandException(
                    ExitCodes.UNREACHABLE,
                    "TLS error with " + url + ": " + e.getMessage()
                            + " (--ca sets the CA bundle, --cert and --key the client certificate)");
        } catch (ConnectException e) {
            throw new CommandException(
                    ExitCodes.UNREACHABLE,
                    "cannot connect to " + url + " (is the server running? weir serve starts one)");
        } catch (IOException e) {
            boolean clear = url.startsWith("http:") && !(e instanceof HttpTimeoutException);
            throw new CommandException(
                    ExitCodes.UNREACHABLE,
                    "no answer from " + url + ": " + e.getMessage()
                            + (clear ? " (if the port uses TLS: https" + url.substring("http".length()) + ")" : ""));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException(ExitCodes.UNREACHABLE, "interrupted");
        }
    }

    private HttpClient client(boolean clearText) throws CommandException {
        HttpClient made = client;
        if (made == null) {
            made = newClient(clearText);
            client = made;
        }
        return made;
    }

    private HttpClient newClient(boolean clearText) throws CommandException {
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT_TIMEOUT);
        Path trusted = authorities == null ? path(System.getenv("WEIR_CA")) : authorities;
        if ((certificate == null) != (key == null)) {
            throw new CommandException("--cert without --key, or --key without --cert (expected: both)");
        }
        try {
            if (clearText) {
                // Without a context of its own, the client would read all certificates that the JVM trusts.
                return builder.sslContext(ClientTls.none()).build();
            }
            return trusted == null && certificate == null
                    ? builder.build()
                    : builder.sslContext(ClientTls.of(trusted, certificate, key))
                            .build();
        } catch (IOException e) {
            throw new CommandException(String.valueOf(e.getMessage()));
        }
    }

    public static @Nullable Path path(@Nullable String variable) {
        return variable == null || variable.isEmpty() ? null : Path.of(variable);
    }
}
