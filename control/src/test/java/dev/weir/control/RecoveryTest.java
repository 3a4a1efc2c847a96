package dev.weir.control;

import static dev.weir.control.ControlContract.ANY;
import static dev.weir.control.ControlContract.OPERATOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.AuditVerification;
import dev.weir.control.data.StoredVersion;
import dev.weir.control.database.Database;
import dev.weir.control.folder.DatabaseCopy;
import dev.weir.control.folder.LaterChanges;
import dev.weir.control.quota.StoredQuota;
import dev.weir.control.token.Role;
import dev.weir.control.token.TokenCache;
import dev.weir.control.token.TokenText;
import dev.weir.rules.internal.load.LoadOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recovery of a damaged embedded database, from the copy, from a backup, or to nothing. */
class RecoveryTest {
    private static final String BODY = "{\"rate\":1,\"window\":\"1s\"}";

    @TempDir
    private Path folder;

    @TempDir
    private Path elsewhere;

    private TokenText token;

    @BeforeEach
    void fillBackUpAndDamage() throws IOException {
        try (ControlPlane plane = open()) {
            plane.putRule(OPERATOR, "orders", "api", BODY, ANY, false);
            plane.putQuota(
                    OPERATOR,
                    new StoredQuota("acme", "gold", List.of(), null, null, new StoredVersion(0, Instant.EPOCH, "")),
                    ANY,
                    false);
            token = Objects.requireNonNull(plane.tokens()
                    .create(OPERATOR, "ada", Role.ADMIN, null, false)
                    .text());
            plane.switches().change(OPERATOR, SwitchContract.ORDERS, SwitchContract.OFF, ANY, false, false);
            DatabaseCopy.at(elsewhere.resolve("backup")).save(plane.backup());
            plane.putRule(OPERATOR, "later", "api", BODY, ANY, false);
        }
        Files.writeString(folder.resolve(Database.EMBEDDED), "damaged");
    }

    private ControlPlane open() throws IOException {
        return ControlPlane.open(new ControlSettings(folder, null), LoadOptions.DEFAULT);
    }

    @Test
    void theCopyBringsEverythingBackAndTheAuditGoesOn() throws IOException {
        try (ControlPlane damaged = open()) {
            damaged.switches().change(OPERATOR, SwitchContract.ORDERS, SwitchContract.SHADOW, ANY, false, false);
        }
        Recovery.Recovered done = recover(DatabaseCopy.in(folder));
        assertThat(done.aside()).hasContent("damaged");
        assertThat(done.audited()).isEqualTo(5);
        try (ControlPlane plane = open()) {
            assertThat(plane.rules().rules()).extracting("id").containsExactly("later", "orders");
            holdsTheRest(plane);
            plane.switches().follow(null, null);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(10))
                    .until(() -> plane.switches().unreconciled() == 0);
            assertThat(Objects.requireNonNull(plane.switches().get(SwitchContract.ORDERS))
                            .state())
                    .isEqualTo("shadow");
            plane.putRule(OPERATOR, "new", "api", BODY, ANY, false);
            AuditVerification audit = plane.verifyAudit();
            assertThat(audit.problems()).isEmpty();
            assertThat(audit.changes()).isEqualTo(8); // five before, the recovery, the switch, the new rule
            assertThat(AuditVerification.ofFile(folder.resolve(AuditFile.NAME))).isEqualTo(audit);
        }
        assertThat(folder.resolve(AuditFile.NAME)).content().contains("\"kind\":\"recovery\"", "\"from\":\"a test\"");
    }

    @Test
    void aBackupBringsItsMomentBackWithItsAudit() throws IOException {
        assertThat(recover(DatabaseCopy.at(elsewhere.resolve("backup"))).audited())
                .isEqualTo(4);
        try (ControlPlane plane = open()) {
            assertThat(plane.rules().rules()).extracting("id").containsExactly("orders");
            holdsTheRest(plane);
            assertThat(plane.switches().get(SwitchContract.ORDERS)).isNotNull();
            assertThat(plane.verifyAudit().problems()).isEmpty();
            assertThat(plane.version()).isEqualTo(5);
        }
    }

    private void holdsTheRest(ControlPlane plane) {
        assertThat(plane.isConnected()).isTrue();
        assertThat(plane.quotas().get("acme")).isNotNull();
        assertThat(plane.tokens().book().find(token.reveal(), Instant.now()))
                .isInstanceOf(TokenCache.Found.Known.class);
    }

    @Test
    void aStaleCopyOrABackupTellsWhatItLacksAndWhoseTokenChanged() throws IOException {
        try (ControlPlane plane = recoveredOpen()) {
            plane.tokens().create(OPERATOR, "bob", Role.ADMIN, null, false);
            plane.tokens().revoke(OPERATOR, "ada", ANY, false);
            plane.putRule(OPERATOR, "last", "api", BODY, ANY, false);
        }
        DatabaseCopy.Contents backup = Objects.requireNonNull(
                DatabaseCopy.at(elsewhere.resolve("backup")).load());
        LaterChanges later = LaterChanges.than(backup, folder, false);
        assertThat(later.summary()).isEqualTo("recovery (6), rule (5, 9), token (7, 8)");
        assertThat(backup.tokens()).hasSize(1);
        assertThat(later.untouched(backup)).isEmpty();
        assertThat(later.tellWhoMayGetIn(backup)).isFalse();
        DatabaseCopy.Contents copy =
                Objects.requireNonNull(DatabaseCopy.in(folder).load());
        assertThat(LaterChanges.than(copy, folder, false).changes()).isEmpty();
    }

    private ControlPlane recoveredOpen() throws IOException {
        try (ControlPlane damaged = open()) {
            assertThat(damaged.isConnected()).isFalse();
        }
        recover(DatabaseCopy.in(folder));
        return open();
    }

    @Test
    void nothingIsAFreshStartThatKeepsTheAudit() throws IOException {
        new Recovery(folder).replace(DatabaseCopy.Contents.none(Instant.now()), "nothing", OPERATOR);
        try (ControlPlane plane = open()) {
            assertThat(plane.isConnected()).isTrue();
            assertThat(plane.rules().rules()).isEmpty();
            assertThat(plane.version()).isEqualTo(6);
            assertThat(plane.verifyAudit().problems()).isEmpty();
        }
    }

    @Test
    void aFolderInUseIsNotRecovered() throws IOException {
        try (ControlPlane plane = open()) {
            assertThat(plane.isConnected()).isFalse();
            assertThatThrownBy(() -> recover(DatabaseCopy.in(folder))).hasMessageContaining("another server");
        }
        assertThat(folder.resolve(Database.EMBEDDED)).hasContent("damaged");
    }

    private Recovery.Recovered recover(DatabaseCopy from) throws IOException {
        return new Recovery(folder).replace(Objects.requireNonNull(from.load()), "a test", OPERATOR);
    }
}
