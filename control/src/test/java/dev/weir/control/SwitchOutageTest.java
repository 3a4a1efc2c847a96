package dev.weir.control;

import static dev.weir.control.SwitchContract.ADA;
import static dev.weir.control.SwitchContract.ANY;
import static dev.weir.control.SwitchContract.OFF;
import static dev.weir.control.SwitchContract.ORDERS;
import static dev.weir.control.SwitchContract.SHADOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.control.audit.AuditVerification;
import dev.weir.control.audit.Author;
import dev.weir.control.database.DatabaseException;
import dev.weir.control.database.PostgresUrl;
import dev.weir.control.switches.SwitchChange;
import dev.weir.control.switches.SwitchChange.Via;
import dev.weir.control.switches.SwitchJournal;
import dev.weir.control.switches.SwitchName;
import dev.weir.control.testkit.Postgres;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.ruleset.RuleSwitches.Setting;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.rules.internal.load.LoadOptions;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Switches while a real PostgreSQL is stopped, and when it is back. */
class SwitchOutageTest {
    private static final Duration BUDGET = Duration.ofSeconds(2);
    private static final Duration BACK = Duration.ofSeconds(20);
    private static final Author BOB = new Author("bob", "10.0.0.2", "redis it is");

    private static final FleetSecret SECRET = new FleetSecret(List.of("0123456789abcdef0123456789abcdef"));

    private final InMemoryNoteRelay relay = new InMemoryNoteRelay();

    /** One for all tests, each of which has a database in it: making one takes seconds. */
    @TempDir
    private static Path pg;

    @TempDir
    private Path a;

    @TempDir
    private Path b;

    private String database = "";
    private EmbeddedPostgres server;
    private ControlPlane here;
    private ControlPlane there;

    @BeforeEach
    void open() throws IOException {
        server = Postgres.server(pg, 0);
        database = Postgres.database(server);
        here = open(a);
        there = open(b);
    }

    private ControlPlane open(Path data) throws IOException {
        PostgresUrl url = PostgresUrl.parse(Postgres.url(server.getPort(), database));
        return ControlPlane.open(new ControlSettings(data, url), LoadOptions.DEFAULT);
    }

    @AfterEach
    void close() throws IOException {
        here.close();
        there.close();
        server.close();
    }

    private void stopDatabase() throws IOException {
        server.close();
        Awaitility.await().atMost(BACK).until(() -> !here.isConnected() && !there.isConnected());
    }

    private void startDatabase() throws IOException {
        server = Postgres.server(pg, server.getPort());
        Awaitility.await().atMost(BACK).until(() -> here.isConnected() && there.isConnected());
    }

    @Test
    void aSwitchReachesTheOtherNodeThroughTheDatabase() {
        change(here, ORDERS, OFF, false);
        Awaitility.await().atMost(BUDGET).until(() -> "off".equals(state(there, ORDERS)));
    }

    @Test
    void withoutTheDatabaseASwitchGoesThroughTheRelayAndIsAuditedLater() throws IOException {
        here.switches().follow(relay, null);
        there.switches().follow(relay, null);
        change(here, ORDERS, OFF, false);
        stopDatabase();
        SwitchChange first = change(here, ORDERS, SHADOW, false);
        assertThat(first.via()).isEqualTo(Via.REDIS);
        Awaitility.await().atMost(BUDGET).until(() -> "shadow".equals(state(there, ORDERS)));
        SwitchChange second = Objects.requireNonNull(there.switches()
                .change(BOB, SwitchName.EVERYTHING, SHADOW, ANY, false, false)
                .done());
        Awaitility.await().atMost(BUDGET).until(() -> "shadow".equals(state(here, SwitchName.EVERYTHING)));
        SwitchChange third = change(here, ORDERS, new Setting(SwitchState.ON), false);
        assertThat(here.switches().unreconciled()).isEqualTo(2);
        startDatabase();
        Awaitility.await()
                .atMost(BACK)
                .until(() -> here.switches().unreconciled() + there.switches().unreconciled() == 0);
        String audit = audit(here);
        assertThat(here.audit(0, 100)).hasSize(4);
        for (SwitchChange each : new SwitchChange[] {first, second, third}) {
            assertThat(audit)
                    .contains("\"at\":\"" + each.at() + "\",\"who\":\""
                            + each.author().name());
        }
        assertThat(audit).contains("redis it is", "\"via\":\"redis\"");
        assertThat(here.verifyAudit().problems()).isEmpty();
        assertThat(state(there, ORDERS)).isEqualTo("on");
        AuditVerification journal = AuditVerification.ofFile(a.resolve(SwitchJournal.NAME));
        assertThat(journal.problems()).isEmpty();
        assertThat(journal.changes())
                .as("two switches, and that they are reconciled")
                .isEqualTo(3);
    }

