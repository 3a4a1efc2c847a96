package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.PemFiles;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import dev.weir.server.command.client.ExitCodes;
import dev.weir.testkit.FreePorts;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Model.CommandSpec;

class WeirCommandTest extends AtTheTerminal {
    @TempDir
    Path folder;

    @Test
    void theListOfCommandsNeedsNoCommandButIsTheSame() {
        String whole = WeirCommand.commandLine(Map.of()).getUsageMessage();
        for (String[] each : new String[][] {{}, {"help"}, {"--help"}, {"hlep"}}) {
            assertThat(WeirCommand.commandLine(Map.of(), each).getUsageMessage())
                    .as(String.join(" ", each))
                    .isEqualTo(whole);
        }
        assertThat(serveOf("help").args()).isEmpty();
        assertThat(serveOf("completion", "bash").args()).isNotEmpty();
        assertThat(WeirCommand.commandLine(Map.of(), new String[] {"help", "quota"})
                        .getSubcommands())
                .containsOnlyKeys("quota", "completion", "help");
    }

    private static CommandSpec serveOf(String... arguments) {
        return Objects.requireNonNull(WeirCommand.commandLine(Map.of(), arguments)
                        .getSubcommands()
                        .get("serve"))
                .getCommandSpec();
    }

    @Test
    void helpAndVersionAreCommandsToo() {
        assertThat(execute(List.of("--version"))).isZero();
        String version = out.toString();
        assertThat(execute(List.of("version"))).isZero();
        assertThat(out.toString()).isEqualTo(version).startsWith("weir ");
        assertThat(execute(List.of("quota", "--help"))).isZero();
        String help = out.toString();
        assertThat(execute(List.of("help", "quota"))).isZero();
        assertThat(out.toString()).isEqualTo(help);
        assertThat(execute(List.of("help"))).isZero();
        assertThat(out.toString()).contains("completion", "version");
    }

