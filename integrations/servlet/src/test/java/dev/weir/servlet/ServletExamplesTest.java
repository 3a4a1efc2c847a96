package dev.weir.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.RuleSet;
import dev.weir.Weir;
import dev.weir.http.HttpLimiter;
import dev.weir.rules.Rules;
import jakarta.servlet.http.HttpServlet;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The Java of docs/servlet.md, as it stands there. */
class ServletExamplesTest {
    private static final Path PAGE = Path.of("../../docs/servlet.md");

    @Test
    void theFilterOfThePageLimits() throws Exception {
        Path rules = Path.of("rules.yaml");
        String page = Files.readString(PAGE);
        int start = page.indexOf("```yaml\n") + "```yaml\n".length();
        Files.writeString(rules, page.substring(start, page.indexOf("```", start)));
        try {
            Weir weir = Weir.open(Rules.file(Path.of("rules.yaml")));
            WeirFilter filter = new WeirFilter(HttpLimiter.builder(weir).build());
            try (weir;
                    Container container = Container.tomcat(filter, Map.of("/", new HttpServlet() {}))) {
                HttpRequest call = HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:" + container.port() + "/orders"))
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build();
                assertThat(HttpClient.newHttpClient()
                                .send(call, HttpResponse.BodyHandlers.discarding())
                                .headers()
                                .firstValue("RateLimit-Policy"))
                        .hasValue("\"orders\";q=100;w=1");
            }
        } finally {
            Files.delete(rules);
        }
    }

    @Test
    void failedLoginsAreCharged() {
        try (Weir weir = Weir.open(RuleSet.builder("app")
                .rule("all", Limit.fixedWindow(1, Duration.ofHours(1)))
                .domain("failed-logins")
                .rule("failures", Limit.fixedWindow(1, Duration.ofHours(1)))
                .build())) {
            HttpLimiter limiter = HttpLimiter.builder(weir)
                    .domain("app")
                    .chargeAfter("failed-logins", (call, status) -> status == 401 ? 1 : 0)
                    .build();
            assertThat(limiter).isNotNull();
        }
    }
}