    @Test
    void aSwitchGoesThroughTheRelayWhileTheDatabaseIsLocked() throws Exception {
        here.switches().follow(relay, SECRET);
        there.switches().follow(relay, SECRET);
        try (Connection connection = server.getDatabase("postgres", database).getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT version FROM weir_version FOR UPDATE");
            assertThat(change(here, ORDERS, OFF, false).via()).isEqualTo(Via.REDIS);
            Awaitility.await().atMost(BUDGET).until(() -> "off".equals(state(there, ORDERS)));
            assertThatThrownBy(() -> here.putRule(ADA, "r", "api", "{}", ANY, false))
                    .isInstanceOfSatisfying(
                            DatabaseException.class,
                            e -> assertThat(e.isLockTimeout()).isTrue());
        }
        Awaitility.await().atMost(BACK).until(() -> here.switches().unreconciled() == 0);
        assertThat(audit(here)).contains("\"who\":\"ada\"", "\"via\":\"redis\"");
    }

    @Test
    void aLocalSwitchReachesTheOthersWhenTheDatabaseIsBackAlsoAfterARestart() throws IOException {
        here.switches().follow(relay, null);
        there.switches().follow(relay, null);
        stopDatabase();
        SwitchChange done = change(here, SwitchName.EVERYTHING, OFF, true);
        assertThat(done.via()).isEqualTo(Via.LOCAL);
        assertThat(here.switches().inForce().everything()).isEqualTo(SwitchState.OFF);
        here.close();
        here = open(a);
        here.switches().follow(relay, null);
        assertThat(here.switches().inForce().everything()).isEqualTo(SwitchState.OFF);
        Awaitility.await()
                .during(Duration.ofMillis(1_500))
                .atMost(BACK)
                .until(() -> state(there, SwitchName.EVERYTHING) == null
                        && relay.texts().isEmpty());
        startDatabase();
        Awaitility.await().atMost(BACK).until(() -> "off".equals(state(there, SwitchName.EVERYTHING)));
        Awaitility.await().atMost(BACK).until(() -> relay.texts().containsKey("all"));
        assertThat(audit(there)).contains("\"at\":\"" + done.at() + "\",\"who\":\"ada\"", "\"via\":\"local\"");
    }

    @Test
    void theLaterSwitchHoldsInWhateverOrderNodesLearnOfIt() throws IOException {
        stopDatabase();
        change(here, ORDERS, OFF, true);
        SwitchChange later = change(there, ORDERS, SHADOW, true);
        assertThat(later.stamp())
                .isGreaterThanOrEqualTo(
                        Objects.requireNonNull(here.switches().get(ORDERS)).stamp());
        there.switches().follow(null, null);
        startDatabase();
        Awaitility.await().atMost(BACK).until(() -> there.switches().unreconciled() == 0);
        here.switches().follow(null, null);
        Awaitility.await()
                .atMost(BACK)
                .until(() -> here.switches().unreconciled() == 0 && "shadow".equals(state(here, ORDERS)));
        assertThat(state(there, ORDERS)).isEqualTo("shadow");
        assertThat(here.audit(0, 10))
                .as("the one that was overtaken is audited too")
                .hasSize(2);
        assertThat(here.verifyAudit().problems()).isEmpty();
    }

