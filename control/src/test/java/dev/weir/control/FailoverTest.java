package dev.weir.control;

import static dev.weir.control.ControlContract.OPERATOR;
import static dev.weir.control.DatabaseContract.ANY;
import static dev.weir.control.SwitchContract.OFF;
import static dev.weir.control.SwitchContract.ORDERS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.AuditVerification;
import dev.weir.control.database.PostgresUrl;
import dev.weir.control.testkit.Postgres;
import dev.weir.control.token.Role;
import dev.weir.rules.internal.load.LoadOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A standby without the last changes replaces the database, and other changes get their numbers before a node polls.
 */
class FailoverTest {
    private static final Duration BACK = Duration.ofSeconds(20);
    private static final String BODY = "{\"rate\":1,\"window\":\"1s\"}";

    private final String primary = Postgres.database();
    private final PostgresUrl admin = PostgresUrl.parse(Postgres.database());

    @Test
    void lostChangesAreReplacedAndALostSwitchIsWrittenAgain(@TempDir Path data) throws Exception {
        String leaked;
        try (ControlPlane plane = open(null, primary)) {
            leaked = ControlContract.reveal(plane.tokens().create(OPERATOR, "leaked", Role.ADMIN, null, false));
        }
        String standby = primary + "_standby";
        execute("CREATE DATABASE " + name(standby) + " TEMPLATE " + name(primary));
        try (ControlPlane here = open(data, primary)) {
            here.switches().follow(null, null);
            here.switches().change(OPERATOR, ORDERS, OFF, ANY, false, false);
            here.putRule(OPERATOR, "lost", "api", BODY, ANY, false);
            try (ControlPlane there = open(null, standby)) {
                there.tokens().revoke(OPERATOR, "leaked", ANY, false);
                there.putRule(OPERATOR, "kept", "api", BODY, ANY, false);
                assertThat(there.version()).isEqualTo(here.version());
            }
            failOver(standby);
            Awaitility.await().atMost(BACK).until(() -> ControlContract.holder(here, leaked) == null);
            assertThat(here.rules().rules()).extracting("id").containsExactly("kept");
            assertThat(here.switches().get(ORDERS)).isNotNull();
            Awaitility.await().atMost(BACK).until(() -> here.version() == 4);
            assertThat(here.audit(3, 1).get(0).line().text()).contains("\"kind\":\"switch\"", "\"state\":\"off\"");
            assertThat(AuditVerification.ofFile(data.resolve(AuditFile.NAME))).isEqualTo(here.verifyAudit());
            assertThat(here.verifyAudit().problems()).isEmpty();
        }
    }

    private static ControlPlane open(@Nullable Path data, String url) throws IOException {
        return ControlPlane.open(new ControlSettings(data, PostgresUrl.parse(url)), LoadOptions.DEFAULT);
    }

    private void failOver(String standby) throws SQLException {
        String lost = name(primary);
        execute("ALTER DATABASE " + lost + " ALLOW_CONNECTIONS false");
        execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + lost + "'");
        Awaitility.await().atMost(BACK).ignoreException(SQLException.class).until(() -> {
            execute("ALTER DATABASE " + lost + " RENAME TO " + lost + "_lost");
            return true;
        });
        execute("ALTER DATABASE " + name(standby) + " RENAME TO " + lost);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(admin.jdbc(), admin.user(), admin.password());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String name(String url) {
        return url.substring(url.lastIndexOf('/') + 1);
    }
}
