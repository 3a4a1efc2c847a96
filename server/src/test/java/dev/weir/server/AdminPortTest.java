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
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
        HttpResponse<String> page = page();
        assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
                .startsWith("default-src 'none'; script-src 'self'; style-src 'self'");
        assertThat(page.body())
                .contains("content=\"" + running.server.http().port() + "\"")
                .doesNotContain("style=", "<script>", "onclick", "://");
        List<String> files = filesOf(page.body());
        assertThat(files)
                .hasSizeGreaterThan(20)
                .allMatch(each -> each.matches("/pages/[0-9a-f]{16}/[a-z-]+\\.(js|css)"));
        for (String each : files) {
            HttpResponse<String> file = running.admin("GET", each);
            assertThat(file.statusCode()).as(each).isEqualTo(200);
            if (!each.endsWith("/lit-html.js")) {
                assertThat(file.body())
                        .as(each)
                        .doesNotContain("innerHTML", "http://", "https://", "style=\"", "eval(");
            }
        }
        assertThat(filesOf(running.admin("GET", "/api").body())).hasSize(2);
        for (String each : List.of("/favicon.svg", "/favicon.ico")) {
            HttpResponse<String> icon = running.admin("GET", each);
            assertThat(icon.statusCode()).as(each).isEqualTo(200);
            assertThat(icon.headers().firstValue("Content-Type")).hasValue("image/svg+xml");
        }
        assertThat(running.admin("GET", "/pages/../openapi.json").statusCode()).isNotEqualTo(500);
        assertThat(running.admin("GET", "/pages/").statusCode()).isEqualTo(404);
    }

    /** A module that another imports is one that the page names: else a browser would learn of it late, or get 404. */
    @Test
    void thePageNamesEveryModuleThatIsImported() throws Exception {
        List<String> files = filesOf(page().body());
        for (String each : files) {
            Matcher imported = Pattern.compile("from '\\./([^']+)'|import '\\./([^']+)'")
                    .matcher(running.admin("GET", each).body());
            while (imported.find()) {
                String name = imported.group(1) == null ? imported.group(2) : imported.group(1);
                assertThat(files).as(each + " imports " + name).anyMatch(file -> file.endsWith("/" + name));
            }
        }
    }

    @Test
    void filesAreCompressedAndKeptForGoodAndPagesAreAskedForAgain() throws Exception {
        HttpResponse<String> page = page();
        assertThat(page.headers().firstValue("Cache-Control")).hasValue("no-cache");
        String tag = page.headers().firstValue("ETag").orElseThrow();
        assertThat(running.admin
                        .send(running.admin
                                .request("/")
                                .headers("Accept", "text/html", "If-None-Match", tag)
                                .GET())
                        .statusCode())
                .isEqualTo(304);
        String file = filesOf(page.body()).get(0);
        HttpResponse<String> plain = running.admin("GET", file);
        assertThat(plain.headers().firstValue("Cache-Control")).hasValue("public, max-age=31536000, immutable");
        assertThat(plain.headers().firstValue("Content-Encoding")).isEmpty();
        HttpResponse<String> gzip = running.admin.send(running.admin
                .request(file)
                .header("Accept-Encoding", "br, gzip")
                .GET());
        assertThat(gzip.headers().firstValue("Content-Encoding")).hasValue("gzip");
        assertThat(gzip.headers().firstValueAsLong("Content-Length").orElseThrow())
                .isLessThan(plain.headers().firstValueAsLong("Content-Length").orElseThrow());
        HttpResponse<String> refused = running.admin.send(running.admin
                .request(file)
                .header("Accept-Encoding", "gzip;q=0")
                .GET());
        assertThat(refused.headers().firstValue("Content-Encoding")).isEmpty();
        assertThat(running.admin("GET", file.replaceFirst("[0-9a-f]{16}", "0".repeat(16)))
                        .statusCode())
                .isEqualTo(404);
    }

    private static HttpResponse<String> page() throws Exception {
        return running.admin.send(running.admin
                .request("/")
                .header("Accept", "text/html,*/*;q=0.8")
                .GET());
    }

    private static List<String> filesOf(String page) {
        return Pattern.compile("/pages/[^\"]+")
                .matcher(page)
                .results()
                .map(MatchResult::group)
                .distinct()
                .toList();
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PUT    | Sec-Fetch-Site: cross-site                      | 403",
                "PUT    | Sec-Fetch-Site: same-site                       | 403",
                "PUT    | Sec-Fetch-Site: same-origin                     | 409",
                "PUT    | Origin: http://evil.example                     | 403",
                "PUT    | Origin: null                                    | 403",
                "PUT    | Origin: http://localhost:3000                   | 403",
                "PUT    | Origin: http://localhost                        | 409",
                "DELETE | Origin: http://evil.example                     | 403",
                "PATCH  | Origin: http://evil.example                     | 403",
                "PUT    | X-Nothing: of it                                | 409",
                "GET    | Origin: http://evil.example                     | 404",
                "GET    | Sec-Fetch-Site: cross-site                      | 404"
            })
    void aPageOfAnotherSiteMayNotChangeAnything(String method, String header, int status) throws Exception {
        String body = "{\"rate\":5,\"window\":\"1m\"}";
        String answer = raw(body, method + " /v1/ratelimit/config/r HTTP/1.1", "Host: localhost", header);
        assertThat(answer).startsWith("HTTP/1.1 " + status);
        assertThat(answer).doesNotContainIgnoringCase("access-control-");
    }

    @ParameterizedTest
    @CsvSource({
        "application/x-www-form-urlencoded, 415",
        "text/plain;charset=UTF-8, 415",
        "multipart/form-data; boundary=x, 415",
        "'', 415",
        "application/json, 409",
        "application/yaml, 409"
    })
    void whatAFormCanSendIsNoChange(String type, int status) throws Exception {
        String body = "{\"name\":\"r\",\"rate\":5,\"window\":\"1m\"}";
        String header = type.isEmpty() ? "X-Nothing: of it" : "Content-Type: " + type;
        assertThat(raw(body, "POST /ratelimit/rules HTTP/1.1", "Host: localhost", header))
                .startsWith("HTTP/1.1 " + status);
    }

    @Test
    void aBrowserThatAsksWhetherAnotherSiteMayIsNotToldSo() throws Exception {
        String answer = raw(
                "",
                "OPTIONS /v1/ratelimit/config/r HTTP/1.1",
                "Host: localhost",
                "Origin: http://evil.example",
                "Access-Control-Request-Method: PUT");
        assertThat(answer).startsWith("HTTP/1.1 403").doesNotContainIgnoringCase("access-control-");
    }

    /** By hand, for the JDK's client sets the Host itself. */
    private static int statusWithHost(String host) throws Exception {
        String answer = raw("", "GET /rlconfig HTTP/1.1", "Host: " + host);
        return Integer.parseInt(answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 ".length() + 3));
    }

    private static String raw(String body, String... head) throws Exception {
        try (Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), running.server.admin().port())) {
            OutputStream out = socket.getOutputStream();
            String length = "Content-Length: " + body.length();
            String request =
                    String.join("\r\n", head) + "\r\n" + String.join("\r\n", length, "Connection: close", "", body);
            out.write(request.getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
