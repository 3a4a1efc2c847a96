package dev.weir.server.command;

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

/** How commands reach a running server, in clear text or over TLS. */
class ServerClient {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(10);

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description =
                    "Authorities in PEM that sign the server's certificate, or WEIR_CA; without it, those of the JVM.")
    private @Nullable Path authorities;

    @Option(names = "--cert", paramLabel = "FILE", description = "Certificate in PEM to show to the server.")
    private @Nullable Path certificate;

    @Option(names = "--key", paramLabel = "FILE", description = "Private key of that certificate, in PEM.")
    private @Nullable Path key;

    /** What a command asks: {@code url} is the value of {@code option}, and should have been like {@code example}. */
    record Ask(String option, String url, String example, String method, String path) {}

    /** Headers are names and values in turn. */
    final HttpResponse<String> send(Ask ask, byte @Nullable [] body, List<String> headers) throws CommandException {
        String url = ask.url();
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + ask.path()))
                    .timeout(ANSWER)
                    .method(ask.method(), body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
            if (!headers.isEmpty()) {
                request.headers(headers.toArray(String[]::new));
            }
            if (body != null) {
                request.header("Content-Type", "application/json");
            }
            return client().send(request.build(), BodyHandlers.ofString());
        } catch (IllegalArgumentException e) {
            throw new CommandException(
                    ask.option() + ": \"" + url + "\" (expected: an address such as " + ask.example() + ")");
        } catch (SSLException e) {
            throw new CommandException("no TLS with " + url + ": " + e.getMessage()
                    + " (--ca names who signs the server's certificate, --cert and --key what it may ask for)");
        } catch (ConnectException e) {
            throw new CommandException("no answer from " + url + ". Is it running (weir serve)?");
        } catch (IOException e) {
            boolean clear = url.startsWith("http:") && !(e instanceof HttpTimeoutException);
            throw new CommandException("no answer from " + url + ": " + e.getMessage()
                    + (clear ? " (if that port speaks TLS: https" + url.substring("http".length()) + ")" : ""));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted");
        }
    }

    private HttpClient client() throws CommandException {
        HttpClient.Builder client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT);
        Path trusted = authorities == null ? path(System.getenv("WEIR_CA")) : authorities;
        if ((certificate == null) != (key == null)) {
            throw new CommandException("--cert and --key (expected: both)");
        }
        if (trusted == null && certificate == null) {
            return client.build();
        }
        try {
            return client.sslContext(ClientTls.of(trusted, certificate, key)).build();
        } catch (IOException e) {
            throw new CommandException(String.valueOf(e.getMessage()));
        }
    }

    static @Nullable Path path(@Nullable String variable) {
        return variable == null || variable.isEmpty() ? null : Path.of(variable);
    }
}
