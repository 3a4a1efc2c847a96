package dev.weir.server.command;

import static java.time.temporal.ChronoUnit.DAYS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.weir.server.RunningServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules, quotas and audit from the command line. */
class ControlCommandTest extends AtTheTerminal {
    @TempDir
    static Path folder;

    private static RunningServer running;

    @BeforeAll
    static void start() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), """
                domain: api
                key_by: api_key
                tiers:
                  enterprise: { requests: 5000, window: 1m }
                  pro: { requests: 500, window: 1m }
                rules:
                  - name: orders
                    match: { endpoint: "POST /orders/*", tier: [pro, enterprise] }
                    key_by: [api_key, ip]
                    limit: { requests: 100, window: 1m, algorithm: sliding_window, sub_windows: 6 }
                    on_fail: deny
                    deadline: 5ms
                  - match: { endpoint: "/a/b%2Fc" }
                    limit: { requests: 7, window: 1h, burst: 9 }
                """);
        running = RunningServer.with(rules, "data", folder.resolve("data").toString());
    }

    @AfterAll
    static void stop() {
        running.close();
    }

    @Test
    void aRuleIsComparedPutListedShownAndDeleted() throws Exception {
        Path rule =
                Files.writeString(folder.resolve("rule.yaml"), "rate: 100\nwindow: 1m\nkey_pattern: user:{user_id}\n");
        assertThat(run("rules", "diff", "r_abc", "-f", rule.toString())).isZero();
        assertThat(out.toString()).contains("+     \"requests\" : 100");
        assertThat(run("rules", "put", "r_abc", "-f", rule.toString(), "--reason", "launch"))
                .isZero();
        assertThat(out.toString()).contains("r_abc is active, version ");
        assertThat(run("rules", "list")).isZero();
        assertThat(out.toString())
                .containsPattern("DOMAIN +RULE +STATUS +LIMIT +ALGORITHM +MATCH +KEY +SOURCE")
                .containsPattern("api +r_abc +active +100 per 1m +token_bucket +everything +user_id +database")
                .containsPattern("api +endpoint=/a/b%2Fc +active +7 per 1h, burst 9 +token_bucket +endpoint=/a/b%2Fc"
                        + " +api_key +.*rules.yaml:")
                .containsPattern("api +orders +active +100 per 1m +sliding_window"
                        + " +endpoint=POST /orders/\\*, tier=pro\\|enterprise +api_key:ip +.*rules.yaml:")
                .containsPattern("api +tier:enterprise +active +5000 per 1m +token_bucket +tier=enterprise +api_key"
                        + " +.*rules.yaml:4:3");
        assertThat(run("rules", "list", "--json")).isZero();
        assertThat(new JsonArray(out.toString())).hasSize(5);
        assertThat(run("rules", "sources")).isZero();
        assertThat(out.toString())
                .containsPattern("SOURCE +RULES +OVERRIDDEN +STATE +VERSION +CHANGED")
                .containsPattern("rules.yaml +4 +0 +in force +\\S+T\\d\\d:\\d\\d:\\d\\dZ\n")
                .containsPattern("database +1 +0 +in force");
        String sources = out.toString();
        assertThat(run("rules", "sources")).isZero();
        assertThat(out.toString()).isEqualTo(sources);
        assertThat(run("rules", "get", "r_abc")).isZero();
        Path shown = Files.writeString(folder.resolve("shown.json"), out.toString());
        assertThat(run("rules", "diff", "r_abc", "-f", shown.toString())).isZero();
        assertThat(out.toString()).isEqualTo("no change" + System.lineSeparator());
        assertThat(run("rules", "put", "r_abc", "-f", rule.toString(), "--if-match", "999"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("it is at version");
        assertThat(run("rules", "delete", "r_abc")).isZero();
        assertThat(out.toString().strip()).isEqualTo("r_abc is deleted from the database");
        assertThat(run("rules", "delete", "r_abc")).isEqualTo(3);
        assertThat(err.toString()).contains("there is no rule r_abc in the database");
        assertThat(run("rules", "get", "oders")).isEqualTo(3);
        assertThat(err.toString().strip()).isEqualTo("weir: no such rule: \"oders\" (did you mean \"orders\"?)");
        assertThat(run("rules", "get", "r_abc")).isEqualTo(3);
        assertThat(err.toString()).contains("no such rule: \"r_abc\" (expected: one of ", "\"orders\"");
    }

    @Test
    void aRuleOfAFileIsShownComparedAndPutBackAsItIs() throws Exception {
        assertThat(run("rules", "get", "orders")).isZero();
        String shown = out.toString();
        assertThat(new JsonObject(shown).getJsonObject("match").getString("endpoint"))
                .isEqualTo("POST /orders/*");
        Path same = Files.writeString(folder.resolve("orders.json"), shown);
        assertThat(run("rules", "diff", "orders", "-f", same.toString()))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).startsWith("no change");
        Path more = Files.writeString(
                folder.resolve("more.json"), shown.replace("\"requests\" : 100", "\"requests\" : 200"));
        assertThat(run("rules", "diff", "orders", "-f", more.toString())).isEqualTo(0);
        assertThat(out.toString().lines().map(String::strip))
                .containsExactly(
                        "orders, in force from " + folder.resolve("rules.yaml") + ":7:11",
                        "-     \"requests\" : 100,",
                        "+     \"requests\" : 200,");
        InputStream terminal = System.in;
        try {
            System.setIn(new ByteArrayInputStream(shown.getBytes(StandardCharsets.UTF_8)));
            assertThat(run("rules", "put", "orders", "-f", "-"))
                    .as(err.toString())
                    .isZero();
        } finally {
            System.setIn(terminal);
        }
        assertThat(run("rules", "get", "orders")).isZero();
        JsonObject put = new JsonObject(out.toString());
        assertThat(put.getString("source")).isEqualTo("database");
        JsonObject written = new JsonObject(shown);
        for (String each : List.of("match", "key_by", "limit", "on_fail", "deadline")) {
            assertThat(put.getValue(each)).as(each).isEqualTo(written.getValue(each));
        }
        assertThat(run("rules", "delete", "orders")).isZero();
        assertThat(out.toString().strip())
                .isEqualTo("orders is deleted from the database; the rule of " + folder.resolve("rules.yaml")
                        + ":7:11 applies again");
    }

    @Test
    void aRuleWithoutANameIsFoundByItsLabelAndNotOverridden() throws Exception {
        assertThat(run("rules", "get", "endpoint=/a/b%2Fc")).isZero();
        Path shown = Files.writeString(folder.resolve("unnamed.json"), out.toString());
        assertThat(run("rules", "put", "endpoint=/a/b%2Fc", "-f", shown.toString()))
                .isEqualTo(2);
        assertThat(err.toString()).contains("has no name", "rules.yaml:");
    }

    @Test
    void everyMistakeIsShown() throws Exception {
        Path rule = Files.writeString(folder.resolve("bad.yaml"), "rate: -1\nwindow: 1x\n");
        assertThat(run("rules", "put", "bad", "-f", rule.toString())).isEqualTo(2);
        assertThat(err.toString())
                .as("the file, not a body that nobody has seen")
                .contains(rule + ":1:7: requests: '-1'", rule + ":2:9: window: '1x'");
        assertThat(run("rules", "diff", "bad", "-f", rule.toString())).isEqualTo(2);
        assertThat(err.toString()).contains(rule + ":1:7: requests: '-1'");
        assertThat(run("quota", "set", "abc", "-f", rule.toString())).isEqualTo(2);
        assertThat(err.toString()).contains(rule + ":1:").doesNotContain("body:");
    }

    @Test
    void aFileInThePlaceOfTheRuleIsToldSoInsteadOfWaitingForInput() {
        for (String command : List.of("put", "diff")) {
            assertThat(run("rules", command, "rule.yaml")).isEqualTo(2);
            assertThat(err.toString())
                    .isEqualTo("weir: RULE: \"rule.yaml\" (expected: the id of a rule; did you mean weir rules "
                            + command + " RULE -f rule.yaml?)\n");
        }
    }

    @Test
    void aQuotaIsSetShownAndDeleted() {
        assertThat(run("quota", "set", "abc", "--tier", "enterprise", "--override", "endpoint:POST /orders=500/minute"))
                .isZero();
        assertThat(out.toString()).contains("abc: tier enterprise, 1 override");
        assertThat(run("quota", "get", "abc")).isZero();
        assertThat(out.toString())
                .contains("abc: tier enterprise")
                .containsPattern("default +0 +5000 +5000 +tier:enterprise")
                .containsPattern("endpoint:POST /orders +0 +500 +500 +override");
        assertThat(run("quota", "get", "abc", "--json")).isZero();
        assertThat(new JsonObject(out.toString()).getString("tier")).isEqualTo("enterprise");
        assertThat(run("quota", "set", "abc", "--override", "orders:500")).isEqualTo(2);
        assertThat(err.toString()).contains("--override: \"orders:500\" (expected: DESCRIPTOR=N/UNIT");
        assertThat(run("quota", "set", "abc", "--tier", "pro", "--expires", "2099-13-01T00:00:00Z"))
                .isEqualTo(2);
        assertThat(err.toString()).startsWith("weir: --expires: '2099-13-01T00:00:00Z' (expected: ");
        assertThat(run("quota", "set", "abc", "--override", "orders=5/fortnight"))
                .isEqualTo(2);
        assertThat(err.toString()).startsWith("weir: --override: ").doesNotContain("body:");
        assertThat(run("quota", "delete", "abc")).isZero();
        assertThat(run("quota", "get", "abc")).isEqualTo(3);
        assertThat(err.toString().trim()).isEqualTo("weir: no quota is set for \"abc\"");
    }

    @Test
    void aQuotaBeginsAndEndsAtATimeOrAfterAWhile() {
        Instant before = Instant.now();
        assertThat(run("quota", "set", "timed", "--tier", "pro", "--effective", "7d", "--expires", "90d"))
                .isZero();
        assertThat(run("quota", "get", "timed", "--json")).isZero();
        JsonObject quota = new JsonObject(out.toString());
        assertThat(quota.getInstant("effective_at")).isCloseTo(before.plus(7, DAYS), within(1, MINUTES));
        assertThat(quota.getInstant("expires_at")).isCloseTo(before.plus(90, DAYS), within(1, MINUTES));
        assertThat(run("quota", "set", "timed", "--tier", "pro", "--expires", "2099-01-01T00:00:00Z"))
                .isZero();
        assertThat(out.toString()).contains("timed: tier pro, 0 overrides, until 2099-01-01T00:00:00Z");
        assertThat(run("quota", "set", "timed", "--tier", "pro", "--expires", "soon"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--expires: \"soon\" (expected: a duration such as 90d, or a time like");
    }

    @Test
    void aTierThatNoRuleKnowsIsRefusedAndTheKnownOnesAreNamed() {
        assertThat(run("quota", "set", "acme", "--tier", "free")).isEqualTo(2);
        assertThat(err.toString()).contains("--tier: unknown tier 'free' (expected: enterprise or pro)");
        assertThat(run("quota", "get", "acme")).isEqualTo(3);
    }

    @Test
    void aQuotaKeepsWhatIsNotGiven() throws Exception {
        run("quota", "set", "kept", "--tier", "pro", "--expires", "2099-01-01T00:00:00Z");
        run("quota", "set", "kept", "--override", "endpoint:POST /orders=500/minute");
        run("quota", "set", "kept", "--override", "endpoint:GET /orders=50/minute");
        assertThat(run("quota", "set", "kept", "--tier", "enterprise")).isZero();
        assertThat(out.toString()).contains("kept: tier enterprise, 2 overrides, until 2099-01-01T00:00:00Z");
        assertThat(run("quota", "set", "kept", "--override", "endpoint:GET /orders=60/minute"))
                .isZero();
        assertThat(out.toString()).contains("2 overrides");
        assertThat(run("quota", "set", "kept", "--expires", "never", "--remove-override", "endpoint:POST /orders"))
                .isZero();
        assertThat(out.toString()).contains("kept: tier enterprise, 1 override" + System.lineSeparator());
        assertThat(run("quota", "set", "kept", "--remove-override", "endpoint:POST /orders"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--remove-override: \"endpoint:POST /orders\" (expected: one of");
        assertThat(run("quota", "set", "without", "--override", "endpoint:GET /orders=50/minute"))
                .isZero();
        assertThat(out.toString().strip()).isEqualTo("without: no tier, 1 override");
        run("quota", "delete", "without");
        assertThat(run("quota", "set", "kept")).isEqualTo(2);
        assertThat(err.toString()).contains("nothing to change");
        Path file = Files.writeString(folder.resolve("quota.yaml"), "tier: pro\n");
        assertThat(run("quota", "set", "kept", "-f", file.toString())).isZero();
        assertThat(out.toString()).contains("kept: tier pro, 0 overrides");
        run("quota", "delete", "kept");
    }

    @Test
    void quotasAreListedByTier() {
        run("quota", "set", "list-1", "--tier", "pro");
        run("quota", "set", "list-2", "--tier", "enterprise", "--expires", "2099-01-01T00:00:00Z");
        assertThat(run("quota", "list")).isZero();
        assertThat(out.toString())
                .containsPattern("API_KEY +TIER +OVERRIDES +IN FORCE +EFFECTIVE +EXPIRES +CHANGED BY")
                .containsPattern("list-1 +pro +0 +yes +- +- +")
                .containsPattern("list-2 +enterprise +0 +yes +- +2099-01-01T00:00:00Z +");
        assertThat(run("quota", "list", "--tier", "enterprise")).isZero();
        assertThat(out.toString()).contains("list-2").doesNotContain("list-1");
        assertThat(run("quota", "list", "--tier", "enterprise", "--json")).isZero();
        assertThat(new JsonArray(out.toString()).getJsonObject(0).getString("api_key"))
                .isEqualTo("list-2");
        run("quota", "delete", "list-1");
        run("quota", "delete", "list-2");
    }

    @Test
    void theAuditIsVerifiedOnTheServerAndOnDisk() throws Exception {
        run("quota", "set", "k", "--tier", "pro", "--reason", "an upgrade");
        assertThat(run("audit", "verify")).isZero();
        String server = out.toString();
        assertThat(run("audit", "verify", "--data", folder.resolve("data").toString()))
                .isZero();
        assertThat(out.toString())
                .startsWith(server)
                .startsWith("chain intact: ")
                .contains("chain intact: 0 switches");
        Path file = folder.resolve("data/audit.jsonl");
        Path tampered = Files.writeString(
                folder.resolve("tampered.jsonl"), Files.readString(file).replace("an upgrade", "a downgrade"));
        assertThat(run("audit", "verify", "--data", tampered.toString())).isEqualTo(1);
        assertThat(out.toString()).contains("was altered", "CHAIN BROKEN");
    }

    @Test
    void changesAreListedByAuthorKindObjectAndTime() {
        run("quota", "set", "seen", "--tier", "pro", "--reason", "a renewal");
        run("quota", "set", "unseen", "--tier", "pro");
        assertThat(run("audit", "list", "--kind", "quota", "--object", "seen", "--since", "1h"))
                .isZero();
        assertThat(out.toString().lines()).hasSize(2);
        assertThat(out.toString())
                .containsPattern("VERSION +AT +WHO +KIND +OBJECT +CHANGE +REASON")
                .containsPattern("[0-9]+ +\\S+Z +.+ +quota +seen +create +a renewal");
        assertThat(run("audit", "list", "--object", "seen", "--json")).isZero();
        JsonObject change = new JsonObject(out.toString());
        assertThat(change.getJsonObject("after").getString("tier")).isEqualTo("pro");
        assertThat(run("audit", "list", "--author", "nobody", "--json")).isZero();
        assertThat(out.toString()).isEmpty();
        assertThat(run("audit", "list", "--author", change.getString("who"), "--kind", "quota", "--json"))
                .isZero();
        assertThat(out.toString().lines()).hasSizeGreaterThanOrEqualTo(2);
        assertThat(run("audit", "list", "--since", "2099-01-01T00:00:00Z", "--json"))
                .isZero();
        assertThat(out.toString()).isEmpty();
        assertThat(run("audit", "list", "--since", "2099-01-xx")).isEqualTo(2);
        assertThat(err.toString()).contains("since: ", "expected: a time like");
        run("quota", "delete", "seen");
        run("quota", "delete", "unseen");
    }

    @Test
    void anEditOfTheRuleFileIsInTheAuditAsWhatChanged(@TempDir Path other) throws Exception {
        String text = "domain: api\nrules:\n  - { name: a, limit: { requests: 1, window: 1s } }\n";
        Path rules = Files.writeString(other.resolve("rules.yaml"), text);
        try (RunningServer edited =
                RunningServer.with(rules, "data", other.resolve("data").toString())) {
            Files.writeString(
                    rules,
                    text.replace("requests: 1,", "requests: 20,")
                            + "  - { name: b, limit: { requests: 3, window: 1s } }\n");
            await().untilAsserted(() -> {
                assertThat(executeAt("http://" + edited.server.admin(), "audit", "list", "--kind", "file", "--json"))
                        .isZero();
                assertThat(out.toString()).contains("api/a changed, api/b added");
            });
            JsonObject line = new JsonObject(out.toString());
            assertThat(line.getJsonObject("before")
                            .getJsonObject("api/a")
                            .getJsonObject("limit")
                            .getLong("requests"))
                    .isEqualTo(1);
            assertThat(line.getJsonObject("after")
                            .getJsonObject("api/a")
                            .getJsonObject("limit")
                            .getLong("requests"))
                    .isEqualTo(20);
            assertThat(line.getJsonObject("after").fieldNames()).containsExactlyInAnyOrder("api/a", "api/b");
        }
        Files.writeString(rules, text.replace("requests: 1,", "requests: 300,"));
        for (int i = 0; i < 2; i++) { // the second start finds nothing new
            try (RunningServer again =
                    RunningServer.with(rules, "data", other.resolve("data").toString())) {
                assertThat(executeAt("http://" + again.server.admin(), "audit", "list", "--kind", "file", "--json"))
                        .isZero();
                List<String> lines = out.toString().lines().toList();
                assertThat(lines).hasSize(2);
                JsonObject line = new JsonObject(lines.get(1));
                assertThat(line.getString("reason"))
                        .isEqualTo("api/a changed, api/b removed, since this server last ran");
                assertThat(line.getJsonObject("before")
                                .getJsonObject("api/a")
                                .getJsonObject("limit")
                                .getLong("requests"))
                        .isEqualTo(20);
            }
        }
    }

    @Test
    void changesAreFollowed() throws Exception {
        StringWriter followed = new StringWriter();
        Thread follower = new Thread(() -> WeirCommand.commandLine(Map.of())
                .setOut(new PrintWriter(followed, true))
                .execute("audit", "list", "--follow", "--json", "--admin", "http://" + running.server.admin()));
        follower.start();
        try {
            run("quota", "set", "followed", "--tier", "pro");
            await().until(() -> followed.toString().contains("\"subject\":\"followed\",\"change\":\"create\""));
            run("quota", "delete", "followed");
            await().until(() -> followed.toString().contains("\"subject\":\"followed\",\"change\":\"delete\""));
        } finally {
            follower.interrupt();
            follower.join();
        }
    }

    @Test
    void aServerThatIsNotThereIsSaid() {
        assertThat(execute(List.of("rules", "list", "--admin", "http://localhost:1")))
                .isEqualTo(4);
        assertThat(err.toString()).contains("cannot connect to http://localhost:1");
    }

    private int run(String command, String... arguments) {
        return executeAt("http://" + running.server.admin(), command, arguments);
    }
}
