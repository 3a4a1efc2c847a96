package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The address that counts for a check whose {@code ip} the server derives. */
class CallerAddressTest {
    private static final String CHECK = "/v1/ratelimit/check";
    private static final String AUTO = "{\"ip\":\"auto\"}";

    @TempDir
    Path folder;

    private Path rules;

    @BeforeEach
    void rules() throws Exception {
        rules = Files.writeString(folder.resolve("api.yaml"), """
                domain: api
                rules:
                  - { name: each, key_by: ip, limit: { requests: 1, window: 1h } }
                """);
    }

    @Test
    void aTrustedProxySaysWhoTheCallerIsAndTheCallerCannot() throws Exception {
        try (RunningServer server = RunningServer.with(rules, "trusted_proxies", "127.0.0.1,10.0.0.0/8")) {
            assertThat(check(server, "203.0.113.7").statusCode()).isEqualTo(200);
            HttpResponse<String> denied = check(server, "1.1.1.1, 203.0.113.7, 10.0.0.2");
            assertThat(denied.statusCode())
                    .as("its own part of the header changes nothing")
                    .isEqualTo(429);
            assertThat(new JsonObject(denied.body()).getString("counter")).contains("203.0.113.7");
            assertThat(check(server, "203.0.113.8").statusCode()).isEqualTo(200);
            assertThat(server.http
                            .post(CHECK, AUTO, "Forwarded", "for=203.0.113.9")
                            .statusCode())
                    .as("the header that these proxies do not write; the caller is the proxy")
                    .isEqualTo(200);
            assertThat(server.http
                            .post(CHECK, AUTO, "Forwarded", "for=203.0.113.10")
                            .statusCode())
                    .isEqualTo(429);
        }
    }

    @Test
    void withoutTrustedProxiesTheCallerIsThePeer() throws Exception {
        try (RunningServer server = RunningServer.with(rules)) {
            assertThat(check(server, "203.0.113.7").statusCode()).isEqualTo(200);
            HttpResponse<String> denied = check(server, "203.0.113.8");
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(new JsonObject(denied.body()).getString("counter")).contains("127.0.0.1");
        }
    }

    private static HttpResponse<String> check(RunningServer server, String forwardedFor) throws Exception {
        return server.http.post(CHECK, AUTO, "X-Forwarded-For", forwardedFor);
    }
}
