package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.control.ControlPlane;
import dev.weir.control.ControlSettings;
import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.Author;
import dev.weir.control.audit.LastCommit;
import dev.weir.control.change.Precondition;
import dev.weir.control.database.Database;
import dev.weir.control.folder.DatabaseCopy;
import dev.weir.control.token.Role;
import dev.weir.rules.internal.load.LoadOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir recover} from a copy that a server left behind when it was killed right after changes. */
class StaleCopyRecoveryTest extends AtTheTerminal {
    private static final Author ADA = new Author("ada", "", "");

    @TempDir
    Path data;

    @BeforeEach
    void fillAndDamage() throws IOException {
        try (ControlPlane plane = open()) {
            for (String each : List.of("ada", "bob", "eve")) {
                plane.tokens().create(ADA, each, Role.ADMIN, null, false);
            }
        }
        byte[] stale = Files.readAllBytes(data.resolve(DatabaseCopy.NAME));
        try (ControlPlane plane = open()) {
            plane.tokens().revoke(ADA, "eve", new Precondition.None(), false);
            plane.putRule(ADA, "late", "api", "{\"rate\":1,\"window\":\"1s\"}", new Precondition.None(), false);
        }
        Files.write(data.resolve(DatabaseCopy.NAME), stale);
        Files.writeString(data.resolve(Database.EMBEDDED), "damaged");
    }

    private ControlPlane open() throws IOException {
        return ControlPlane.open(new ControlSettings(data, null), LoadOptions.DEFAULT);
    }

    @Test
    void aRevokedTokenStaysRevokedAndTheLostChangesAreNamed() throws IOException {
        assertThat(recover()).isEqualTo(2);
        assertThat(err.toString()).contains("later changes: rule (5), token (4)");
        assertThat(recover("--from-copy")).isZero();
        assertThat(out.toString())
                .contains("later changes, which are in audit.jsonl only: rule (5), token (4)")
                .contains("not taken over, because it was revoked or rotated: the token eve")
                .contains("tokens: 2")
                .doesNotContain("there is no admin token");
        assertThat(tokens()).containsExactlyInAnyOrder("ada", "bob");
    }

    @Test
    void withoutAnAuditFileToCompareWithTheCopyGivesNoTokens() throws IOException {
        Files.delete(data.resolve(AuditFile.NAME));
        Files.delete(data.resolve(LastCommit.NAME));
        assertThat(recover("--from-copy")).isZero();
        assertThat(out.toString())
                .contains("later changes are unknown")
                .contains("not taken over, because it may have been revoked or rotated: the token eve")
                .contains("there is no admin token: start the server on 127.0.0.1");
        assertThat(tokens()).isEmpty();
    }

    private List<String> tokens() throws IOException {
        try (ControlPlane plane = open()) {
            assertThat(plane.isConnected()).isTrue();
            return plane.tokens().all().stream().map(each -> each.name()).toList();
        }
    }

    private int recover(String... choice) {
        List<String> all = new ArrayList<>(List.of("recover", "--data", data.toString()));
        all.addAll(List.of(choice));
        return execute(all);
    }
}
