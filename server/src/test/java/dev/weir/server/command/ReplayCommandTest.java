package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.control.decisions.IdentityHash;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir replay}: its inputs, its outputs, and its messages. */
class ReplayCommandTest {
    private static final String RULES = """
            domain: api
            key_by: %s
            rules:
              - name: writes
                match: { %s }
                limit: { requests: %d, window: 1h, algorithm: fixed_window }
            """;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path folder;

    private Path rules;

    @BeforeEach
    void writeRules() throws IOException {
        rules = rules("rules.yaml", "user_id", 2);
    }

    private Path rules(String name, String keyBy, int requests) throws IOException {
        return Files.writeString(folder.resolve(name), RULES.formatted(keyBy, "endpoint: \"/x\"", requests));
    }

    private int run(String... arguments) {
        return run(Map.of(), arguments);
    }

    private int run(Map<String, String> environment, String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return WeirCommand.commandLine(environment, arguments)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    private JsonObject json(String... arguments) {
        assertThat(run(arguments)).as("%s%s", out, err).isZero();
        return new JsonObject(out.toString());
    }

    private Path csv(String text) throws IOException {
        return Files.writeString(folder.resolve("traffic.csv"), text);
    }

    private Path traffic() throws IOException {
        StringBuilder text = new StringBuilder("time,user_id,endpoint,cost\n");
        for (int i = 0; i < 5; i++) {
            text.append("2026-11-16T05:30:0").append(i).append(".5Z,u1,/x,\n");
        }
        text.append("2026-11-16T05:31:00.5Z,u2,/x,2\n");
        text.append("2026-11-16T05:32:00.5Z,u3,/other,\n");
        return csv(text.toString());
    }

    @Test
    void aTableIsDecidedByTwoSetsOfRules() throws IOException {
        Path strict = rules("strict.yaml", "user_id", 1);
        assertThat(run("replay", traffic().toString(), "--rules", strict.toString(), "--against", rules.toString()))
                .as("%s", err)
                .isZero();
        assertThat(out.toString())
                .contains("7 requests of 3 callers, from 2026-11-16T05:30:00.500Z to 2026-11-16T05:32:00.500Z")
                .containsPattern("rules.yaml +3 +42.86 % +1")
                .containsPattern("strict.yaml +5 +71.43 % +2")
                .contains("2 more requests are denied, and 0 fewer; 2 callers change")
                .containsPattern("api/writes +6 +3 +5")
                .containsPattern("user_id=u1 +writes +5 +3 +4 +2026-11-16T05:30:01.500Z")
                .containsPattern("user_id=u2 +writes +1 +0 +1 +2026-11-16T05:31:00.500Z");
    }

    @Test
    void theResultIsJsonAndAPlot() throws IOException {
        Path svg = folder.resolve("replay.svg");
        JsonObject found =
                json("replay", traffic().toString(), "--rules", rules.toString(), "--json", "--svg", svg.toString());
        assertThat(found.getLong("requests")).isEqualTo(7);
        assertThat(found.getLong("denied")).isEqualTo(3);
        assertThat(found.getBoolean("exact")).isFalse();
        JsonArray series = found.getJsonArray("over_time");
        assertThat(series.stream()
                        .mapToLong(each -> ((JsonObject) each).getLong("denied"))
                        .sum())
                .isEqualTo(3);
        assertThat(Files.readString(svg)).startsWith("<svg").contains("denied a second");
        String first = out.toString();
        json("replay", traffic().toString(), "--rules", rules.toString(), "--json");
        assertThat(withoutTime(out.toString())).isEqualTo(withoutTime(first));
    }

    private static String withoutTime(String text) {
        return text.replaceAll("\"seconds\":[0-9.]+}\\s*$", "");
    }

    @Test
    void anAccessLogOfNginxIsReadByItsFormat() throws IOException {
        Path byAddress = rules("address.yaml", "ip", 1);
        Path log = Files.writeString(folder.resolve("access.log"), """
                192.0.2.7 - - [16/Nov/2026:05:30:00 +0100] "GET /x?page=2 HTTP/1.1" 200 12 "-" "curl \\x22x\\x22"
                192.0.2.7 - - [16/Nov/2026:05:30:01 +0100] "GET /x HTTP/1.1" 429 12 "-" "curl"
                nonsense
                192.0.2.8 - - [16/Nov/2026:05:30:02 +0100] "GET /x HTTP/1.1" 429 12 "-" "curl"
                """);
        JsonObject found =
                json("replay", log.toString(), "--format", "nginx", "--rules", byAddress.toString(), "--json");
        assertThat(found.getString("from")).isEqualTo("2026-11-16T04:30:00Z");
        assertThat(found.getLong("denied")).isEqualTo(1);
        assertThat(found.getLong("denied_before")).isEqualTo(2);
        assertThat(found.getLong("fewer")).isEqualTo(1);
        assertThat(err.toString()).contains("access.log:3:1: expected ' - ' after $remote_addr");
        assertThat(found.getJsonArray("not_exact_because").encode())
                .contains("1 line was not readable", "to the second");
    }

    @Test
    void anAccessLogOfEnvoyIsReadByItsFormatAndAttributes() throws IOException {
        Path log = Files.writeString(folder.resolve("envoy.log"), """
                [2026-11-16T05:30:00.123Z] GET /x u1 200
                [2026-11-16T05:30:00.124Z] GET /x u1 200
                [2026-11-16T05:30:00.125Z] GET /x u1 200
                [2026-11-16T05:30:00.126Z] GET /x - 200
                """);
        String format = "[%START_TIME%] %REQ(:METHOD)% %REQ(:PATH)% %REQ(X-USER)% %RESPONSE_CODE%\n";
        JsonObject found = json(
                "replay",
                log.toString(),
                "--format",
                format,
                "--attribute",
                "user_id=%REQ(X-USER)%",
                "--rules",
                rules.toString(),
                "--json");
        assertThat(found.getLong("more")).isEqualTo(1);
        assertThat(found.getJsonArray("changed_callers").getJsonObject(0).getString("caller"))
                .isEqualTo("user_id=u1");
        assertThat(run(
                        "replay",
                        log.toString(),
                        "--format",
                        format,
                        "--attribute",
                        "user_id=%REQ(X-USR)%",
                        "--rules",
                        rules.toString()))
                .isEqualTo(2);
        assertThat(err.toString())
                .contains("--attribute user_id: unknown field %REQ(X-USR)% (did you mean %REQ(X-USER)%?)");
    }

    @Test
    void callersOfALogCanBeShownAsHashes() throws IOException {
        String hash = new IdentityHash("s3cret").of("user_id", "u1");
        assertThat(run(
                        Map.of("WEIR_DECISIONS_SECRET", "s3cret"),
                        "replay",
                        csv("time,user_id,endpoint,passed\n1763487636.1,u1,/x,denied\n")
                                .toString(),
                        "--hash",
                        "--rules",
                        rules.toString()))
                .isZero();
        assertThat(out.toString()).contains("user_id=" + hash).doesNotContain("user_id=u1");
    }

    @Test
    void mistakesAreToldWithTheirPlace() throws IOException {
        String file = csv("tmie,user_id,endpoint\n1763487636.1,u1,/x\n").toString();
        assertThat(run("replay", file, "--rules", rules.toString())).isEqualTo(2);
        assertThat(err.toString())
                .contains("traffic.csv:1:1: no column 'time' (did you mean it by 'tmie'?)")
                .contains("no request in the traffic that can be read");
        file = csv("time,user_id,endpoint\nyesterday,u1,/x\n1763487636,u1,/x\n").toString();
        assertThat(run("replay", file, "--rules", rules.toString())).isZero();
        assertThat(err.toString()).contains("traffic.csv:2:1: time: 'yesterday' (expected: a time like");
        assertThat(run("replay", file, "--rules", folder.resolve("none.yaml").toString()))
                .isEqualTo(3);
        assertThat(run("replay", folder.resolve("none.jsonl").toString(), "--rules", rules.toString()))
                .isEqualTo(3);
        assertThat(run("replay", file, "--rules", rules.toString(), "--domain", "apii"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--domain: 'apii' (did you mean api?)");
        assertThat(run("replay", file, "--rules", rules.toString(), "--format", "ngnix"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--format: 'ngnix' (expected: recorded, csv, nginx, envoy, or");
        Path log = Files.writeString(folder.resolve("some.log"), "x\n");
        assertThat(run("replay", log.toString(), "--rules", rules.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("some.log:1:1: neither a file of the decision sink nor *.csv");
        assertThat(run("replay", log.toString(), "--rules", rules.toString(), "--format", "$remote_addr$status"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--format: column 13: $status follows $remote_addr at once");
    }

    private static String recorded(String user, String more) {
        return "{\"time\":\"2026-11-16T05:30:00.1Z\",\"node\":\"n\",\"domain\":\"api\",\"request\":[{\"user_id\":\""
                + user + "\",\"endpoint\":\"/x\"}],\"attributes\":true,\"passed\":true" + more + "}\n";
    }

    @Test
    void aMatchOnAHashedAttributeIsPrecomputedOrRefused() throws IOException {
        IdentityHash hash = new IdentityHash("s3cret");
        String line = recorded(hash.of("user_id", "u1"), ",\"hashed\":[\"user_id\"]");
        String start = "{\"time\":\"2026-11-16T05:30:00Z\",\"node\":\"n\",\"recording\":\"all\",\"hash\":\""
                + hash.fingerprint() + "\"}\n";
        Path file = Files.writeString(folder.resolve("decisions.jsonl"), start + line.repeat(3));
        Path exact = Files.writeString(folder.resolve("exact.yaml"), RULES.formatted("user_id", "user_id: u1", 1));
        Map<String, String> secret = Map.of("WEIR_DECISIONS_SECRET", "s3cret");
        assertThat(run(secret, "replay", file.toString(), "--rules", exact.toString(), "--json"))
                .as("%s", err)
                .isZero();
        assertThat(new JsonObject(out.toString()).getLong("denied")).isEqualTo(2);
        assertThat(run("replay", file.toString(), "--rules", exact.toString())).isEqualTo(2);
        assertThat(err.toString()).contains("recorded with another decisions_secret");
        Path pattern =
                Files.writeString(folder.resolve("pattern.yaml"), RULES.formatted("user_id", "user_id: \"u*\"", 1));
        assertThat(run(secret, "replay", file.toString(), "--rules", pattern.toString()))
                .isEqualTo(2);
        assertThat(err.toString())
                .contains("pattern.yaml:4:11: rule 'writes' matches user_id by a pattern, 'u*', and the traffic has"
                        + " only hashes of it");
    }

    @Test
    void lossesAndCutLinesAreTold() throws IOException {
        String start = "{\"time\":\"2026-11-16T05:30:00Z\",\"node\":\"n\",\"recording\":\"all\"}\n";
        String lost = "{\"time\":\"2026-11-16T05:30:00Z\",\"node\":\"n\",\"lost_requests\":3,\"lost_lines\":1}\n";
        Path file = Files.writeString(folder.resolve("decisions.jsonl"), start + recorded("u1", ""));
        JsonObject whole = json("replay", file.toString(), "--rules", rules.toString(), "--json");
        assertThat(whole.getJsonArray("not_exact_because")).isEmpty();
        assertThat(whole.getBoolean("exact")).isTrue();
        Files.writeString(
                file, start + recorded("u1", "") + lost + recorded("u1", "").substring(0, 40));
        JsonObject cut = json("replay", file.toString(), "--rules", rules.toString(), "--json");
        assertThat(cut.getBoolean("exact")).isFalse();
        assertThat(cut.getJsonArray("not_exact_because").encode())
                .contains("4 requests were lost by the servers", "1 line was cut off");
    }

    private List<String> notExact(String scope, String region, String... more) throws IOException {
        Path scoped = Files.writeString(folder.resolve("scoped.yaml"), """
                domain: api
                rules:
                  - name: each
                    key_by: user_id
                    scope: %s
                    limit: { requests: 4, window: 1h, algorithm: fixed_window }
                """.formatted(scope));
        String start = "{\"time\":\"2026-11-16T05:30:00Z\",\"node\":\"n\",\"recording\":\"all\"" + region + "}\n";
        Path file = Files.writeString(
                folder.resolve("decisions.jsonl"), start + recorded("u1", "").repeat(4));
        List<String> all = new ArrayList<>(List.of("replay", file.toString(), "--rules", scoped.toString(), "--json"));
        all.addAll(List.of(more));
        JsonObject found = json(all.toArray(String[]::new));
        List<String> reasons = found.getJsonArray("not_exact_because").stream()
                .map(String::valueOf)
                .toList();
        assertThat(found.getBoolean("exact")).isEqualTo(reasons.isEmpty());
        return reasons;
    }

    @Test
    void aLimitOverRegionsIsExactOnlyIfTheRecordingHasAllThatCounts() throws IOException {
        assertThat(notExact("region", ",\"region\":\"us\"")).isEmpty();
        assertThat(notExact("shared", ""))
                .containsExactly("rule each is shared by regions, and what the others used then is not recorded");
        assertThat(notExact("global", ""))
                .contains("rule each is shared by regions, and what the others used then is not recorded");
        String slices = "{ slices: { eu: 0.5, us: 0.5 } }";
        assertThat(notExact(slices, ""))
                .containsExactly(
                        "rule each is divided into slices, and without a known region its whole limit is played"
                                + " (expected: --config of that region)");
        String settings = Files.writeString(folder.resolve("weir.yaml"), "region: us\nregions: { eu: {}, us: {} }\n")
                .toString();
        assertThat(notExact(slices, "", "--config", settings)).isEmpty();
        assertThat(new JsonObject(out.toString()).getLong("denied")).isEqualTo(2);
        assertThat(notExact(slices, ",\"region\":\"us\"", "--config", settings)).isEmpty();
        assertThat(notExact(slices, ",\"region\":\"eu\"", "--config", settings))
                .containsExactly("rule each is divided into slices, and the one that is played is not that of the"
                        + " region that recorded");
    }

    @Test
    void recordingsOfSeveralRegionsAreNotOneCount() throws IOException {
        String start =
                "{\"time\":\"2026-11-16T05:30:00Z\",\"node\":\"n%1$d\",\"recording\":\"all\",\"region\":\"r%1$d\"}\n";
        String line = recorded("u1", ",\"store_time\":\"2026-11-16T05:30:00.1Z\"");
        Path first = Files.writeString(folder.resolve("1.jsonl"), start.formatted(1) + line.replace("\"n\"", "\"n1\""));
        Path second =
                Files.writeString(folder.resolve("2.jsonl"), start.formatted(2) + line.replace("\"n\"", "\"n2\""));
        JsonObject found = json("replay", first.toString(), second.toString(), "--rules", rules.toString(), "--json");
        assertThat(found.getJsonArray("not_exact_because").encode())
                .contains("servers of several regions (r1, r2) counted apart, and are played as one");
        assertThat(found.getBoolean("exact")).isFalse();
    }

    @Test
    void aSampleCountsForThoseThatItStandsFor() throws IOException {
        Path both = Files.writeString(folder.resolve("both.yaml"), """
                domain: api
                rules:
                  - { name: each, key_by: user_id, limit: { requests: 2, window: 1h, algorithm: fixed_window } }
                  - { name: all, key_by: endpoint, limit: { requests: 25, window: 1h, algorithm: fixed_window } }
                """);
        String line = recorded("u1", ",\"sample\":10,\"sample_by\":\"user_id\"");
        Path file = Files.writeString(folder.resolve("decisions.jsonl"), line.repeat(4));
        JsonObject found = json("replay", file.toString(), "--rules", both.toString(), "--json");
        assertThat(found.getLong("requests")).isEqualTo(40);
        assertThat(found.getLong("denied")).isEqualTo(20);
        JsonArray byRule = found.getJsonArray("by_rule");
        assertThat(byRule.getJsonObject(0).getLong("denied")
                        + byRule.getJsonObject(1).getLong("denied"))
                .isEqualTo(20);
        // The caller has 2; all callers together 25, of which each request takes 10.
        assertThat(found.getJsonArray("not_exact_because").encode()).contains("one caller in 10 was recorded");
    }

    @Test
    void filesAreMergedByTimeAndMayBeCompressed() throws IOException {
        Path early = folder.resolve("a.csv.gz");
        try (OutputStream packed = new GZIPOutputStream(Files.newOutputStream(early))) {
            packed.write("time,user_id,endpoint,cost\n2.0,u1,/x,2\n".getBytes(StandardCharsets.UTF_8));
        }
        Path late =
                Files.writeString(folder.resolve("b.csv"), "time,user_id,endpoint,cost\n1.0,u1,/x,1\n3.0,u1,/x,1\n");
        JsonObject found = json("replay", early.toString(), late.toString(), "--rules", rules.toString(), "--json");
        assertThat(found.getLong("denied")).isEqualTo(1); // the one of 2 hits, after the first of 1
        assertThat(found.getString("from")).isEqualTo("1970-01-01T00:00:01Z");
    }

    @Test
    void limitsAreSuggestedForEachRuleAndTier() throws IOException {
        Path tiers = Files.writeString(folder.resolve("tiers.yaml"), """
                domain: api
                key_by: user_id
                rules:
                  - { name: each, limit: { requests: 100, window: 1m, algorithm: fixed_window } }
                """);
        StringBuilder text = new StringBuilder("time,user_id,tier\n");
        for (int user = 1; user <= 10; user++) {
            for (int i = 0; i < user; i++) {
                text.append("60.").append(i).append(",f").append(user).append(",free\n");
                text.append("60.").append(i).append(",p").append(user).append(",pro\n");
            }
        }
        text.append("60.9,p1,pro\n");
        JsonArray found = json(
                        "replay",
                        csv(text.toString()).toString(),
                        "--rules",
                        tiers.toString(),
                        "--suggest",
                        "20",
                        "--json")
                .getJsonArray("suggestions");
        assertThat(found.size()).isEqualTo(2);
        assertThat(found.getJsonObject(0).getString("tier")).isEqualTo("free");
        assertThat(found.getJsonObject(0).getLong("requests")).isEqualTo(8);
        assertThat(found.getJsonObject(0).getLong("would_deny")).isEqualTo(2);
        assertThat(run(
                        "replay",
                        folder.resolve("traffic.csv").toString(),
                        "--rules",
                        tiers.toString(),
                        "--suggest",
                        "0"))
                .isZero();
        assertThat(out.toString()).containsPattern("api/each +pro +10 +100 in 1m +0 +10 in 1m +0");
    }
}
