package dev.weir.server.command;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows and forgets the counters that a request meets, by way of a server's admin port. */
@Command(
        name = "counter",
        description = "Show or reset the counters that a request meets.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example: weir counter get api user_id=u_42 endpoint=/v1/charges"})
final class Counters implements Runnable {
    private static final int CONNECT_MILLIS = 2_000;
    private static final int ANSWER_MILLIS = 10_000;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "get or reset?");
    }

    @Command(name = "get", description = "Show the counters that a request meets.", mixinStandardHelpOptions = true)
    int get(
            @Parameters(index = "0", paramLabel = "DOMAIN", description = "Domain of the rules.") String domain,
            @Parameters(
                            index = "1..*",
                            arity = "1..*",
                            paramLabel = "key=value",
                            description = "What is known of the request.")
                    List<String> entries,
            @Option(
                            names = "--url",
                            paramLabel = "URL",
                            description = "Admin port of the server, or WEIR_ADMIN_URL. Default: ${DEFAULT-VALUE}.",
                            defaultValue = "${env:WEIR_ADMIN_URL:-http://localhost:6070}")
                    String url,
            @Option(names = "--json", description = "Print the answer as it came.") boolean json)
            throws Refusal {
        return show(call("GET", url, domain, entries), json, false);
    }

    @Command(
            name = "reset",
            description = "Forget the counters that a request meets: every limit is as good as new.",
            mixinStandardHelpOptions = true)
    int reset(
            @Parameters(index = "0", paramLabel = "DOMAIN", description = "Domain of the rules.") String domain,
            @Parameters(
                            index = "1..*",
                            arity = "1..*",
                            paramLabel = "key=value",
                            description = "What is known of the request.")
                    List<String> entries,
            @Option(
                            names = "--url",
                            paramLabel = "URL",
                            description = "Admin port of the server, or WEIR_ADMIN_URL. Default: ${DEFAULT-VALUE}.",
                            defaultValue = "${env:WEIR_ADMIN_URL:-http://localhost:6070}")
                    String url,
            @Option(names = "--json", description = "Print the answer as it came.") boolean json)
            throws Refusal {
        return show(call("DELETE", url, domain, entries), json, true);
    }

    private int show(JsonObject answer, boolean asJson, boolean reset) {
        PrintWriter out = spec.commandLine().getOut();
        if (asJson) {
            out.println(answer.encodePrettily());
        } else {
            table(answer.getJsonArray("counters"), reset).forEach(out::println);
        }
        out.flush();
        return 0;
    }

    private static List<String> table(JsonArray counters, boolean reset) {
        List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {"RULE", "COUNTER", "STORE", "USED", "LIMIT", "RESETS IN", reset ? "RESET" : "NAME"});
        for (int i = 0; i < counters.size(); i++) {
            JsonObject each = counters.getJsonObject(i);
            rows.add(new String[] {
                each.getString("rule"),
                each.getString("counter", ""),
                each.getString("store", ""),
                each.getValue("used") == null ? "?" : String.valueOf(each.getLong("used")),
                String.valueOf(each.getLong("limit", 0L)),
                each.getValue("reset_in") == null ? "?" : each.getDouble("reset_in") + " s",
                reset ? (each.getBoolean("existed", false) ? "yes" : "was new") : each.getString("name", "")
            });
        }
        if (rows.size() == 1) {
            return List.of("no rule counts such a request");
        }
        List<String> lines = new ArrayList<>();
        for (String[] row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.length; column++) {
                int at = column;
                int width =
                        rows.stream().mapToInt(each -> each[at].length()).max().orElse(0);
                line.append(row[column]).append(" ".repeat(width - row[column].length() + 2));
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    private static JsonObject call(String method, String url, String domain, List<String> entries) throws Refusal {
        StringBuilder query = new StringBuilder("domain=").append(encoded(domain));
        for (String each : entries) {
            int equals = each.indexOf('=');
            if (equals < 1) {
                throw new Refusal("\"" + each + "\" (expected: key=value)");
            }
            query.append('&')
                    .append(encoded(each.substring(0, equals)))
                    .append('=')
                    .append(encoded(each.substring(equals + 1)));
        }
        try {
            HttpURLConnection call = (HttpURLConnection) new URL(url + "/v1/counters?" + query).openConnection();
            call.setConnectTimeout(CONNECT_MILLIS);
            call.setReadTimeout(ANSWER_MILLIS);
            call.setRequestMethod(method);
            int status = call.getResponseCode();
            try (InputStream body = status < 400 ? call.getInputStream() : call.getErrorStream()) {
                String text = body == null ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8);
                JsonObject answer = new JsonObject(text);
                if (status == 200) {
                    return answer;
                }
                throw new Refusal(url + " refuses: " + answer.getString("detail", "status " + status));
            }
        } catch (DecodeException e) {
            throw new Refusal(url + " is no admin port of Weir: it answered with no JSON");
        } catch (MalformedURLException | ClassCastException e) {
            throw new Refusal("--url: \"" + url + "\" (expected: an address such as http://localhost:6070)");
        } catch (IOException e) {
            throw new Refusal("no answer from " + url + ": " + e.getMessage() + ". Is it running (weir serve)?");
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
