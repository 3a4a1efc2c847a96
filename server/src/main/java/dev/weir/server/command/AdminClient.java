package dev.weir.server.command;

import dev.weir.text.message.FileErrors;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How commands reach the admin port of a running server. */
class AdminClient extends ServerClient {
    private static final String UTF_8 = "UTF-8''";

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

    /** An answer of 200 to 299. */
    record Reply(JsonObject body, String tag) {}

    /** Why something is changed; null where nobody writes that down. */
    @Nullable
    String reason() {
        return null;
    }

    Reply get(String path) throws CommandException {
        return send("GET", path, null, List.of());
    }

    /** Everything of a list that comes in pages. */
    JsonArray all(String path, String what) throws CommandException {
        JsonArray all = new JsonArray();
        String after = "";
        while (after != null) {
            JsonObject page = get(path + "?limit=1000&after=" + encoded(after)).body();
            page.getJsonArray(what).forEach(all::add);
            after = page.getString("next");
        }
        return all;
    }

    Reply put(String path, byte[] body, @Nullable String tag) throws CommandException {
        return send("PUT", path, body, tag == null ? List.of() : List.of("If-Match", tag));
    }

    Reply post(String path, byte[] body) throws CommandException {
        return send("POST", path, body, List.of());
    }

    Reply delete(String path) throws CommandException {
        return send("DELETE", path, null, List.of());
    }

    private Reply send(String method, String path, byte @Nullable [] body, List<String> headers)
            throws CommandException {
        List<String> all = new ArrayList<>(headers);
        all.addAll(List.of("X-Weir-Author", carried(System.getProperty("user.name", "unknown"))));
        String reason = reason();
        if (reason != null) {
            all.addAll(List.of("X-Weir-Reason", carried(reason)));
        }
        String presented = presented();
        if (!presented.isEmpty()) {
            all.addAll(List.of("Authorization", "Bearer " + presented));
        }
        return reply(send(new Ask("--admin", url, "http://localhost:6070", method, path), body, all));
    }

    /** The token to present; empty for none. */
    private String presented() throws CommandException {
        if (token != null && tokenFile != null) {
            throw new CommandException("--token beside --token-file (expected: one of them)");
        }
        String set = System.getenv("WEIR_TOKEN");
        Path file = tokenFile == null && set == null ? path(System.getenv("WEIR_TOKEN_FILE")) : tokenFile;
        String text;
        try {
            text = token != null ? token : file != null ? Files.readString(file) : set == null ? "" : set;
        } catch (IOException e) {
            throw new CommandException("the token cannot be read: " + FileErrors.what(e));
        }
        String presented = text.strip();
        if (!presented.matches("[!-~]*")) {
            throw new CommandException("the token holds what no token does (expected: one word)");
        }
        return presented;
    }

    private Reply reply(HttpResponse<String> answer) throws CommandException {
        JsonObject body;
        try {
            body = answer.body().isEmpty() ? new JsonObject() : new JsonObject(answer.body());
        } catch (DecodeException e) {
            throw new CommandException(
                    url + " is no admin port of Weir: it answered with status " + answer.statusCode());
        }
        if (answer.statusCode() >= 300) {
            JsonArray errors = body.getJsonArray("errors", new JsonArray());
            throw new CommandException(
                    errors.size() > 1
                            ? errors.stream().map(String::valueOf).collect(Collectors.joining("\n  ", "\n  ", ""))
                            : body.getString("detail", "status " + answer.statusCode()));
        }
        return new Reply(body, answer.headers().firstValue("ETag").orElse(""));
    }

    /** As a header carries it: Java's client sends ASCII alone, so the rest goes as RFC 8187 has it. */
    private static String carried(String text) {
        return text.matches("[ -~]*") && !text.startsWith(UTF_8) ? text : UTF_8 + encoded(text);
    }

    static String encoded(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
