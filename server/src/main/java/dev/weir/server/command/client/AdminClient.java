package dev.weir.server.command.client;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Calls the admin port of a running server. */
public class AdminClient extends ServerClient {
    private static final String UTF_8 = "UTF-8''";

    /** Where an error of the server names the place of a mistake in the body. */
    private static final Pattern BODY = Pattern.compile("(?m)^( *)body(:\\d+:\\d+: )");

    @Option(
            names = "--admin",
            paramLabel = "URL",
            description = "Admin address of the server, or WEIR_ADMIN. Default: ${DEFAULT-VALUE}.",
            defaultValue = "${env:WEIR_ADMIN:-http://localhost:6070}")
    private String url = "";

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description = "Token to send, or WEIR_TOKEN. Other users of this machine can see the flag: prefer a file"
                    + " or the environment.")
    private @Nullable String token;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "File with the token, or WEIR_TOKEN_FILE; - for standard input.")
    private @Nullable Path tokenFile;

    /** A successful answer. */
    public record Reply(JsonObject body, String tag) {}

    /** The reason of a change; null if the command is not audited. */
    @Nullable
    public String reason() {
        return null;
    }

    /** The server that is called. */
    public String url() {
        return url;
    }

    /** Calls another server from now on. */
    public void url(String other) {
        url = other;
    }

    public Reply get(String path) throws CommandException {
        return send("GET", path, null, List.of());
    }

    /** As {@link #get}; null if there is nothing of this name. */
    @Nullable
    public Reply find(String path) throws CommandException {
        try {
            return get(path);
        } catch (CommandException e) {
            if (e.exitCode() == ExitCodes.NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }

    /** An answer that is not JSON. */
    public String getText(String path) throws CommandException {
        Answer answer = exchange("GET", path, null, List.of());
        if (answer.status() >= 300) {
            reply(answer); // throws the error
        }
        return answer.body();
    }

    /** All entries of a list, page by page. */
    public JsonArray all(String path, String what) throws CommandException {
        return all(path, "", what);
    }

    /** As {@link #all(String, String)}, with the parameters {@code query}, which may be empty. */
    public JsonArray all(String path, String query, String what) throws CommandException {
        JsonArray all = new JsonArray();
        String filter = query.isEmpty() ? "" : "&" + query;
        String after = "";
        while (after != null) {
            JsonObject page =
                    get(path + "?limit=1000&after=" + encoded(after) + filter).body();
            page.getJsonArray(what).forEach(all::add);
            after = page.getString("next");
        }
        return all;
    }

    public Reply put(String path, byte[] body, @Nullable String tag) throws CommandException {
        return send("PUT", path, body, tag == null ? List.of() : List.of("If-Match", tag));
    }

    /** As {@link #put}, of a body that stands in a file. Errors name {@code file}. */
    public Reply putFile(String path, byte[] body, @Nullable String tag, String file) throws CommandException {
        try {
            return put(path, body, tag);
        } catch (CommandException e) {
            throw e.saying(BODY.matcher(String.valueOf(e.getMessage()))
                    .replaceAll(found -> Matcher.quoteReplacement(found.group(1) + file + found.group(2))));
        }
    }

    public Reply post(String path, byte[] body) throws CommandException {
        return send("POST", path, body, List.of());
    }

    /**
     * As {@link #put}, of a body that was made of {@code flags}: member and flag. Errors name the flags.
     *
     * @param tag null to write in any case, empty to write only if there is nothing yet
     */
    public Reply putFlags(String path, byte[] body, @Nullable String tag, Map<String, String> flags)
            throws CommandException {
        try {
            return tag != null && tag.isEmpty()
                    ? send("PUT", path, body, List.of("If-None-Match", "*"))
                    : put(path, body, tag);
        } catch (CommandException e) {
            throw e.saying(FlagErrors.rename(String.valueOf(e.getMessage()), flags));
        }
    }

    /** As {@link #post}, of a body that was made of {@code flags}. */
    public Reply postFlags(String path, byte[] body, Map<String, String> flags) throws CommandException {
        try {
            return post(path, body);
        } catch (CommandException e) {
            throw e.saying(FlagErrors.rename(String.valueOf(e.getMessage()), flags));
        }
    }

    public Reply delete(String path) throws CommandException {
        return send("DELETE", path, null, List.of());
    }

    private Reply send(String method, String path, byte @Nullable [] body, List<String> headers)
            throws CommandException {
        return reply(exchange(method, path, body, headers));
    }

    private Answer exchange(String method, String path, byte @Nullable [] body, List<String> headers)
            throws CommandException {
        List<String> all = new ArrayList<>(headers);
        all.addAll(List.of("X-Weir-Author", headerValue(System.getProperty("user.name", "unknown"))));
        String reason = reason();
        if (reason != null) {
            all.addAll(List.of("X-Weir-Reason", headerValue(reason)));
        }
        String tokenToSend = tokenToSend();
        if (!tokenToSend.isEmpty()) {
            all.addAll(List.of("Authorization", "Bearer " + tokenToSend));
        }
        return send(new Call("--admin", url, "http://localhost:6070", method, path), body, all);
    }

    /** The token to send; empty for none. */
    private String tokenToSend() throws CommandException {
        if (token != null && tokenFile != null) {
            throw new CommandException("--token conflicts with --token-file (expected: one of them)");
        }
        String set = System.getenv("WEIR_TOKEN");
        Path file = tokenFile == null && set == null ? path(System.getenv("WEIR_TOKEN_FILE")) : tokenFile;
        if (token == null && file != null) {
            token = new String(InputFile.read(file), StandardCharsets.UTF_8); // once: - can be read only once
            tokenFile = null;
        }
        String text = token != null ? token : set == null ? "" : set;
        String tokenToSend = text.strip();
        if (!tokenToSend.matches("[!-~]*")) {
            throw new CommandException("the token contains invalid characters (expected: one word)");
        }
        return tokenToSend;
    }

    private Reply reply(Answer answer) throws CommandException {
        JsonObject body;
        try {
            body = answer.body().isEmpty() ? new JsonObject() : new JsonObject(answer.body());
        } catch (DecodeException e) {
            throw new CommandException(
                    url + " is not an admin port of Weir: it answered with status " + answer.status());
        }
        if (answer.status() >= 300) {
            JsonArray errors = body.getJsonArray("errors", new JsonArray());
            throw new CommandException(
                    exitCode(answer.status()),
                    errors.size() > 1
                            ? errors.stream().map(String::valueOf).collect(Collectors.joining("\n  ", "\n  ", ""))
                            : body.getString("detail", "status " + answer.status()));
        }
        return new Reply(body, answer.tag());
    }

    private static int exitCode(int status) {
        return status == 404 ? ExitCodes.NOT_FOUND : status >= 500 ? ExitCodes.UNREACHABLE : ExitCodes.USAGE;
    }

    /** Encodes text for a header. Java's client sends ASCII only, so other text is encoded as in RFC 8187. */
    private static String headerValue(String text) {
        return text.matches("[ -~]*") && !text.startsWith(UTF_8) ? text : UTF_8 + encoded(text);
    }

    public static String encoded(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /**
     * Renames the server's errors about a body that the command made of its flags: {@code body:1:81: expires_at: 'x'}
     * becomes {@code --expires: 'x'}. Whoever typed flags has never seen the body.
     */
    private static final class FlagErrors {
        private static final Pattern AT = Pattern.compile("(?m)^( *)body:\\d+:\\d+: (.*)$");

        private static final Pattern WORD = Pattern.compile("\\w+");

        private FlagErrors() {}

        /** Renames the errors in {@code message}; {@code flags} has the flag of each member of the body. */
        static String rename(String message, Map<String, String> flags) {
            return AT.matcher(message)
                    .replaceAll(found -> Matcher.quoteReplacement(found.group(1) + flag(found.group(2), flags)));
        }

        /** Names the flag of the member that {@code error} mentions first. */
        private static String flag(String error, Map<String, String> flags) {
            Matcher word = WORD.matcher(error.split("['\"(]", 2)[0]);
            while (word.find()) {
                String member = word.group();
                String flag = flags.get(member);
                if (flag != null) {
                    boolean leads = error.startsWith(member + ": ");
                    return flag + ": " + (leads ? error.substring(member.length() + 2) : error);
                }
            }
            return error;
        }
    }
}
