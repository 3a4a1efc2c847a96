package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.server.lifecycle.StartException;
import dev.weir.server.settings.SettingsReader;
import dev.weir.testkit.ExternalPrograms;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Access to the admin port: which callers may do which things. */
public class AdminAccessServerTest {
    private static final String TOKENS = "/admin/v1/tokens";
    private static final String QUOTA = "/admin/v1/quotas/k";
    private static final String RULE = "/v1/ratelimit/config/r";
    private static final String COUNTERS = "/v1/counters?domain=api&user_id=u";
    private static final String FIXED = "00112233445566778899aabbccddeeff";
    private static final Map<String, String> BODIES = Map.of(
            QUOTA, "{\"tier\":\"free\"}",
            RULE, "{\"rate\":5,\"window\":\"1m\"}",
            TOKENS, "{\"name\":\"another\",\"role\":\"viewer\"}");

    @TempDir
    Path folder;

    private Path rules;

    @BeforeEach
    void rules() throws Exception {
        rules = Files.writeString(
                folder.resolve("api.yaml"), "{domain: api, tiers: {free: {requests: 9, window: 1s}}, rules: []}");
    }

    private RunningServer keeping(String... settings) throws Exception {
        String[] all = new String[settings.length + 2];
        System.arraycopy(settings, 0, all, 0, settings.length);
        all[settings.length] = "data";
        all[settings.length + 1] = folder.resolve("data").toString();
        return RunningServer.with(rules, all);
    }

