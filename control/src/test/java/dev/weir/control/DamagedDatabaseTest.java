package dev.weir.control;

import static dev.weir.control.ControlContract.ANY;
import static dev.weir.control.ControlContract.OPERATOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.AuditPosition;
import dev.weir.control.audit.LastCommit;
import dev.weir.control.database.DatabaseException;
import dev.weir.control.folder.DatabaseCopy;
import dev.weir.control.rules.StoredRule;
import dev.weir.control.switches.SwitchJournal;
import dev.weir.control.token.Role;
import dev.weir.rules.internal.load.LoadOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An embedded database that is damaged, empty or gone: the server starts with its copy and refuses changes. */
class DamagedDatabaseTest {
    private static final String BODY = "{\"rate\":1,\"window\":\"1s\"}";

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void fill() throws IOException {
        file = folder.resolve("weir.mv.db");
        try (ControlPlane plane = open()) {
            plane.putRule(OPERATOR, "orders", "api", BODY, ANY, false);
            plane.tokens().create(OPERATOR, "ada", Role.ADMIN, null, false);
            plane.switches().change(OPERATOR, SwitchContract.ORDERS, SwitchContract.OFF, ANY, false, false);
        }
    }

    private ControlPlane open() throws IOException {
        return ControlPlane.open(new ControlSettings(folder, null), LoadOptions.DEFAULT);
    }

