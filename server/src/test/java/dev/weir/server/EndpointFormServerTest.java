package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The spelling of endpoints through REST, gRPC and explain, with either {@code endpoint_form}. */
class EndpointFormServerTest {
    private static final List<String> SPELLINGS =
            List.of("/login?x=1", "/login/", "//login", "/%6cogin", "/./login", "/login;a=b", "/login#a");

    @TempDir
    private Path folder;

    private Path rules = Path.of("");

    @BeforeEach
    void write() throws Exception {
        rules = Files.writeString(folder.resolve("rules.yaml"), """
                domain: d
                rules:
                  - { name: exact, match: { endpoint: /login }, key_by: user_id, limit: { requests: 2, window: 1h } }
                  - { name: any, match: { endpoint: "POST /*" }, key_by: endpoint, limit: { requests: 2, window: 1h } }
                  - { name: case, match: { endpoint: /Case }, endpoint_case: ignore, limit: { requests: 1, window: 1h } }
                """);
    }

    private static int check(RunningServer server, String endpoint) throws Exception {
        return server.http
                .check(new JsonObject().put("user_id", "u").put("endpoint", endpoint))
                .statusCode();
    }

    private static JsonObject explained(RunningServer server, String endpoint) throws Exception {
        String body = new JsonObject()
                .put("domain", "d")
                .put("attributes", new JsonObject().put("endpoint", endpoint).put("user_id", "u"))
                .encode();
        return new JsonObject(server.admin.post("/admin/v1/explain", body).body());
    }

    @Test
    void theNormalFormHasOneCounterForAllSpellings() throws Exception {
        try (RunningServer server = RunningServer.with(rules)) {
            assertThat(check(server, "/login")).isEqualTo(200);
            assertThat(check(server, "/login")).isEqualTo(200);
            for (String each : SPELLINGS) {
                assertThat(check(server, each)).as(each).isEqualTo(429);
            }
            assertThat(server.grpc("d", "endpoint", "POST /a")).isEqualTo(1);
            assertThat(server.grpc("d", "endpoint", "post //a/?x")).isEqualTo(1);
            assertThat(server.grpc("d", "endpoint", "POST /a;v=1")).isEqualTo(2);
            JsonObject explained = explained(server, "//login?x=1");
            assertThat(explained.getString("endpoint_form")).isEqualTo("normal");
            assertThat(explained.getJsonObject("compared").getMap()).isEqualTo(java.util.Map.of("endpoint", "/login"));
        }
    }

    @Test
    void theRawFormTakesEverySpellingForAnotherEndpoint() throws Exception {
        try (RunningServer server = RunningServer.with(rules, "endpoint_form", "raw")) {
            assertThat(check(server, "/login")).isEqualTo(200);
            assertThat(check(server, "/login")).isEqualTo(200);
            assertThat(check(server, "/login")).isEqualTo(429);
            for (String each : SPELLINGS) {
                assertThat(check(server, each)).as(each).isEqualTo(200);
            }
            assertThat(server.grpc("d", "endpoint", "POST /a")).isEqualTo(1);
            assertThat(server.grpc("d", "endpoint", "POST /a")).isEqualTo(1);
            assertThat(server.grpc("d", "endpoint", "POST /a")).isEqualTo(2);
            assertThat(server.grpc("d", "endpoint", "POST /a?x")).isEqualTo(1);
            JsonObject explained = explained(server, "//login?x=1");
            assertThat(explained.getString("endpoint_form")).isEqualTo("raw");
            assertThat(explained.getJsonObject("compared").getMap()).isEmpty();
        }
    }

    @Test
    void aRuleMayIgnoreLetterCaseInEitherForm() throws Exception {
        for (String form : List.of("normal", "raw")) {
            try (RunningServer server = RunningServer.with(rules, "endpoint_form", form)) {
                assertThat(check(server, "/case")).as(form).isEqualTo(200);
                assertThat(check(server, "/CASE")).as(form).isEqualTo(429);
                assertThat(server.grpc("d", "endpoint", "/cAsE")).as(form).isEqualTo(2);
            }
        }
    }
}