    public static HttpResponse<String> call(RunningServer server, String method, String path, String... headers)
            throws Exception {
        String body = BODIES.get(path);
        HttpRequest.Builder request = server.admin
                .request(path)
                .method(
                        method,
                        body == null || method.equals("GET") ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .header("Content-Type", "application/json");
        return server.admin.send(headers.length == 0 ? request : request.headers(headers));
    }

    public static String[] bearer(String token) {
        return new String[] {"Authorization", "Bearer " + token};
    }

    public static String create(RunningServer server, String name, String role, String... headers) throws Exception {
        HttpResponse<String> made = server.admin.post(
                TOKENS, new JsonObject().put("name", name).put("role", role).encode(), headers);
        assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
        return new JsonObject(made.body()).getString("token");
    }

    @Test
    void fromThisMachineEverythingIsOpenUntilThereIsATokenForAdmins() throws Exception {
        try (RunningServer server = keeping()) {
            assertThat(call(server, "PUT", QUOTA).statusCode()).isEqualTo(200);
            create(server, "watcher", "viewer");
            assertThat(call(server, "PUT", QUOTA).statusCode()).isEqualTo(200);
            String admin = create(server, "ada", "admin");
            for (String each : List.of(QUOTA, RULE)) {
                HttpResponse<String> answer = call(server, "PUT", each);
                assertThat(answer.statusCode()).isEqualTo(403);
                assertThat(answer.body()).contains("calls without a token may only read");
            }
            assertThat(call(server, "DELETE", COUNTERS).statusCode()).isEqualTo(403);
            assertThat(call(server, "GET", TOKENS).statusCode()).isEqualTo(403);
            assertThat(call(server, "GET", RULE).statusCode()).isEqualTo(404);
            assertThat(call(server, "GET", "/rlconfig").statusCode()).isEqualTo(200);
            assertThat(call(server, "PUT", QUOTA, bearer(admin)).statusCode()).isEqualTo(200);
            assertThat(server.admin.delete(TOKENS + "/ada", bearer(admin)).statusCode())
                    .isEqualTo(204);
            assertThat(call(server, "PUT", QUOTA, bearer(admin)).statusCode()).isEqualTo(401);
            assertThat(call(server, "PUT", QUOTA).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void theAuditKnowsTheTokenAndMarksWhatIsOnlyClaimed() throws Exception {
        try (RunningServer server = keeping()) {
            call(server, "PUT", QUOTA, "X-Weir-Author", "a".repeat(200));
            String admin = create(server, "ci", "admin", "X-Weir-Author", "ada");
            call(
                    server,
                    "PUT",
                    QUOTA,
                    "Authorization",
                    "Bearer " + admin,
                    "X-Weir-Author",
                    "somebody else",
                    "X-Weir-Reason",
                    "a good one");
            JsonArray changes =
                    new JsonObject(server.admin.get("/admin/v1/audit").body()).getJsonArray("changes");
            assertThat(changes.stream().map(each -> ((JsonObject) each).getString("who")))
                    .containsExactly("a".repeat(190) + " (claimed)", "ada (claimed)", "ci");
            assertThat(changes.getJsonObject(2).getString("reason")).isEqualTo("a good one");
            assertThat(changes.getJsonObject(2).getString("from")).isEqualTo("127.0.0.1");
            assertThat(changes.encode()).doesNotContain(admin.substring(admin.lastIndexOf('_') + 1));
        }
    }

    @Test
    void aTokenIsShownOnceAndListedWithoutItsSecret() throws Exception {
        try (RunningServer server = keeping()) {
            String admin = create(server, "ada", "admin");
            assertThat(new JsonObject(call(server, "GET", "/admin/v1/whoami", bearer(admin))
                            .body()))
                    .isEqualTo(new JsonObject()
                            .put("name", "ada")
                            .put("role", "admin")
                            .put("token", true)
                            .put("address", "127.0.0.1"));
            String list = call(server, "GET", TOKENS, bearer(admin)).body();
            JsonObject listed = new JsonObject(list).getJsonArray("tokens").getJsonObject(0);
            assertThat(listed.getString("token")).isNull();
            assertThat(listed.getString("last_used_at")).isNotNull();
            assertThat(list).doesNotContain(admin.substring(admin.lastIndexOf('_') + 1));
            HttpResponse<String> rotated =
                    server.admin.post(TOKENS + "/ada/rotate", "{\"grace\":\"0s\"}", bearer(admin));
            assertThat(rotated.statusCode()).as(rotated.body()).isEqualTo(200);
            String next = new JsonObject(rotated.body()).getString("token");
            assertThat(call(server, "GET", TOKENS, bearer(admin)).statusCode()).isEqualTo(401);
            assertThat(call(server, "GET", TOKENS + "/ada", bearer(next)).statusCode())
                    .isEqualTo(200);
            HttpResponse<String> wrong = server.admin.post(
                    TOKENS, "{\"role\":\"root\",\"expires_in\":\"soon\",\"colour\":\"red\"}", bearer(next));
            assertThat(wrong.statusCode()).isEqualTo(400);
            assertThat(new JsonObject(wrong.body()).getJsonArray("errors")).hasSize(4);
        }
    }

    @Test
    void whileTheDatabaseWasNeverReachedARefusalSaysWhichTokenWorks() throws Exception {
        try (RunningServer server = RunningServer.with(rules, "db", "postgresql://u:p@localhost:1/weir")) {
            HttpResponse<String> valid = call(server, "PUT", QUOTA, bearer("weir_abcdefghij_" + "A".repeat(43)));
            assertThat(valid.statusCode()).isEqualTo(401);
            assertThat(valid.body()).contains("has not reached since its start", "WEIR_ADMIN_TOKEN");
            HttpResponse<String> none = call(server, "PUT", QUOTA);
            assertThat(none.statusCode()).isEqualTo(403);
            assertThat(none.body()).contains("while this server has not reached its database");
        }
    }

    @Test
    void aWrongTokenIsAnsweredWithAChallengeAndTooManyMustWait() throws Exception {
        try (RunningServer server = keeping()) {
            String admin = create(server, "ada", "admin");
            String wrong = admin.substring(0, admin.length() - 1) + (admin.endsWith("A") ? "B" : "A");
            HttpResponse<String> answer = call(server, "GET", "/rlconfig", bearer(wrong));
            assertThat(answer.statusCode()).isEqualTo(401);
            assertThat(answer.headers().firstValue("WWW-Authenticate"))
                    .contains("Bearer realm=\"weir\", error=\"invalid_token\"");
            assertThat(answer.body()).doesNotContain(wrong);
            assertThat(call(server, "GET", "/rlconfig", "Authorization", "Basic YTpi")
                            .statusCode())
                    .isEqualTo(401);
            HttpResponse<String> last = answer;
            for (int i = 0; i < 10; i++) {
                last = call(server, "GET", "/rlconfig", bearer(wrong));
            }
            assertThat(last.statusCode()).isEqualTo(429);
            assertThat(Long.parseLong(last.headers().firstValue("Retry-After").orElseThrow()))
                    .isBetween(1L, 6L);
            // Whoever guesses at one token holds up that one from there, and nothing else.
            assertThat(call(server, "GET", "/rlconfig", bearer(admin)).statusCode())
                    .isEqualTo(429);
            assertThat(call(server, "GET", "/rlconfig").statusCode()).isEqualTo(200);
            String metrics = server.http.get("/metrics").body();
            assertThat(metrics)
                    .contains("ratelimit_tokens 1.0", "ratelimit_admin_refused_total{reason=\"wrong_token\"} 11.0")
                    .contains("ratelimit_admin_refused_total{reason=\"throttled\"} 2.0");
        }
    }

    @Test
    void aScriptWithATokenThatWasRevokedDoesNotLockOutTheOperatorBesideIt() throws Exception {
        Path file = Files.writeString(folder.resolve("token"), FIXED);
        try (RunningServer server = keeping("admin_token_file", file.toString())) {
            String admin = create(server, "ada", "admin", bearer(FIXED));
            String old = create(server, "script", "viewer", bearer(admin));
            server.admin.delete(TOKENS + "/script", bearer(admin));
            for (int i = 0; i < 12; i++) {
                call(server, "GET", "/rlconfig", bearer(old));
            }
            assertThat(call(server, "GET", "/rlconfig", bearer(old)).statusCode())
                    .isEqualTo(429);
            for (String each : List.of(admin, FIXED)) {
                assertThat(call(server, "GET", "/rlconfig", bearer(each)).statusCode())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void withoutATokenNoOtherMachineMayReachThePort() {
        assertThatThrownBy(() -> RunningServer.with(rules, "admin_host", "0.0.0.0"))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("WEIR_ADMIN_TOKEN")
                .hasMessageContaining("weir token create");
        assertThatThrownBy(() -> keeping("admin_host", "0.0.0.0")).isInstanceOf(StartException.class);
        assertThatThrownBy(() -> keeping("admin_host", "0.0.0.0"))
                .as("the first has left the folder")
                .hasMessageContaining("WEIR_ADMIN_TOKEN");
    }

    @Test
    void fromAnotherAddressATokenIsNeededForEverythingButPagesWithoutDataInThem() throws Exception {
        try (RunningServer server = keeping()) {
            create(server, "ada", "admin");
        }
        InetAddress address = ofThisMachine();
        try (RunningServer server = keeping("admin_host", "0.0.0.0")) {
            for (String each : List.of("/", "/rlconfig", "/version", RULE, "/openapi.json", COUNTERS)) {
                HttpResponse<String> answer = from(address, server, each);
                assertThat(answer.statusCode()).as(each).isEqualTo(401);
                assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer realm=\"weir\"");
            }
            for (String each : List.of("/", "/api", "/favicon.svg")) {
                HttpResponse<String> page = from(address, server, each, "Accept", "text/html");
                assertThat(page.statusCode()).as(each).isEqualTo(200);
                assertThat(page.headers().firstValue("Content-Security-Policy"))
                        .as(each)
                        .hasValueSatisfying(policy -> assertThat(policy).startsWith("default-src 'none'"));
            }
            assertThat(from(address, server, "/rlconfig", "Accept", "text/html").statusCode())
                    .isEqualTo(401);
            assertThat(call(server, "GET", "/rlconfig").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void theTokenOfTheSettingsOpensWithoutADatabaseFromAnywhere() throws Exception {
        InetAddress address = ofThisMachine();
        Path file = Files.writeString(folder.resolve("token"), FIXED + "\n");
        try (RunningServer server =
                RunningServer.with(rules, "admin_host", "0.0.0.0", "admin_token_file", file.toString())) {
            assertThat(from(address, server, "/rlconfig").statusCode()).isEqualTo(401);
            assertThat(from(address, server, "/rlconfig", bearer(FIXED)).statusCode())
                    .isEqualTo(200);
            assertThat(call(server, "DELETE", COUNTERS).statusCode()).isEqualTo(403);
            assertThat(call(server, "DELETE", COUNTERS, bearer(FIXED)).statusCode())
                    .isEqualTo(200);
            assertThat(new JsonObject(call(server, "GET", "/admin/v1/whoami", bearer(FIXED))
                                    .body())
                            .getString("name"))
                    .isEqualTo("admin_token");
            String next = FIXED.replace('0', '9');
            Files.writeString(file, next);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(10))
                    .pollInterval(Duration.ofMillis(500)) // who tries wrong tokens faster is throttled
                    .until(() -> call(server, "DELETE", COUNTERS, bearer(next)).statusCode() == 200);
            assertThat(call(server, "DELETE", COUNTERS, bearer(FIXED)).statusCode())
                    .isEqualTo(401);
        }
        Files.writeString(file, "hunter2");
        assertThatThrownBy(() -> WeirServer.start(SettingsReader.read(
                        RunningServer.flags(rules, "admin_token_file", file.toString()), Map.of(), folder)))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("expected: a secret of at least 32 characters")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void whatAProxyPassesOnIsNotFromThisMachine() throws Exception {
        try (RunningServer server = keeping()) {
            assertThat(call(server, "GET", "/rlconfig", "X-Forwarded-For", "10.0.0.1")
                            .statusCode())
                    .isEqualTo(401);
            assertThat(call(server, "PUT", RULE, "Forwarded", "for=10.0.0.1").statusCode())
                    .isEqualTo(401);
            assertThat(call(server, "PUT", RULE, "X-Real-IP", "10.0.0.1").statusCode())
                    .isEqualTo(401);
            assertThat(call(server, "GET", "/rlconfig", "Via", "1.1 proxy").statusCode())
                    .isEqualTo(401);
            assertThat(call(server, "PUT", RULE, "X-Forwarded-Proto", "https").statusCode())
                    .isEqualTo(401);
        }
    }

    /** The request that nginx sends with a plain {@code proxy_pass http://127.0.0.1:6070}. */
    @Test
    void whatNginxPassesOnWithoutAnyHeaderIsNotFromThisMachine() throws Exception {
        try (RunningServer server = keeping()) {
            int port = server.server.admin().port();
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.getOutputStream()
                        .write(("PUT " + QUOTA + " HTTP/1.0\r\nHost: 127.0.0.1:" + port
                                        + "\r\nConnection: close\r\nContent-Type: application/json\r\n"
                                        + "Content-Length: 15\r\n\r\n{\"tier\":\"free\"}")
                                .getBytes(StandardCharsets.US_ASCII));
                String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(answer).contains(" 401 ", "through a proxy");
            }
        }
    }

    @Test
    void aProcessOfAnotherUserIsNotFromThisMachine() throws Exception {
        Path setpriv = ExternalPrograms.program("setpriv");
        Path curl = ExternalPrograms.program("curl");
        Assumptions.assumeTrue(
                (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0, "only root can be another user");
        try (RunningServer server = keeping()) {
            String url = "http://127.0.0.1:" + server.server.admin().port() + QUOTA;
            String[] put = {
                curl.toString(),
                "-s",
                "-m",
                "20",
                "-X",
                "PUT",
                "-H",
                "Content-Type: application/json",
                "-d",
                "{\"tier\":\"free\"}",
                url
            };
            assertThat(output(put)).contains("\"tier\":\"free\"");
            List<String> other = new ArrayList<>(
                    List.of(setpriv.toString(), "--reuid", "4711", "--regid", "4711", "--clear-groups"));
            other.addAll(List.of(put));
            assertThat(output(other.toArray(String[]::new))).contains("a process of another user");
        }
    }

    private static String output(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return text;
    }

    @Test
    void toGiveBackOverJsonTakesATokenOnceThereIsOne() throws Exception {
        String giveBack = "{\"domain\":\"api\",\"descriptors\":[{\"isNegativeHits\":true,\"hitsAddend\":1,"
                + "\"entries\":[{\"key\":\"user_id\",\"value\":\"u\"}]}]}";
        String take = giveBack.replace("true", "false");
        try (RunningServer server = keeping()) {
            assertThat(server.http.post("/json", giveBack).statusCode()).isEqualTo(200);
            String admin = create(server, "ada", "admin");
            String viewer = create(server, "watcher", "viewer", bearer(admin));
            String operator = create(server, "refunds", "operator", bearer(admin));
            assertThat(server.http.post("/json", giveBack).statusCode()).isEqualTo(401);
            assertThat(server.http.post("/json", giveBack, bearer(viewer)).statusCode())
                    .isEqualTo(403);
            assertThat(server.http.post("/json", giveBack, bearer(operator)).statusCode())
                    .isEqualTo(200);
            assertThat(server.http.post("/json", take).statusCode()).isEqualTo(200);
        }
    }

    private static HttpResponse<String> from(InetAddress address, RunningServer server, String path, String... headers)
            throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + address.getHostAddress() + ":"
                        + server.server.admin().port() + path))
                .timeout(Duration.ofSeconds(20));
        return HttpClient.newHttpClient()
                .send((headers.length == 0 ? request : request.headers(headers)).build(), BodyHandlers.ofString());
    }

    /** An address of this machine that is not loopback: to the server, another machine. */
    private static InetAddress ofThisMachine() throws Exception {
        Optional<InetAddress> found = Collections.list(NetworkInterface.getNetworkInterfaces()).stream()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(each -> each instanceof Inet4Address && !each.isLoopbackAddress())
                .findFirst();
        if (found.isEmpty()) {
            ExternalPrograms.missing("an address of this machine but loopback");
        }
        return found.get();
    }
}
