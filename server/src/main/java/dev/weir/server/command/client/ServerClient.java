package dev.weir.server.command.client;

import dev.weir.server.tls.ClientTls;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Calls a running server, in clear text or over TLS. */
public class ServerClient {
    private static final int CONNECT_MILLIS = 5_000;
    private static final int ANSWER_MILLIS = 10_000;

    static {
        // A call that changes something must not be sent twice because its answer was lost.
        System.setProperty("sun.net.http.retryPost", "false");
    }

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "CA bundle (PEM) for the server's certificate, or WEIR_CA; without it, the JVM's.")
    private @Nullable Path authorities;

    @Option(names = "--cert", paramLabel = "FILE", description = "Client certificate (PEM).")
    private @Nullable Path certificate;

    @Option(names = "--key", paramLabel = "FILE", description = "Private key (PEM) of that certificate.")
    private @Nullable Path key;

    /** Made with the first call over TLS, for all of a command's calls. */
    private @Nullable SSLSocketFactory sockets;

    /** A call: {@code url} is the value of {@code option}, which should look like {@code example}. */
    public record Call(String option, String url, String example, String method, String path) {}

    /** An answer; {@code tag} is its {@code ETag}, or empty. */
    public record Answer(int status, String body, String tag) {}

    /**
     * Sends a call. Headers are names and values in turn. It uses {@link HttpURLConnection}, because {@code HttpClient}
     * has to start threads and needs 500 more classes, which takes longer than most calls.
     */
    public final Answer send(Call call, byte @Nullable [] body, List<String> headers) throws CommandException {
        String url = call.url();
        try {
            HttpURLConnection connection = connection(call);
            connection.setRequestMethod(call.method());
            for (int i = 0; i + 1 < headers.size(); i += 2) {
                connection.setRequestProperty(headers.get(i), headers.get(i + 1));
            }
            if (body != null) {
                connection.setRequestProperty("Content-Type", "application/json");
                connection.setDoOutput(true);
                try (OutputStream out = connection.getOutputStream()) {
                    out.write(body);
                }
            }
            return answer(connection);
        } catch (SSLException e) {
            throw new CommandException(
                    ExitCodes.UNREACHABLE,
                    "TLS error with " + url + ": " + e.getMessage()
                            + " (--ca sets the CA bundle, --cert and --key the client certificate)");
        } catch (ConnectException | UnknownHostException e) {
            throw new CommandException(
                    ExitCodes.UNREACHABLE,
                    "cannot connect to " + url + " (is the server running? weir serve starts one)");
        } catch (IOException e) {
            boolean clear = url.startsWith("http:") && !(e instanceof SocketTimeoutException);
            throw new CommandException(
                    ExitCodes.UNREACHABLE,
                    "no answer from " + url + ": " + e.getMessage()
                            + (clear ? " (if the port uses TLS: https" + url.substring("http".length()) + ")" : ""));
        }
    }

    private HttpURLConnection connection(Call call) throws IOException, CommandException {
        try {
            URI address = new URI(call.url() + call.path());
            boolean web = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
            if (web
                    && address.getHost() != null
                    && address.toURL().openConnection() instanceof HttpURLConnection connection) {
                connection.setConnectTimeout(CONNECT_MILLIS);
                connection.setReadTimeout(ANSWER_MILLIS);
                connection.setInstanceFollowRedirects(false);
                if (connection instanceof HttpsURLConnection secure) {
                    secure.setSSLSocketFactory(sockets());
                }
                return connection;
            }
        } catch (URISyntaxException | IllegalArgumentException e) {
            // said below
        }
        throw new CommandException(
                call.option() + ": \"" + call.url() + "\" (expected: an address such as " + call.example() + ")");
    }

    private static Answer answer(HttpURLConnection connection) throws IOException {
        int status = connection.getResponseCode();
        if (status < 0) {
            throw new IOException("it does not speak HTTP");
        }
        try (InputStream in = status >= 400 ? connection.getErrorStream() : connection.getInputStream()) {
            String tag = connection.getHeaderField("ETag");
            return new Answer(
                    status,
                    in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8),
                    tag == null ? "" : tag);
        }
    }

    private SSLSocketFactory sockets() throws CommandException {
        SSLSocketFactory made = sockets;
        if (made == null) {
            Path trusted = authorities == null ? path(System.getenv("WEIR_CA")) : authorities;
            if ((certificate == null) != (key == null)) {
                throw new CommandException("--cert without --key, or --key without --cert (expected: both)");
            }
            try {
                made = ClientTls.of(trusted, certificate, key).getSocketFactory();
            } catch (IOException e) {
                throw new CommandException(String.valueOf(e.getMessage()));
            }
            sockets = made;
        }
        return made;
    }

    public static @Nullable Path path(@Nullable String variable) {
        return variable == null || variable.isEmpty() ? null : Path.of(variable);
    }
}
