package dev.weir.server.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.HttpCaller;
import dev.weir.server.RunningServer;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Every {@code curl} of the documentation is sent as it stands, page by page in their order, and is answered well. */
class DocumentedCurlTest {
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    /** At the beginning of a line; what is in quotes may go over several. */
    private static final Pattern COMMAND = Pattern.compile("(?m)^curl((?:'[^']*'|\\\\\\n|[^'\\n#])*)");

    @TempDir
    static Path folder;

    private static RunningServer running;

    @BeforeAll
    static void start() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), """
                domain: api
                key_by: api_key
                tiers: { enterprise: { requests: 5000, window: 1m } }
                rules: [{ name: orders, match: { endpoint: "POST /api/v1/orders" }, limit: { requests: 20, window: 1m } }]
                """);
        running = RunningServer.with(rules, "data", folder.resolve("data").toString());
    }

    @AfterAll
    static void stop() {
        running.close();
    }

    @TestFactory
    Stream<DynamicTest> isAnswered() {
        return Stream.of("sh", "bash")
                .flatMap(language -> DocumentationPages.blocks(language).stream())
                .flatMap(block -> COMMAND.matcher(block.text())
                        .results()
                        .map(match -> DynamicTest.dynamicTest(
                                block.place() + match.group(),
                                () -> assertThat(status(words(match.group(1)))).isBetween(200, 299))));
    }

    private static List<String> words(String command) {
        return WORD.matcher(command.replace("\\\n", " "))
                .results()
                .map(word -> word.group(1) == null ? word.group(2) : word.group(1))
                .toList();
    }

    private static int status(List<String> words) throws Exception {
        String method = "";
        String url = "";
        String body = "";
        String type = "application/x-www-form-urlencoded"; // curl's own
        for (Iterator<String> rest = words.iterator(); rest.hasNext(); ) {
            String word = rest.next();
            switch (word) {
                case "-i" -> {} // prints the head
                case "-X" -> method = rest.next();
                case "-d" -> body = rest.next();
                case "-H" -> type = rest.next().replaceFirst("^content-type: ", "");
                default -> {
                    method = word.startsWith("-X") ? word.substring(2) : method;
                    url = word.startsWith("-X") ? url : word;
                }
            }
        }
        HttpCaller port = url.startsWith("localhost:6070/") ? running.admin : running.http;
        HttpRequest.Builder request = port.request(url.replaceFirst("^localhost:(6070|8080)", ""));
        if (!body.isEmpty()) {
            request.header("content-type", type);
        }
        String asked = !method.isEmpty() ? method : body.isEmpty() ? "GET" : "POST";
        return port.send(request.method(asked, BodyPublishers.ofString(body))).statusCode();
    }
}
