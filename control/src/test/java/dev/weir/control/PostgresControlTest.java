package dev.weir.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.AuditVerification;
import dev.weir.control.database.DatabaseException;
import dev.weir.control.database.PostgresUrl;
import dev.weir.control.folder.DatabaseCopy;
import dev.weir.control.testkit.Postgres;
import dev.weir.control.token.Role;
import dev.weir.rules.internal.load.LoadOptions;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a real PostgreSQL, alone and with other nodes. */
class PostgresControlTest extends ControlContract {
    private static final Duration BUDGET = Duration.ofSeconds(2);

    private final PostgresUrl url = PostgresUrl.parse(Postgres.database());

    @Override
    ControlSettings settings() {
        return new ControlSettings(null, url);
    }

    @Test
    void changesReachTheOtherNode() throws IOException {
        System.out.println("20 changes, notified: worst " + worst(true, 20));
    }

    @Test
    void changesReachTheOtherNodeWhenNotificationsAreDropped() throws IOException {
        System.out.println("3 changes, polled: worst " + worst(false, 3));
    }

    private Duration worst(boolean notified, int changes) throws IOException {
        try (ControlPlane here = ControlPlane.open(settings(), LoadOptions.DEFAULT);
                ControlPlane there = ControlPlane.open(settings(), LoadOptions.DEFAULT, notified)) {
            Duration worst = Duration.ZERO;
            for (int i = 1; i <= changes; i++) {
                int rate = i;
                here.putRule(OPERATOR, "r", "api", "{\"rate\":" + rate + ",\"window\":\"1s\"}", ANY, false);
                long start = System.nanoTime();
                Awaitility.await()
                        .atMost(BUDGET)
                        .pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> there.rules().rule("r") != null
                                && Objects.requireNonNull(there.rules().rule("r"))
                                        .body()
                                        .contains(":" + rate + ","));
                Duration took = Duration.ofNanos(System.nanoTime() - start);
                worst = took.compareTo(worst) > 0 ? took : worst;
            }
            assertThat(worst).isLessThan(BUDGET);
            return worst;
        }
    }

    @Test
    void aTokenRevokedOnOneNodeIsRefusedOnTheOther() throws IOException {
        try (ControlPlane here = ControlPlane.open(settings(), LoadOptions.DEFAULT);
                ControlPlane there = ControlPlane.open(settings(), LoadOptions.DEFAULT, false)) {
            String text = reveal(here.tokens().create(OPERATOR, "ci", Role.VIEWER, null, false));
            Awaitility.await().atMost(BUDGET).until(() -> "ci".equals(holder(there, text)));
            here.tokens().revoke(OPERATOR, "ci", ANY, false);
            Awaitility.await().atMost(BUDGET).until(() -> holder(there, text) == null);
        }
    }

    @Test
    void theAuditFilesOfTwoNodesAreEqual(@TempDir Path a, @TempDir Path b) throws IOException {
        try (ControlPlane here = ControlPlane.open(new ControlSettings(a, url), LoadOptions.DEFAULT);
                ControlPlane there = ControlPlane.open(new ControlSettings(b, url), LoadOptions.DEFAULT)) {
            for (int i = 0; i < 6; i++) {
                (i % 2 == 0 ? here : there).putQuota(OPERATOR, quota("k" + i, null, null), ANY, false);
            }
            Awaitility.await().atMost(BUDGET).until(() -> here.version() == 6 && there.version() == 6);
        }
        AuditVerification one = AuditVerification.ofFile(a.resolve(AuditFile.NAME));
        assertThat(one.problems()).isEmpty();
        assertThat(one.changes()).isEqualTo(6);
        assertThat(AuditVerification.ofFile(b.resolve(AuditFile.NAME))).isEqualTo(one);
    }

    /** The copy for a restart is a pipe that nobody reads. */
    @Test
    void aQuotaBeginsAlsoWhileTheDiskDoesNotAnswer(@TempDir Path data) throws Exception {
        Path pipe = data.resolve(DatabaseCopy.NAME + ".new");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        CompletableFuture<String> copy;
        try (ControlPlane plane = ControlPlane.open(new ControlSettings(data, url), LoadOptions.DEFAULT)) {
            try {
                plane.putQuota(
                        OPERATOR,
                        quota("k", Instant.now().plusSeconds(2), Instant.now().plusSeconds(60)),
                        ANY,
                        false);
                Awaitility.await().until(() -> plane.quotas().of("k") != null);
            } finally {
                copy = CompletableFuture.supplyAsync(() -> read(pipe));
            }
        }
        assertThat(copy.join()).contains("\"api_key\":\"k\"");
    }

    private static String read(Path pipe) {
        try {
            return Files.readString(pipe);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aCopyThatLostEverythingIsNone(@TempDir Path data) throws IOException {
        PostgresUrl away = PostgresUrl.parse("postgresql://127.0.0.1:1/away");
        Path copy = Files.createFile(data.resolve(DatabaseCopy.NAME));
        try (ControlPlane plane = ControlPlane.open(new ControlSettings(data, away), LoadOptions.DEFAULT)) {
            assertThat(plane.tokens().book().isRead()).isFalse();
        }
        DatabaseCopy.in(data).save(DatabaseCopy.Contents.none(Instant.now()));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)))
                .isEqualTo("rw-------");
        try (ControlPlane plane = ControlPlane.open(new ControlSettings(data, away), LoadOptions.DEFAULT)) {
            assertThat(plane.tokens().book().isRead()).isTrue();
        }
    }

    @Test
    void aDatabaseThatIsAwayChangesNothingAndComesBack(@TempDir Path data, @TempDir Path pg) throws IOException {
        EmbeddedPostgres server = Postgres.server(pg, 0);
        PostgresUrl own = PostgresUrl.parse(Postgres.url(server.getPort(), "postgres"));
        ControlSettings settings = new ControlSettings(data, own);
        String token;
        try (ControlPlane plane = ControlPlane.open(settings, LoadOptions.DEFAULT)) {
            plane.putRule(OPERATOR, "r", "api", "{\"rate\":5,\"window\":\"1s\"}", ANY, false);
            plane.putQuota(OPERATOR, quota("k", null, null), ANY, false);
            token = reveal(plane.tokens().create(OPERATOR, "ci", Role.OPERATOR, null, false));
            plane.tokens().rotate(OPERATOR, "ci", Duration.ofHours(1), null, ANY, false);
            server.close();
            assertThatThrownBy(() -> plane.putRule(OPERATOR, "r", "api", "{\"rate\":6,\"window\":\"1s\"}", ANY, false))
                    .isInstanceOf(DatabaseException.class);
            Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> !plane.isConnected());
            assertThat(plane.rules().rule("r")).isNotNull();
            assertThat(plane.quotas().of("k")).isNotNull();
        }
        try (ControlPlane restarted = ControlPlane.open(settings, LoadOptions.DEFAULT)) {
            assertThat(restarted.isConnected()).isFalse();
            assertThat(restarted.rules().rule("r")).isNotNull();
            assertThat(restarted.quotas().of("k")).isNotNull();
            assertThat(holder(restarted, token)).isEqualTo("ci");
            EmbeddedPostgres again = Postgres.server(pg, server.getPort());
            try {
                Awaitility.await().atMost(Duration.ofSeconds(10)).until(restarted::isConnected);
                restarted.putRule(OPERATOR, "r", "api", "{\"rate\":6,\"window\":\"1s\"}", ANY, false);
                assertThat(restarted.version()).isEqualTo(5);
            } finally {
                again.close();
            }
        }
    }
}
