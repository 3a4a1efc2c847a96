package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The permissions of each role. */
class RolesTest {
    @TempDir
    static Path folder;

    private static final Map<String, String> TOKENS = new HashMap<>();
    private static RunningServer server;

    @BeforeAll
    static void start() throws Exception {
        Path rules = Files.writeString(
                folder.resolve("api.yaml"),
                "{domain: api, rules: [{name: free, match: {tier: free}, limit: {requests: 1, window: 1h}}]}");
        server = RunningServer.with(rules, "data", folder.resolve("data").toString());
        String admin = AdminAccessServerTest.create(server, "admin", "admin");
        TOKENS.put("admin", admin);
        for (String each : new String[] {"viewer", "operator"}) {
            TOKENS.put(each, AdminAccessServerTest.create(server, each, each, AdminAccessServerTest.bearer(admin)));
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({
        "viewer, GET, /rlconfig, 200",
        "viewer, GET, /admin/v1/audit, 200",
        "viewer, GET, /v1/ratelimit/config, 200",
        "viewer, GET, /v1/counters?domain=api&user_id=u, 200",
        "viewer, PUT, /admin/v1/quotas/k, 403",
        "viewer, PUT, /v1/ratelimit/config/r, 403",
        "viewer, DELETE, /v1/counters?domain=api&user_id=u, 403",
        "viewer, POST, /admin/v1/tokens, 403",
        "viewer, GET, /admin/v1/tokens, 403",
        "operator, PUT, /admin/v1/quotas/k, 200",
        "operator, DELETE, /v1/counters?domain=api&user_id=u, 200",
        "operator, PUT, /v1/ratelimit/config/r, 403",
        "operator, POST, /admin/v1/tokens, 403",
        "operator, POST, /admin/v1/replay/r, 403",
        "operator, DELETE, /admin/v1/tokens/admin, 403",
        "operator, POST, /admin/v1/quotas/../tokens, 403",
        "operator, POST, /admin/v1/%74okens, 403",
        "admin, PUT, /v1/ratelimit/config/r, 200",
        "admin, POST, /admin/v1/tokens, 201",
        "admin, GET, /admin/v1/tokens, 200"
    })
    void aRoleMayDoWhatItsTableSays(String role, String method, String path, int status) throws Exception {
        HttpResponse<String> answer = AdminAccessServerTest.call(
                server, method, path, AdminAccessServerTest.bearer(TOKENS.getOrDefault(role, "")));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        if (status == 403) {
            assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
            assertThat(new JsonObject(answer.body()).getString("detail"))
                    .contains(" is required to ", "; the token " + role + " has the role " + role);
        }
    }
}
