package dev.weir.server.command;

import dev.weir.server.tls.ClientTls;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How commands reach the admin port of a running server. */
class AdminClient {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(10);

    @Option(
            names = "--admin",
            paramLabel = "URL",
            description = "Admin address of the server, or WEIR_ADMIN. Default: ${DEFAULT-VALUE}.",
            defaultValue = "${env:WEIR_ADMIN:-http://localhost:6070}")
    private String url = "";

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description =
                    "Token to present, or WEIR_TOKEN. Others on this machine can see it: better in a file or the environment.")
    private @Nullable String token;

    @Option(names = "--token-file", paramLabel = "FILE", description = "File that holds the token, or WEIR_TOKEN_FILE.")
    private @Nullable Path tokenFile;

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

    /** An answer of 200 to 299. */
    record Reply(JsonObject body, String tag) {}

    /** Why something is changed; null where nobody writes that down. */
    @Nullable
    String reason() {
        return null;
    }

    Reply get(String path) throws Refusal {
        return send("GET", path, null, List.of());
    }

    /** Everything of a list that comes in pages. */
    JsonArray all(String path, String what) throws Refusal {
        JsonArray all = new JsonArray();
        String after = "";
        while (after != null) {
            JsonObject page = get(path + "?limit=1000&after=" + encoded(after)).body();
            page.getJsonArray(what).forEach(all::add);
            after = page.getString("next");
        }
        return all;
    }

    Reply put(String path, byte[] body, @Nullable String tag) throws Refusal {
        return send("PUT", path, body, tag == null ? List.of() : List.of("If-Match", tag));
    }

    Reply post(String path, byte[] body) throws Refusal {
        return send("POST", path, body, List.of());
    }

    Reply delete(String path) throws Refusal {
        return send("DELETE", path, null, List.of());
    }

    private Reply send(String method, String path, byte @Nullable [] body, List<String> headers) throws Refusal {
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                    .timeout(ANSWER)
                    .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
            List<String> all = new ArrayList<>(headers);
            all.addAll(List.of("X-Weir-Author", ascii(System.getProperty("user.name", "unknown"))));
            String reason = reason();
            if (reason != null) {
                all.addAll(List.of("X-Weir-Reason", ascii(reason)));
            }
            String presented = presented();
            if (!presented.isEmpty()) {
                all.addAll(List.of("Authorization", "Bearer " + presented));
            }
            if (body != null) {
                all.addAll(List.of("Content-Type", "application/json"));
            }
            request.headers(all.toArray(String[]::new));
            return reply(client().send(request.build(), BodyHandlers.ofString()));
        } catch (IllegalArgumentException e) {
            throw new Refusal("--admin: \"" + url + "\" (expected: an address such as http://localhost:6070)");
        } catch (SSLException e) {
            throw new Refusal("no TLS with " + url + ": " + e.getMessage()
                    + " (--ca names who signs the server's certificate, --cert and --key what it may ask for)");
        } catch (ConnectException e) {
            throw new Refusal("no answer from " + url + ". Is it running (weir serve)?");
        } catch (IOException e) {
            throw new Refusal("no answer from " + url + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Refusal("interrupted");
        }
    }

    private HttpClient client() throws Refusal {
        HttpClient.Builder client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT);
        Path trusted = authorities == null ? path(System.getenv("WEIR_CA")) : authorities;
        if ((certificate == null) != (key == null)) {
            throw new Refusal("--cert and --key (expected: both)");
        }
        if (trusted == null && certificate == null) {
            return client.build();
        }
        try {
            return client.sslContext(ClientTls.of(trusted, certificate, key)).build();
        } catch (IOException e) {
            throw new Refusal(String.valueOf(e.getMessage()));
        }
    }

    /** The token to present; empty for none. */
    private String presented() throws Refusal {
        if (token != null && tokenFile != null) {
            throw new Refusal("--token beside --token-file (expected: one of them)");
        }
        String set = System.getenv("WEIR_TOKEN");
        Path file = tokenFile == null && set == null ? path(System.getenv("WEIR_TOKEN_FILE")) : tokenFile;
        String text;
        try {
            text = token != null ? token : file != null ? Files.readString(file) : set == null ? "" : set;
        } catch (IOException e) {
            throw new Refusal("the token cannot be read: " + e);
        }
        String presented = text.strip();
        if (!presented.matches("[!-~]*")) {
            throw new Refusal("the token holds what no token does (expected: one word)");
        }
        return presented;
    }

    private static @Nullable Path path(@Nullable String variable) {
        return variable == null || variable.isEmpty() ? null : Path.of(variable);
    }

    private Reply reply(HttpResponse<String> answer) throws Refusal {
        JsonObject body;
        try {
            body = answer.body().isEmpty() ? new JsonObject() : new JsonObject(answer.body());
        } catch (DecodeException e) {
            throw new Refusal(url + " is no admin port of Weir: it answered with status " + answer.statusCode());
        }
        if (answer.statusCode() >= 300) {
            JsonArray errors = body.getJsonArray("errors", new JsonArray());
            throw new Refusal(
                    errors.size() > 1
                            ? errors.stream().map(String::valueOf).collect(Collectors.joining("\n  ", "\n  ", ""))
                            : body.getString("detail", "status " + answer.statusCode()));
        }
        return new Reply(body, answer.headers().firstValue("ETag").orElse(""));
    }

    /** What a header can carry. */
    private static String ascii(String text) {
        return text.replaceAll("[^ -~]", "?");
    }

    static String encoded(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
