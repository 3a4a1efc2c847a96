package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.control.database.Database;
import dev.weir.control.folder.DatabaseCopy;
import dev.weir.testkit.ServedProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server whose embedded database is damaged, as its operator meets it: the shipped server and the commands. */
class RecoverCommandTest extends AtTheTerminal {
    @TempDir
    Path folder;

    private Path data;
    private Path token;
    private Path backup;

    @BeforeEach
    void fillAndBackUp() throws IOException {
        data = folder.resolve("data");
        token = folder.resolve("token");
        backup = folder.resolve("weir.backup");
        Files.writeString(folder.resolve("rule.yaml"), "{domain: api, rate: 5, window: 1m}");
        try (ServedProcess served = serve()) {
            assertThat(executeAt(served.admin(), "token", "create", "ada", "--role", "admin"))
                    .isZero();
            Files.writeString(token, out.toString());
            assertThat(putRule(served, "orders")).as(err.toString()).isZero();
            assertThat(executeAt(served.admin(), "backup", backup.toString())).isEqualTo(2);
            assertThat(err.toString()).contains("the role admin is required to read a backup");
            assertThat(backup).doesNotExist();
            Path nowhere = folder.resolve("nowhere");
            assertThat(admin(served, "backup", nowhere.resolve("weir.backup").toString()))
                    .isEqualTo(3);
            assertThat(err.toString().strip()).isEqualTo("weir: " + nowhere + ": no such folder");
            assertThat(admin(served, "backup", backup.toString())).isZero();
            assertThat(out.toString()).contains("rules: 1, quotas: 0, tokens: 1, switches: 0, audited changes: 2");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(backup)))
                    .isEqualTo("rw-------");
            stop(served);
        }
        Files.writeString(data.resolve(Database.EMBEDDED), "damaged");
    }

    @Test
    void aDamagedDatabaseIsRecoveredFromTheCopy() throws Exception {
        try (ServedProcess served = serve()) {
            assertThat(get(served.http() + "/healthcheck").body()).contains("database: damaged");
            assertThat(putRule(served, "late")).isEqualTo(4);
            assertThat(err.toString())
                    .contains("cannot be used", "stop the server and run: weir recover --data " + data);
            assertThat(admin(served, "switch", "all", "shadow")).isZero();
            assertThat(admin(served, "backup", backup + "2")).isEqualTo(4);
            assertThat(recover("--from-copy")).isEqualTo(2);
            assertThat(err.toString()).contains("another server");
            stop(served);
        }
        assertThat(recover()).isEqualTo(2);
        assertThat(err.toString()).contains("--from-copy", "rules: 1, quotas: 0, tokens: 1", "--from-backup FILE");
        assertThat(recover("--from-copy", "--reason", "disk")).isZero();
        assertThat(out.toString()).contains("rules: 1, quotas: 0, tokens: 1", "the old database is now " + data);
        assertThat(Logger.getLogger("com.zaxxer.hikari").isLoggable(Level.INFO))
                .as("what the database's libraries do is nothing for the operator")
                .isFalse();
        try (ServedProcess served = serve()) {
            assertThat(putRule(served, "late")).as(err.toString()).isZero();
            assertThat(admin(served, "switch")).isZero();
            assertThat(out.toString()).contains("shadow");
            assertThat(admin(served, "audit", "verify")).isZero();
        }
    }

    @Test
    void withoutTokensTheAdminPortIsClosedUntilABackupIsRestored() throws Exception {
        Files.writeString(data.resolve(DatabaseCopy.NAME), "damaged as well");
        try (ServedProcess served = serve()) {
            for (String each : List.of("/rlconfig", "/admin/v1/whoami", "/v1/ratelimit/config", "/version")) {
                HttpResponse<String> answer = get(served.admin() + each);
                assertThat(answer.statusCode()).as(each).isEqualTo(503);
                assertThat(answer.body()).contains("tokens are unknown", "weir recover --data " + data);
            }
            assertThat(admin(served, "switch", "all", "off")).isEqualTo(4);
            stop(served);
        }
        assertThat(recover("--from-copy")).isEqualTo(1);
        assertThat(recover("--from-backup", folder.resolve("nowhere").toString()))
                .isEqualTo(3);
        assertThat(data.resolve(Database.EMBEDDED)).hasContent("damaged");
        assertThat(recover("--from-backup", backup.toString())).isZero();
        try (ServedProcess served = serve()) {
            assertThat(admin(served, "rules", "get", "orders")).isZero();
            assertThat(admin(served, "token", "list")).isZero();
        }
    }

    private ServedProcess serve() throws IOException {
        return ServedProcess.in(folder, "--data=" + data);
    }

    /** Ends it as an operator does, so that nothing is left to write. */
    private static void stop(ServedProcess served) {
        served.process().toHandle().destroy();
        served.process().onExit().join();
    }

    private int putRule(ServedProcess served, String id) {
        return admin(
                served, "rules", "put", id, "-f", folder.resolve("rule.yaml").toString());
    }

    private int admin(ServedProcess served, String command, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--token-file", token.toString()));
        return executeAt(served.admin(), command, all.toArray(String[]::new));
    }

    private int recover(String... choice) {
        List<String> all = new ArrayList<>(List.of("recover", "--data", data.toString()));
        all.addAll(List.of(choice));
        return execute(all);
    }

    private static HttpResponse<String> get(String url) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
    }
}
