package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdminPortTest {
    @TempDir
    static Path folder;

    private static RunningServer running;

    @BeforeAll
    static void start() throws Exception {
        Files.writeString(folder.resolve("envoy.yaml"), """
                domain: edge
                descriptors:
                  - key: remote_address
                    rate_limit: {unit: minute, requests_per_unit: 100}
                  - key: path
                    value: /login
                    shadow_mode: true
                    descriptors:
                      - key: user
                        rate_limit: {unlimited: true}
                """);
        Files.writeString(folder.resolve("api.yaml"), """
                domain: api
                rules:
                  - name: writes
                    limit: { requests: 10, window: 90s, burst: 20 }
                """);
        running = RunningServer.with(folder);
    }

    @AfterAll
    static void stop() {
        running.close();
    }

    @Test
    void theRulesInForceAreShownAsTheReferenceShowsThem() throws Exception {
        assertThat(running.admin("GET", "/rlconfig").body().lines())
                .containsExactlyInAnyOrder(
                        "edge.remote_address: unit=MINUTE requests_per_unit=100, shadow_mode: false, quota_mode: false",
                        "edge.path_/login.user: unit=UNKNOWN requests_per_unit=0, unlimited: true, shadow_mode: false,"
                                + " quota_mode: false",
                        "api.writes: unit=UNKNOWN requests_per_unit=10, window: 90s, algorithm: token_bucket, burst: 20,"
                                + " shadow_mode: false, quota_mode: false");
    }

    @Test
    void theVersionIsThatOfTheBuild() throws Exception {
        assertThat(running.admin("GET", "/version").body())
                .matches(
                        "\\{\"version\":\"\\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\",\"commit\":(null|\"\\w+\"),\"java\":\"[^\"]+\"}");
    }

    @Test
    void aBrowserGetsPagesOfOursAloneAndAShellText() throws Exception {
        assertThat(running.admin("GET", "/").body()).startsWith("Weir's admin port");
        HttpResponse<String> page = running.admin.send(running.admin
                .request("/")
                .header("Accept", "text/html,*/*;q=0.8")
                .GET());
        assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
                .startsWith("default-src 'none'; script-src 'self'; style-src 'self'");
        assertThat(page.body())
                .contains("content=\"" + running.server.http().port() + "\"")
                .doesNotContain("style=", "<script>", "onclick", "://");
        for (String each : List.of("/api", "/pages/weir.css", "/pages/start.js", "/pages/api.js")) {
            HttpResponse<String> file = running.admin("GET", each);
            assertThat(file.statusCode()).as(each).isEqualTo(200);
            assertThat(file.body()).as(each).doesNotContain("innerHTML", "http://", "https://");
        }
        assertThat(running.admin("GET", "/pages/../openapi.json").statusCode()).isNotEqualTo(500);
        assertThat(running.admin("GET", "/pages/").statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource({"GET, /, 200", "HEAD, /rlconfig, 200", "POST, /rlconfig, 405", "DELETE, /, 405", "GET, /nothing, 404"})
    void itIsReadOnly(String method, String path, int status) throws Exception {
        assertThat(running.admin(method, path).statusCode()).isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({
        "localhost:6070, 200",
        "LOCALHOST, 200",
        "127.0.0.1:6070, 200",
        "127.1.2.3, 200",
        "[::1]:6070, 200",
        "evil.example, 403",
        "evil.example:6070, 403",
        "127.0.0.1.evil.example, 403",
        "localhost.evil.example, 403",
        "10.0.0.1, 403"
    })
    void aNameThatSomebodyElseCouldPointHereIsRefused(String host, int status) throws Exception {
        assertThat(statusWithHost(host)).isEqualTo(status);
    }

    /** By hand, for the JDK's client sets the Host itself. */
    private static int statusWithHost(String host) throws Exception {
        try (Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), running.server.admin().port())) {
            OutputStream out = socket.getOutputStream();
            out.write(("GET /rlconfig HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            String answer = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return Integer.parseInt(answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 ".length() + 3));
        }
    }
}
