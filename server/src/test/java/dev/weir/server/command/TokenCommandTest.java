package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.PemFiles;
import dev.weir.server.RunningServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens from the command line, on an admin port that speaks TLS. */
class TokenCommandTest extends AtTheTerminal {
    @TempDir
    Path folder;

    private String address = "";

    @Test
    void aTokenIsMadeUsedRenewedAndTakenBack() throws Exception {
        Path rules = Files.writeString(
                folder.resolve("rules.yaml"), "{domain: api, tiers: {pro: {requests: 9, window: 1s}}, rules: []}");
        PemFiles pem = PemFiles.in(folder, "server");
        try (RunningServer running = RunningServer.with(
                rules,
                "data",
                folder.resolve("data").toString(),
                "admin_tls_cert",
                pem.certificate().toString(),
                "admin_tls_key",
                pem.key().toString())) {
            address = "https://" + running.server.admin();
            assertThat(run("token", "list")).isEqualTo(4);
            assertThat(err.toString()).contains("TLS error with https://127.0.0.1", "--ca");
            String ca = pem.certificate().toString();
            assertThat(run("token", "create", "ada", "--role", "admin", "--ca", ca))
                    .isZero();
            assertThat(err.toString()).contains("ada: admin. It is shown only once:");
            assertThat(out.toString()).matches("weir_[a-z0-9]{10}_[0-9A-Za-z]{43}\\R");
            String admin =
                    Files.writeString(folder.resolve("token"), out.toString()).toString();

            assertThat(run("token", "create", "ci", "--role", "operator", "--ca", ca))
                    .isEqualTo(2);
            assertThat(err.toString()).contains("the role admin is required to read or change tokens, with a token");
            assertThat(run("token", "create", "ci", "--role", "boss", "--ca", ca, "--token-file", admin))
                    .isEqualTo(2);
            assertThat(err.toString()).startsWith("weir: --role: unknown role 'boss'");
            assertThat(run(
                            "token",
                            "create",
                            "ci",
                            "--role",
                            "viewer",
                            "--expires",
                            "90d",
                            "--json",
                            "--ca",
                            ca,
                            "--token-file",
                            admin))
                    .isZero();
            JsonObject made = new JsonObject(out.toString());
            assertThat(made.getString("expires_at")).isNotNull();
            assertThat(run("quota", "set", "k", "--tier", "pro", "--ca", ca, "--token", made.getString("token")))
                    .isEqualTo(2);
            assertThat(err.toString())
                    .contains("the role operator is required to change quotas; the token ci has the role viewer");
            assertThat(run("rules", "list", "--ca", ca, "--token", made.getString("token")))
                    .isZero();

            assertThat(run("token", "rotate", "ci", "--grace", "0s", "--ca", ca, "--token-file", admin))
                    .isZero();
            String next = out.toString().strip();
            assertThat(run("rules", "list", "--ca", ca, "--token", made.getString("token")))
                    .isEqualTo(2);
            assertThat(err.toString()).contains("invalid token");
            assertThat(run("rules", "list", "--ca", ca, "--token", next)).isZero();

            assertThat(run("token", "list", "--ca", ca, "--token-file", admin)).isZero();
            assertThat(out.toString())
                    .containsPattern("NAME +ID +ROLE +CREATED +BY +EXPIRES +LAST USED")
                    .containsPattern("ada +\\w{10} +admin +\\S+ \\S+ +\\S+ \\(claimed\\) +never +20")
                    .containsPattern("ci +\\w{10} +viewer +\\S+ \\S+ +ada +20");
            assertThat(run("token", "revoke", "ci", "--ca", ca, "--token-file", admin))
                    .isZero();
            assertThat(run("token", "list", "--json", "--ca", ca, "--token-file", admin))
                    .isZero();
            assertThat(new JsonArray(out.toString())).hasSize(1);
            assertThat(run("token", "list", "--ca", ca, "--token-file", admin, "--token", "x"))
                    .isEqualTo(2);
            assertThat(err.toString()).contains("--token conflicts with --token-file (expected: one of them)");
        }
    }

    private int run(String command, String... arguments) {
        return executeAt(address, command, arguments);
    }
}