    @Test
    void aTruncatedFileStartsFromTheCopy() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        byte[] audit = Files.readAllBytes(folder.resolve(AuditFile.NAME));
        for (int part = 1; part < 8; part++) {
            Files.write(file, Arrays.copyOf(whole, whole.length * part / 8));
            try (ControlPlane plane = open()) {
                // H2 may still find everything; it must not pass for the database if it found less.
                assertThat(!plane.isConnected() || plane.version() == 3).isTrue();
                assertThat(plane.rules().rule("orders")).isNotNull();
                assertThat(plane.tokens().book().hasAdmin()).isTrue();
            }
            Files.write(folder.resolve(AuditFile.NAME), audit);
        }
    }

    @Test
    void aDatabaseThatWentBackStartsFromTheCopy() throws IOException {
        byte[] before = Files.readAllBytes(file);
        try (ControlPlane plane = open()) {
            plane.tokens().create(OPERATOR, "bob", Role.ADMIN, null, false);
            plane.tokens().revoke(OPERATOR, "ada", ANY, false);
        }
        Files.write(file, before);
        try (ControlPlane plane = open()) {
            assertThat(plane.isConnected()).isFalse();
            assertThat(plane.tokens().book().all()).extracting("name").containsExactly("bob");
        }
        new Recovery(folder).keep();
        try (ControlPlane plane = open()) {
            assertThat(plane.isConnected()).isTrue();
            assertThat(plane.tokens().book().all()).extracting("name").containsExactly("ada");
        }
    }

    @Test
    void aDatabaseThatLostOnlyItsLastChangeStartsFromTheCopy() throws IOException {
        try (ControlPlane plane = open()) {
            plane.tokens().create(OPERATOR, "bob", Role.ADMIN, null, false);
        }
        byte[] before = Files.readAllBytes(file);
        try (ControlPlane plane = open()) {
            plane.tokens().revoke(OPERATOR, "ada", ANY, false);
        }
        Files.write(file, before);
        try (ControlPlane plane = open()) {
            assertThat(plane.isConnected()).isFalse();
            assertThat(plane.tokens().book().all()).extracting("name").containsExactly("bob");
        }
    }

    @Test
    void aChangeThatAKillInterruptedDidNotHappen() throws IOException {
        byte[] before = Files.readAllBytes(file);
        byte[] committed = Files.readAllBytes(folder.resolve(LastCommit.NAME));
        try (ControlPlane plane = open()) {
            plane.tokens().create(OPERATOR, "bob", Role.ADMIN, null, false);
        }
        Files.write(file, before);
        Files.write(folder.resolve(LastCommit.NAME), committed);
        try (ControlPlane plane = open()) {
            assertThat(plane.isConnected()).isTrue();
            assertThat(plane.version()).isEqualTo(3);
            assertThat(plane.tokens().book().all()).extracting("name").containsExactly("ada");
            plane.putRule(OPERATOR, "later", "api", BODY, ANY, false);
            assertThat(plane.verifyAudit().problems()).isEmpty();
        }
    }

    /** Without the file it is unknown whether the last line of the audit was acknowledged. */
    @Test
    void withoutTheLastCommitAnInterruptedChangeIsToleratedUnlessItIsOfAToken() throws IOException {
        byte[] before = Files.readAllBytes(file);
        byte[] audit = Files.readAllBytes(folder.resolve(AuditFile.NAME));
        for (boolean ofToken : new boolean[] {false, true}) {
            try (ControlPlane plane = open()) {
                if (ofToken) {
                    plane.tokens().revoke(OPERATOR, "ada", ANY, false);
                } else {
                    plane.putRule(OPERATOR, "later", "api", BODY, ANY, false);
                }
            }
            Files.write(file, before);
            for (String unknown : new String[] {"", "damaged", "0000000000000000003 0000000000000000002\n"}) {
                byte[] written = Files.readAllBytes(folder.resolve(AuditFile.NAME));
                Files.writeString(folder.resolve(LastCommit.NAME), unknown);
                try (ControlPlane plane = open()) {
                    assertThat(plane.isConnected()).as(unknown).isEqualTo(!ofToken);
                }
                Files.write(file, before);
                Files.write(folder.resolve(AuditFile.NAME), written);
            }
            Files.write(folder.resolve(AuditFile.NAME), audit);
        }
    }

    /** A server that is killed within a second of a change leaves a copy from before it. */
    @Test
    void aStaleCopyDoesNotBringARevokedTokenBack() throws IOException {
        try (ControlPlane plane = open()) {
            plane.tokens().create(OPERATOR, "bob", Role.ADMIN, null, false);
        }
        byte[] stale = Files.readAllBytes(folder.resolve(DatabaseCopy.NAME));
        try (ControlPlane plane = open()) {
            plane.tokens().revoke(OPERATOR, "ada", ANY, false);
            plane.putRule(OPERATOR, "later", "api", BODY, ANY, false);
        }
        Files.write(folder.resolve(DatabaseCopy.NAME), stale);
        Files.writeString(file, "damaged");
        try (ControlPlane plane = open()) {
            assertThat(plane.tokens().book().all()).extracting("name").containsExactly("bob");
            assertThat(plane.rules().rule("orders")).isNotNull();
        }
    }

    @Test
    void aStaleCopyWithoutTheAdminTokenDoesNotOpenTheAdminPort(@TempDir Path other) throws IOException {
        folder = other;
        file = folder.resolve("weir.mv.db");
        try (ControlPlane plane = open()) {
            plane.putRule(OPERATOR, "orders", "api", BODY, ANY, false);
        }
        byte[] stale = Files.readAllBytes(folder.resolve(DatabaseCopy.NAME));
        try (ControlPlane plane = open()) {
            plane.tokens().create(OPERATOR, "first", Role.ADMIN, null, false);
        }
        Files.write(folder.resolve(DatabaseCopy.NAME), stale);
        Files.writeString(file, "damaged");
        theTokensAreLost();
    }

    @Test
    void aStaleCopyWhoseAdminTokenWasRotatedDoesNotOpenTheAdminPort() throws IOException {
        byte[] stale = Files.readAllBytes(folder.resolve(DatabaseCopy.NAME));
        try (ControlPlane plane = open()) {
            plane.tokens().rotate(OPERATOR, "ada", Duration.ZERO, null, ANY, false);
        }
        Files.write(folder.resolve(DatabaseCopy.NAME), stale);
        Files.writeString(file, "damaged");
        theTokensAreLost();
    }

    @Test
    void aCopyThatTheAuditDoesNotVouchForGivesNoTokens() throws IOException {
        Path copy = folder.resolve(DatabaseCopy.NAME);
        Path audit = folder.resolve(AuditFile.NAME);
        String[] lines = Files.readString(audit).split("(?<=\n)");
        Files.writeString(file, "damaged");
        Files.writeString(audit, lines[0] + lines[1]); // it has lost its end
        try (ControlPlane plane = open()) {
            assertThat(plane.tokens().book().hasAdmin())
                    .as("nothing was committed after the copy")
                    .isTrue();
        }
        Files.delete(folder.resolve(LastCommit.NAME));
        theTokensAreLost();
        Files.writeString(audit, String.join("", lines));
        try (ControlPlane plane = open()) {
            assertThat(plane.tokens().book().hasAdmin()).isTrue();
        }
        DatabaseCopy.Contents saved =
                Objects.requireNonNull(DatabaseCopy.in(folder).load());
        DatabaseCopy.in(folder)
                .save(new DatabaseCopy.Contents(
                        saved.rules(),
                        saved.quotas(),
                        saved.tokens(),
                        saved.switches(),
                        saved.bans(),
                        saved.audit(),
                        new AuditPosition(3, "0".repeat(64)), // of another history
                        saved.at()));
        theTokensAreLost();
        DatabaseCopy.in(folder)
                .save(new DatabaseCopy.Contents(
                        saved.rules(),
                        saved.quotas(),
                        saved.tokens(),
                        saved.switches(),
                        saved.bans(),
                        saved.audit(),
                        AuditPosition.UNKNOWN, // as earlier versions wrote it
                        saved.at()));
        theTokensAreLost();
        assertThat(copy).isNotEmptyFile();
    }

    private void theTokensAreLost() throws IOException {
        try (ControlPlane plane = open()) {
            assertThat(plane.tokens().book().isRead()).isFalse();
            assertThat(plane.tokens().book().lost()).contains("the admin port is closed", "weir recover --data");
            assertThat(plane.rules().rule("orders")).isNotNull();
        }
    }

    @Test
    void rulesOfTheCopyThatDoNotLoadAreLeftOut() throws IOException {
        DatabaseCopy.Contents saved =
                Objects.requireNonNull(DatabaseCopy.in(folder).load());
        List<StoredRule> rules = new ArrayList<>(saved.rules());
        rules.add(new StoredRule(
                "odd",
                "api",
                "{\"rate\":1,\"window\":\"1 blink\"}",
                rules.get(0).stored()));
        DatabaseCopy.in(folder)
                .save(new DatabaseCopy.Contents(
                        rules,
                        saved.quotas(),
                        saved.tokens(),
                        saved.switches(),
                        saved.bans(),
                        saved.audit(),
                        saved.position(),
                        saved.at()));
        Files.writeString(file, "damaged");
        try (ControlPlane plane = open()) {
            assertThat(plane.rules().rules()).extracting("id").containsExactly("orders");
            assertThat(plane.ruleProblems()).contains("odd");
            assertThat(plane.tokens().book().hasAdmin()).isTrue();
        }
    }

    @Test
    void garbageStartsFromTheCopy() throws IOException {
        byte[] garbage = new byte[64 << 10];
        new Random(18).nextBytes(garbage);
        Files.write(file, garbage);
        startsFromTheCopy();
        assertThat(file).hasBinaryContent(garbage);
    }

    @Test
    void anEmptyFileStartsFromTheCopy() throws IOException {
        Files.write(file, new byte[0]);
        startsFromTheCopy();
        assertThat(file).isEmptyFile();
    }

    @Test
    void aMissingFileStartsFromTheCopy() throws IOException {
        Files.delete(file);
        startsFromTheCopy();
        assertThat(file).doesNotExist();
    }

    @Test
    void aFileThatCannotBeOpenedStartsFromTheCopy() throws IOException {
        Files.delete(file);
        Files.createDirectory(file);
        startsFromTheCopy();
    }

    private void startsFromTheCopy() throws IOException {
        for (int restarts = 0; restarts < 2; restarts++) {
            try (ControlPlane plane = open()) {
                assertThat(plane.isConnected()).isFalse();
                assertThat(plane.isKnown()).isTrue();
                assertThat(plane.rules().rule("orders")).isNotNull();
                assertThat(plane.tokens().book().hasAdmin()).isTrue();
                assertThat(plane.switches().get(SwitchContract.ORDERS)).isNotNull();
                assertThatThrownBy(() -> plane.putRule(OPERATOR, "late", "api", BODY, ANY, false))
                        .isInstanceOf(DatabaseException.class)
                        .hasMessageContaining("weir recover --data " + folder);
            }
        }
    }

    @Test
    void switchesStillWorkAndAreAuditedInTheFolder() throws IOException {
        Files.write(file, new byte[0]);
        try (ControlPlane plane = open()) {
            plane.switches().follow(null, null);
            plane.switches().change(OPERATOR, SwitchContract.ORDERS, SwitchContract.SHADOW, ANY, false, false);
        }
        assertThat(folder.resolve(SwitchJournal.NAME)).content().contains("\"shadow\"");
        try (ControlPlane plane = open()) {
            assertThat(Objects.requireNonNull(plane.switches().get(SwitchContract.ORDERS))
                            .state())
                    .isEqualTo("shadow");
        }
    }

    @Test
    void withADamagedCopyTheTokensAreUnknownAndTheCopyIsKept() throws IOException {
        Path copy = folder.resolve(DatabaseCopy.NAME);
        Files.write(file, new byte[0]);
        String whole = Files.readString(copy);
        // Without its last lines, so without some tokens or switches: a shorter file must not open the admin port.
        String[] lines = whole.split("(?<=\n)", -1);
        for (String damaged :
                new String[] {"", "x", lines[0], lines[0] + lines[1], whole.replace("\"admin\"", "\"viewer\"")}) {
            Files.writeString(copy, damaged);
            try (ControlPlane plane = open()) {
                assertThat(plane.tokens().book().isRead()).as(damaged).isFalse();
                assertThat(plane.isKnown()).as(damaged).isFalse();
                assertThat(plane.rules().rules()).isEmpty();
            }
            assertThat(copy).hasContent(damaged);
        }
    }

    @Test
    void theAuditAloneShowsThatAnEmptyFileHasLostSomething() throws IOException {
        Files.delete(file);
        Files.delete(folder.resolve(DatabaseCopy.NAME));
        try (ControlPlane plane = open()) {
            assertThat(plane.isConnected()).isFalse();
            assertThat(plane.tokens().book().isRead()).isFalse();
        }
        assertThat(folder.resolve(AuditFile.NAME)).isNotEmptyFile();
    }

    @Test
    void anEmptyFileInANewFolderIsAFreshStart(@TempDir Path other) throws IOException {
        Files.createFile(other.resolve("weir.mv.db"));
        for (int restarts = 0; restarts < 2; restarts++) {
            try (ControlPlane plane = ControlPlane.open(new ControlSettings(other, null), LoadOptions.DEFAULT)) {
                assertThat(plane.isConnected()).isTrue();
            }
            // A power loss before H2 wrote its file, after the copy of nothing was written.
            Files.write(other.resolve("weir.mv.db"), new byte[0]);
        }
    }
}