    @Test
    void anotherNodeRecordsTheSwitchOfANodeThatIsGone() throws IOException {
        here.switches().follow(relay, SECRET);
        there.switches().follow(relay, SECRET);
        stopDatabase();
        change(here, ORDERS, OFF, false);
        here.close();
        Awaitility.await().atMost(BUDGET).until(() -> "off".equals(state(there, ORDERS)));
        server = Postgres.server(pg, server.getPort());
        Awaitility.await().atMost(BACK).until(there::isConnected);
        Awaitility.await().atMost(BACK).until(() -> there.audit(0, 10).size() == 1);
        assertThat(audit(there)).contains("\"who\":\"ada\"", "\"state\":\"off\"");
        here = open(a);
        here.switches().follow(relay, SECRET);
        Awaitility.await().atMost(BACK).until(() -> here.switches().unreconciled() == 0);
        assertThat(here.audit(0, 10)).as("once").hasSize(1);
    }

    @Test
    void aSwitchThatCannotReachTheOthersIsRefusedWithAHint() throws IOException {
        stopDatabase();
        assertThatThrownBy(() -> change(here, ORDERS, OFF, false))
                .isInstanceOf(DatabaseException.class)
                .hasMessageContaining("--local");
        here.switches().follow(relay, null);
        relay.away(true);
        assertThatThrownBy(() -> change(here, ORDERS, OFF, false))
                .isInstanceOf(DatabaseException.class)
                .hasMessageContaining("--local");
        assertThat(here.switches().active()).isEmpty();
        assertThat(here.switches().unreconciled()).isZero();
        assertThat(AuditVerification.ofFile(a.resolve(SwitchJournal.NAME)).changes())
                .isZero();
        change(here, ORDERS, OFF, true);
        assertThat(state(here, ORDERS)).isEqualTo("off");
    }

    @Test
    void anInvalidSwitchOnTheRelayChangesNothing() throws IOException {
        stopDatabase();
        String fine = new SwitchChange(ORDERS, OFF, Instant.now().toEpochMilli(), ADA, Via.REDIS).text();
        relay.scribble("all", "{{{{");
        relay.scribble("", "");
        relay.scribble("api/x", fine);
        relay.scribble(
                "api/later",
                new SwitchChange(new SwitchName("api", "later"), OFF, Long.MAX_VALUE, ADA, Via.REDIS).text());
        relay.scribble(
                "api/rollout", fine.replace("\"off\"", "\"on\",\"rollout\":1e9").replace("orders", "rollout"));
        relay.scribble("api/long", fine.replace("orders", "long").replace("two", "x".repeat(100_000)));
        relay.scribble("api/orders", fine);
        here.switches().follow(relay, null);
        assertThat(here.switches().active())
                .extracting(each -> each.name().rule())
                .containsExactly("orders");
    }

    /** A later version shares the relay: more fields and other ways to switch are no reason not to follow, another state is. */
    @Test
    void aSwitchOfALaterVersionHoldsIfItsStateIsKnown() throws IOException {
        stopDatabase();
        String fine = new SwitchChange(ORDERS, OFF, Instant.now().toEpochMilli(), ADA, Via.REDIS).text();
        relay.scribble("api/orders", fine.replace("{", "{\"version\":9,\"until\":{\"hour\":3},"));
        relay.scribble("api/way", fine.replace("orders", "way").replace("redis", "carrier_pigeon"));
        relay.scribble("api/state", fine.replace("orders", "state").replace("\"off\"", "\"half\""));
        relay.scribble("2:quota", "{\"version\":9,\"kind\":\"quota\"}");
        here.switches().follow(relay, null);
        assertThat(here.switches().active())
                .extracting(each -> each.name().rule())
                .containsExactly("orders", "way");
        assertThat(relay.texts()).as("what it does not know stays").containsKeys("api/state", "2:quota");
    }

    private static SwitchChange change(ControlPlane plane, SwitchName name, @Nullable Setting setting, boolean local) {
        return Objects.requireNonNull(
                plane.switches().change(ADA, name, setting, ANY, false, local).done());
    }

    private static @Nullable String state(ControlPlane plane, SwitchName name) {
        SwitchChange found = plane.switches().get(name);
        return found == null ? null : found.state();
    }

    private static String audit(ControlPlane plane) {
        StringBuilder all = new StringBuilder();
        plane.audit(0, 100).forEach(each -> all.append(each.line().text()).append('\n'));
        return all.toString();
    }
}