    @Test
    void theVersionNamesWeirAndJava() {
        assertThat(run("--version")).isZero();
        assertThat(out.toString())
                .containsPattern("weir \\d+\\.\\d+")
                .contains("Java " + System.getProperty("java.runtime.version"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"serve", "health", "check", "counter", "validate", "rules", "quota", "audit"})
    void everyCommandHasHelp(String command) {
        assertThat(run(command, "--help")).isZero();
        assertThat(out.toString()).startsWith("Usage: weir " + command);
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void withoutACommandItSaysWhatThereIs() {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString()).contains("missing command", "serve", "check", "validate");
    }

    @Test
    void aRuleFileInTheWrongPlaceIsToldWhereItBelongs() {
        assertThat(run("serve", "rules.yaml")).isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly(
                        "weir: Unmatched argument at index 1: 'rules.yaml'",
                        "Did you mean: weir serve --rules rules.yaml?");
    }

    @Test
    void aMistakeStandsAloneAndIsNotBuriedUnderTheHelp() {
        assertThat(run("serve", "--rules")).isEqualTo(2);
        assertThat(err.toString().lines()).hasSize(2).last().isEqualTo("Help: weir serve --help");
        assertThat(run("serve", "--stoer", "x")).isEqualTo(2);
        assertThat(err.toString()).contains("--stoer", "--store").hasLineCount(2);
        assertThat(run("ban", "add", "ip=192.0.2.1", "--fro", "1h")).isEqualTo(2);
        assertThat(err.toString()).endsWith("Did you mean: --for?\n").hasLineCount(2);
    }

    @Test
    void aTypoInACommandIsToldWhatWasMeant() {
        assertThat(run("hlep")).isEqualTo(2);
        assertThat(err.toString().lines()).containsExactly("weir: unknown command: hlep", "Did you mean: weir help?");
        assertThat(run("rules", "lsit")).isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly("weir: unknown command: lsit", "Did you mean: weir rules list?");
    }

    @Test
    void aWordThatIsNoneOfAFewIsToldWithThem() {
        assertThat(run("completion", "zhs")).isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly("weir: SHELL: \"zhs\" (did you mean zsh?)", "Help: weir completion --help");
        assertThat(run("completion", "powershell")).isEqualTo(2);
        assertThat(err.toString()).startsWith("weir: SHELL: \"powershell\" (expected: bash, zsh, fish)\n");
    }

    @Test
    void negativeHitsAreRefusedByTheNameOfTheirFlag() {
        assertThat(run("check", "api", "user_id=u", "--hits", "-1")).isEqualTo(2);
        assertThat(err.toString().strip()).isEqualTo("weir: --hits: -1 (expected: a whole number >= 0)");
    }

    @Test
    void aForgottenParameterIsToldWithThoseAroundIt() {
        assertThat(run("explain", "user_id=u_42")).isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly(
                        "weir: Missing required parameter: 'key=value'",
                        "Expected: weir explain DOMAIN key=value…",
                        "Help: weir explain --help");
        assertThat(run("rules", "get")).isEqualTo(2);
        assertThat(err.toString()).contains("Expected: weir rules get RULE\n");
    }

    @Test
    void aForgottenSubcommandIsNotTakenForOneThatChangesThings() {
        assertThat(run("counter", "user_id=u_42")).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("weir: unknown command: user_id=u_42")
                .doesNotContain("Did you mean")
                .contains("Show the counters of a request.");
    }

    @Test
    void validateShowsEveryErrorWithItsPlaceAndExitsWithOne() throws Exception {
        Path bad = file("bad.yaml", """
                domain: api
                rules:
                  - name: a
                    limit: { requests: -1, window: 1s }
                  - name: b
                    limit: { requests: 1, window: 1x }
                """);
        assertThat(run("validate", bad.toString())).isEqualTo(1);
        assertThat(out.toString().lines())
                .hasSize(2)
                .anyMatch(line -> line.startsWith(bad + ":4:"))
                .anyMatch(line -> line.startsWith(bad + ":6:"));
        assertThat(err.toString().strip()).isEqualTo("2 errors, 0 warnings");
    }

    @Test
    void validateIsContentWithGoodFiles() throws Exception {
        Path good = file("good.yaml", "domain: api\nrules:\n  - {name: a, limit: {requests: 1, window: 1s}}\n");
        assertThat(run("validate", good.toString())).isZero();
        assertThat(out.toString().strip())
                .isEqualTo(
                        good + ": valid: 1 rule in 1 domain, from 1 file; endpoints are compared in their normal form");
    }

    @Test
    void validateRefusesWhatServeWould() throws Exception {
        Path one = file("one.yaml", "domain: api\nrules:\n  - {name: a, limit: {requests: 1, window: 1s}}\n");
        Path two = file("two.yaml", "domain: api\nrules:\n  - {name: b, limit: {requests: 1, window: 1s}}\n");
        assertThat(run("validate", one.toString(), two.toString())).isEqualTo(1);
        assertThat(out.toString()).startsWith(two + ":1:9: domain 'api' is also in " + one);
        assertThat(run("validate", "--merge-domains", one.toString(), two.toString()))
                .isZero();
        assertThat(out.toString().strip())
                .endsWith(": valid: 2 rules in 1 domain, from 2 files; endpoints are compared in their normal form");
    }

    @Test
    void validateReadsAnEnvoyConfigurationWithRulesOrAlone() throws Exception {
        Path rules = file("good.yaml", "domain: api\nrules:\n  - {name: a, limit: {requests: 1, window: 1s}}\n");
        Path envoy = file("envoy.yaml", """
                "@type": type.googleapis.com/envoy.extensions.filters.http.ratelimit.v3.RateLimit
                domain: apy
                rate_limit_service: { grpc_service: { google_grpc: {} } }
                """);
        assertThat(run("validate", "--envoy", envoy.toString(), rules.toString()))
                .isZero();
        assertThat(out.toString().lines())
                .contains(
                        envoy + ":2:9: warning: no rule has the domain 'apy': nothing is limited (did you mean api?)");
        assertThat(err.toString().strip()).isEqualTo("0 errors, 1 warning");
        assertThat(run("validate", "--envoy", envoy.toString())).isZero();
        assertThat(out.toString().strip()).endsWith(envoy + ": nothing to warn of");
        assertThat(run("validate", "--envoy", file("wrong.yaml", "timeout: [").toString()))
                .isEqualTo(1);
        assertThat(run("validate")).isEqualTo(2);
        assertThat(err.toString()).contains("Missing required parameter: 'FILE|DIR'");
    }

    @Test
    void helpBreaksNoAddress() {
        assertThat(run("check", "--help")).isZero();
        assertThat(out.toString()).containsPattern("Default:\n +http://localhost:8080\\.\n");
        for (String each : WeirCommand.commandLine(Map.of()).getSubcommands().keySet()) {
            run(each, "--help");
            assertThat(out.toString()).doesNotContainPattern("[a-z]:\\s+//").doesNotContainPattern("(?m)^.{81}");
        }
    }

    @Test
    void validateJudgesStoresWhereItKnowsThem() throws Exception {
        Path rules = file(
                "rules.yaml", "domain: api\nrules:\n  - {name: a, store: bgi, limit: {requests: 1, window: 1s}}\n");
        assertThat(run("validate", rules.toString())).isZero();
        assertThat(err.toString()).contains("stores", "--config");
        Path settings =
                file("weir.yaml", "stores: { big: { url: \"redis://h:1\", password_file: /only/on/the/server } }\n");
        assertThat(run("validate", "--config", settings.toString(), rules.toString()))
                .isEqualTo(1);
        assertThat(out.toString()).startsWith(rules + ":3:22: unknown store 'bgi' (did you mean big?");
    }

    @Test
    void checkAsksARunningServerAndItsExitCodeIsTheAnswer() throws Exception {
        Path rules = file(
                "rules.yaml",
                "domain: api\nkey_by: user_id\nrules:\n  - {name: tiny, match: {user_id: '*'}, limit: {requests: 2, window: 1h}}\n");
        try (RunningServer running = RunningServer.with(rules)) {
            assertThat(run("check", "--url", running.url(), "api", "user_id=ann"))
                    .isZero();
            assertThat(out.toString().strip()).isEqualTo("allowed under tiny: 1 left (limit 2)");
            assertThat(run("check", "--url", running.url(), "api", "user_id=ann", "--hits", "2"))
                    .isEqualTo(1);
            assertThat(out.toString().strip())
                    .startsWith(
                            "denied by tiny (2 per 1h, token_bucket) for user_id=ann: 1 left, 2 asked for, passes again in ");
            assertThat(run("check", "--url", running.url(), "api", "user_id=ann", "--hits", "3"))
                    .isEqualTo(1);
            assertThat(out.toString().strip()).endsWith(": 3 hits can never fit");
            assertThat(run("check", "--url", running.url(), "api", "colour=red"))
                    .isZero();
            assertThat(out.toString().strip())
                    .isEqualTo("allowed: no rule uses \"colour\" (expected: one of \"user_id\")");
            assertThat(run("check", "--url", running.url(), "apo", "user_id=ann"))
                    .isEqualTo(3);
            assertThat(out.toString().strip()).isEqualTo("allowed: no such domain: \"apo\" (did you mean \"api\"?)");
            assertThat(run("check", "--url", running.url(), "api", "user_id=bob", "+", "user_id=eve", "--json"))
                    .isZero();
            assertThat(new JsonObject(out.toString()).getLong("remaining")).isEqualTo(1);
            assertThat(run("check", "--url", running.url(), "api", "user_id=eve", "--hits", "2", "--json"))
                    .isEqualTo(1);
            assertThat(new JsonObject(out.toString()).getString("rule")).isEqualTo("tiny");
        }
    }

    @Test
    void checkSaysThatAStoreDoesNotAnswer() throws Exception {
        Path rules = file("down.yaml", """
                domain: api
                key_by: id
                rules:
                  - { name: open, match: { kind: open }, limit: { requests: 2, window: 1h } }
                  - { name: shut, match: { kind: shut }, on_fail: deny, limit: { requests: 2, window: 1h } }
                  - { name: part, match: { kind: part }, on_fail: local, limit: { requests: 1, window: 1h } }
                """);
        try (RedisProcess redis = RedisProcess.start();
                RunningServer running = RunningServer.with(rules, "store", redis.uri(), "deadline", "2s")) {
            for (String kind : List.of("open", "shut", "part")) {
                assertThat(run("check", "--url", running.url(), "api", "id=a", "kind=" + kind))
                        .isZero();
                assertThat(out.toString()).doesNotContain("does not answer");
            }
            redis.stop();
            assertThat(run("check", "--url", running.url(), "api", "id=b", "kind=open"))
                    .isZero();
            assertThat(out.toString()).startsWith("allowed under open: ").contains("a store does not answer");
            assertThat(run("check", "--url", running.url(), "api", "id=b", "kind=shut"))
                    .isEqualTo(1);
            assertThat(out.toString()).contains("its store does not answer, and the rule says on_fail: deny");
            assertThat(run("check", "--url", running.url(), "api", "id=b", "kind=part"))
                    .isZero();
            assertThat(run("check", "--url", running.url(), "api", "id=b", "kind=part"))
                    .isEqualTo(1);
            assertThat(out.toString()).contains("its store does not answer", "the share of this process is used up");
        }
    }

    @Test
    void healthSaysWhetherAServerIsReady() throws Exception {
        Path rules = file("rules.yaml", "domain: api\nrules:\n  - {name: r, limit: {requests: 2, window: 1h}}\n");
        try (RunningServer running = RunningServer.with(rules)) {
            assertThat(run("health", "--url", running.url())).isZero();
            assertThat(out.toString().strip()).isEqualTo("OK");
        }
        assertThat(run("health", "--url", "http://127.0.0.1:" + FreePorts.free()))
                .isEqualTo(ExitCodes.UNREACHABLE);
        assertThat(err.toString()).contains("cannot connect");
    }

    @Test
    void theImageServesUnderTheNameOfTheReference() {
        assertThat(ContainerCommand.withoutProgram(List.of("/bin/ratelimit"))).containsExactly("serve");
        assertThat(ContainerCommand.withoutProgram(List.of("/bin/ratelimit", "--data", "/d")))
                .containsExactly("serve", "--data", "/d");
        assertThat(ContainerCommand.withoutProgram(List.of("/bin/weir", "check", "api", "a=b")))
                .containsExactly("check", "api", "a=b");
        assertThat(ContainerCommand.withoutProgram(List.of("/bin/weir"))).isEmpty();
    }

    @Test
    void checkSpeaksTlsAndTrustsWhomItIsTold() throws Exception {
        PemFiles pem = PemFiles.in(folder, "server");
        Path rules = file("tls.yaml", "domain: api\nrules:\n  - {name: r, limit: {requests: 2, window: 1h}}\n");
        try (RunningServer running = RunningServer.with(
                rules,
                "http_tls_cert",
                pem.certificate().toString(),
                "http_tls_key",
                pem.key().toString())) {
            String url = "https://localhost:" + running.httpPort();
            assertThat(run("check", "--url", url, "api", "a=b")).isEqualTo(4);
            assertThat(err.toString()).contains("TLS error with " + url, "--ca");
            assertThat(run("check", "--url", url.replace("https", "http"), "api", "a=b"))
                    .isEqualTo(4);
            assertThat(err.toString()).contains("no answer from http://", "(if the port uses TLS: " + url + ")");
            assertThat(run("check", "--url", url, "--ca", pem.certificate().toString(), "api", "a=b"))
                    .isEqualTo(0);
        }
    }

    @Test
    void checkSaysWhatIsWrongWithAQuestionOrAnAddress() throws Exception {
        assertThat(run("check", "api", "user_id")).isEqualTo(2);
        assertThat(err.toString().strip()).isEqualTo("weir: \"user_id\" (expected: key=value)");
        assertThat(run("check", "--url", "localhost", "api", "a=b")).isEqualTo(2);
        assertThat(err.toString()).startsWith("weir: --url: \"localhost\" (expected: an address");
        int free = FreePorts.free();
        assertThat(run("check", "--url", "http://127.0.0.1:" + free, "api", "a=b"))
                .isEqualTo(4);
        assertThat(err.toString())
                .contains("cannot connect to http://127.0.0.1:" + free, "weir serve")
                .doesNotContain("\tat ");
    }

    @Test
    void serveNamesEverySettingThatCannotHoldAndStartsNothing() {
        assertThat(run("serve", "--http-port", "abc", "--warm-up", "soon")).isEqualTo(2);
        assertThat(err.toString())
                .contains("--http-port: \"abc\" (expected: a port from 0 to 65535)")
                .contains("--warm-up: \"soon\" (expected: a duration such as")
                .doesNotContain("\tat ");
    }

    @Test
    void serveRefusesWrongRulesWithTheirPlaceAndNoTrace() throws Exception {
        Path bad = file("bad.yaml", "domain: api\nruls: []\n");
        assertThat(run("serve", "--rules", bad.toString(), "--log-level", "error"))
                .isEqualTo(2);
        assertThat(err.toString())
                .contains("weir: the rules do not load:", bad + ":2:1: ")
                .doesNotContain("\tat ");
    }

    private Path file(String name, String text) throws Exception {
        return Files.writeString(folder.resolve(name), text);
    }

    private int run(String... arguments) {
        return execute(List.of(arguments));
    }
}
