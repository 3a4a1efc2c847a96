package dev.weir.server.command;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Asks a running server whether a request may pass. */
@Command(
        name = "check",
        description = "Ask a running server whether a request may pass; takes its hits if it may.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {"0:allowed", "1:denied", "2:no answer"},
        footer = {"", "Example: weir check api user_id=u_42 endpoint=/v1/charges"})
final class Check implements Callable<Integer> {
    private static final int CONNECT_MILLIS = 2_000;
    private static final int ANSWER_MILLIS = 5_000;
    private static final int DENIED = 1;

    @Mixin
    private AskedRequest request = new AskedRequest();

    @Option(
            names = "--hits",
            paramLabel = "N",
            description = "What the request takes; 0 only asks. Default: ${DEFAULT-VALUE}.",
            defaultValue = "1")
    private long hits;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "Address of the server, or WEIR_URL. Default: ${DEFAULT-VALUE}.",
            defaultValue = "${env:WEIR_URL:-http://localhost:8080}")
    private String url = "";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws Refusal {
        JsonObject answer = ask(question());
        PrintWriter out = spec.commandLine().getOut();
        out.println(Answer.describe(answer));
        out.flush();
        return answer.getBoolean("allowed") ? 0 : DENIED;
    }

    private JsonObject question() throws Refusal {
        return new JsonObject()
                .put("domain", request.domain())
                .put("descriptors", new JsonArray().add(new JsonObject().put("entries", request.descriptor())))
                .put("cost", hits);
    }

    private JsonObject ask(JsonObject question) throws Refusal {
        try {
            if (!(new URL(url + "/v1/ratelimit/check").openConnection() instanceof HttpURLConnection call)) {
                throw noAddress();
            }
            call.setConnectTimeout(CONNECT_MILLIS);
            call.setReadTimeout(ANSWER_MILLIS);
            call.setRequestMethod("POST");
            call.setRequestProperty("Content-Type", "application/json");
            call.setDoOutput(true);
            try (OutputStream body = call.getOutputStream()) {
                body.write(question.encode().getBytes(StandardCharsets.UTF_8));
            }
            return answer(call);
        } catch (MalformedURLException e) {
            throw noAddress();
        } catch (IOException e) {
            throw new Refusal("no answer from " + url + ": " + e.getMessage() + ". Is it running (weir serve)?");
        }
    }

    private Refusal noAddress() {
        return new Refusal("--url: \"" + url + "\" (expected: an address such as http://localhost:8080)");
    }

    private JsonObject answer(HttpURLConnection call) throws IOException, Refusal {
        int status = call.getResponseCode();
        try (InputStream body = status < 400 ? call.getInputStream() : call.getErrorStream()) {
            String text = body == null ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8);
            JsonObject answer = new JsonObject(text);
            if (answer.getValue("allowed") instanceof Boolean) {
                return answer;
            }
            String why = answer.getString("detail", answer.getString("title", "status " + status));
            throw new Refusal(url + " refuses the question: " + why);
        } catch (DecodeException e) {
            throw new Refusal(url + " is no Weir: it answered with status " + status + " and no JSON");
        }
    }
}
