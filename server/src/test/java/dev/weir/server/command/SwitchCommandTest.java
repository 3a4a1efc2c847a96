package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.RunningServer;
import io.vertx.core.json.JsonArray;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Switches from the command line. */
class SwitchCommandTest extends AtTheTerminal {
    @TempDir
    static Path folder;

    private static RunningServer running;

    @BeforeAll
    static void start() throws Exception {
        Path rules = Files.writeString(
                folder.resolve("rules.yaml"),
                "{domain: api, rules: [{name: orders, key_by: user_id, limit: {requests: 0, window: 1h}}]}");
        running = RunningServer.with(rules, "data", folder.resolve("data").toString());
    }

    @AfterAll
    static void stop() {
        running.close();
    }

    @Test
    void rulesAndEverythingAreSwitchedListedAndReleased() {
        assertThat(run("switch")).isZero();
        assertThat(out.toString()).startsWith("no switches are set");
        assertThat(run("switch", "orders", "rollout", "12.5", "--reason", "launch"))
                .isZero();
        assertThat(out.toString().strip()).isEqualTo("orders: rolled out to 12.5 %");
        assertThat(run("switch", "all", "shadow")).isZero();
        assertThat(out.toString().strip()).isEqualTo("all rules: shadow");
        assertThat(run("switch")).isZero();
        assertThat(out.toString())
                .containsPattern("DOMAIN +RULE +STATE +SINCE +BY +VIA +REASON")
                .containsPattern("api +orders +rolled out to 12.5 % +\\S+Z +\\S+ \\(claimed\\) +database +launch")
                .containsPattern(" all +shadow ");
        assertThat(run("switch", "--json")).isZero();
        assertThat(new JsonArray(out.toString())).hasSize(2);
        assertThat(check()).isZero();
        assertThat(out.toString()).contains("; switched: all is shadow");
        assertThat(run("switch", "all", "release")).isZero();
        assertThat(run("switch", "orders", "off")).isZero();
        assertThat(check()).isZero();
        assertThat(out.toString().strip()).isEqualTo("allowed: no rule applies; switched: orders is off");
        assertThat(run("switch", "orders", "release")).isZero();
        assertThat(out.toString().strip()).isEqualTo("orders: not switched");
        assertThat(check()).isEqualTo(1);
    }

    @Test
    void aReasonIsKeptInAnyLanguage() {
        for (String reason : List.of("Stra\u00dfe \u2014 100 %+ \ud83d\ude00", "UTF-8''a%20b")) {
            assertThat(run("switch", "orders", "off", "--reason", reason)).isZero();
            assertThat(run("switch")).isZero();
            assertThat(out.toString()).contains(reason);
            assertThat(run("switch", "orders", "release")).isZero();
        }
    }

    @Test
    void whatMakesNoSenseIsSaid() {
        assertThat(run("switch", "orders")).isEqualTo(2);
        assertThat(err.toString()).contains("expected: orders on, off, shadow, release or rollout PERCENT");
        assertThat(run("switch", "shop", "orders", "off")).isEqualTo(2);
        assertThat(err.toString()).contains("did you mean weir switch orders off --domain shop?");
        assertThat(run("switch", "orders", "of")).isEqualTo(2);
        assertThat(run("switch", "orders", "rollout")).isEqualTo(2);
        assertThat(run("switch", "orders", "rollout", "many")).isEqualTo(2);
        assertThat(err.toString()).contains("a percentage from 0 to 100");
        assertThat(run("switch", "orders", "rollout", "250")).isEqualTo(2);
        assertThat(err.toString()).contains("a percentage from 0 to 100");
        assertThat(run("switch", "oders", "off")).isEqualTo(3);
        assertThat(err.toString().strip()).isEqualTo("weir: no such rule: \"oders\" (did you mean \"orders\"?)");
        assertThat(run("switch", "orders", "release")).isEqualTo(3);
        assertThat(err.toString()).contains("api/orders is not switched");
    }

    @Test
    void aRuleOfEnvoysFormatHasTheNameThatListsAndMetricsShow(@TempDir Path other) throws Exception {
        Path rules = Files.writeString(
                other.resolve("front.yaml"),
                "{domain: front, descriptors: [{key: user, rate_limit: {unit: minute, requests_per_unit: 60}}]}");
        try (RunningServer front =
                RunningServer.with(rules, "data", other.resolve("data").toString())) {
            String admin = "http://" + front.server.admin();
            assertThat(executeAt(admin, "switch", "user", "shadow")).isZero();
            assertThat(out.toString().strip()).isEqualTo("user: shadow");
            assertThat(executeAt(admin, "switch")).isZero();
            assertThat(out.toString()).containsPattern("front +user +shadow ");
            assertThat(executeAt(admin, "switch", "user", "release")).isZero();
        }
    }

    private int check() {
        return execute(List.of("check", "api", "user_id=u_42", "--url", running.url()));
    }

    private int run(String command, String... arguments) {
        return executeAt("http://" + running.server.admin(), command, arguments);
    }
}
