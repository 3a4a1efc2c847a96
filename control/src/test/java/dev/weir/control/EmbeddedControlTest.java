package dev.weir.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.AuditVerification;
import dev.weir.control.database.DatabaseException;
import dev.weir.control.switches.SwitchJournal;
import dev.weir.rules.internal.load.LoadOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On H2 in a folder. */
class EmbeddedControlTest extends ControlContract {
    private static final String BODY = "{\"rate\":1,\"window\":\"1s\"}";

    @TempDir
    Path folder;

    @Override
    ControlSettings settings() {
        return new ControlSettings(folder, null);
    }

    @Test
    void aSecondServerOnTheFolderRefuses() {
        assertThatThrownBy(() -> ControlPlane.open(settings(), LoadOptions.DEFAULT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another server")
                .hasMessageContaining(folder.toString());
    }

    @Test
    void aStartThatIsRefusedLeavesTheFolderFree(@TempDir Path other) throws IOException {
        ControlSettings settings = new ControlSettings(other, null);
        for (String each : new String[] {AuditFile.NAME, SwitchJournal.NAME}) {
            Path file = Files.writeString(other.resolve(each), "no line of audit\n");
            assertThatThrownBy(() -> ControlPlane.open(settings, LoadOptions.DEFAULT))
                    .hasMessageContaining(each);
            Files.delete(file);
        }
        ControlPlane.open(settings, LoadOptions.DEFAULT).close();
    }

    @Test
    void nobodyElseOnTheMachineMayReadWhatIsInTheFolder(@TempDir Path parent) throws IOException {
        Path data = parent.resolve("data");
        try (ControlPlane plane = ControlPlane.open(new ControlSettings(data, null), LoadOptions.DEFAULT)) {
            plane.putRule(OPERATOR, "r", "api", BODY, ANY, false);
        }
        try (Stream<Path> files = Files.walk(data)) {
            assertThat(files)
                    .hasSizeGreaterThan(3)
                    .allSatisfy(each -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
                            .endsWith("------"));
        }
    }

    @Test
    void theAuditFileShowsATamperedLine(@TempDir Path other) throws IOException {
        try (ControlPlane plane = ControlPlane.open(new ControlSettings(other, null), LoadOptions.DEFAULT)) {
            for (int i = 0; i < 5; i++) {
                plane.putRule(OPERATOR, "r" + i, "api", BODY, ANY, false);
            }
        }
        Path file = other.resolve(AuditFile.NAME);
        AuditVerification whole = AuditVerification.ofFile(file);
        assertThat(whole.changes()).isEqualTo(5);
        assertThat(whole.problems()).isEmpty();
        String text = Files.readString(file);
        Files.writeString(file, text.replaceFirst("\"subject\":\"r2\"", "\"subject\":\"rX\""));
        assertThat(AuditVerification.ofFile(file).problems())
                .containsExactly(file + ":3: change 3 was altered: its hash does not match");
        Files.writeString(file, text.replaceFirst("(?m)^.*\"subject\":\"r2\".*\n", ""));
        assertThat(AuditVerification.ofFile(file).problems())
                .hasSize(1)
                .first()
                .asString()
                .contains("change 2 is followed by");
        Files.writeString(file, text.substring(text.indexOf('\n') + 1));
        assertThat(AuditVerification.ofFile(file).problems())
                .containsExactly(file + ":1: the log begins with change 2");
    }

    @Test
    void halfALineThatACrashLeftInTheMiddleOfACharacterIsCutOffAndTheChainGoesOn(@TempDir Path other)
            throws IOException {
        ControlSettings settings = new ControlSettings(other, null);
        try (ControlPlane plane = ControlPlane.open(settings, LoadOptions.DEFAULT)) {
            plane.putRule(OPERATOR, "a", "api", BODY, ANY, false);
        }
        Path file = other.resolve(AuditFile.NAME);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.APPEND)) {
            byte[] half = "{\"version\":2,\"who\":\"\u00e4".getBytes(StandardCharsets.UTF_8);
            channel.write(ByteBuffer.wrap(half, 0, half.length - 1));
        }
        assertThat(AuditVerification.ofFile(file).problems()).containsExactly(file + ":2: not an audit line");
        try (ControlPlane plane = ControlPlane.open(settings, LoadOptions.DEFAULT)) {
            plane.putRule(OPERATOR, "b", "api", BODY, ANY, false);
        }
        assertThat(AuditVerification.ofFile(file).problems()).isEmpty();
        assertThat(AuditVerification.ofFile(file).changes()).isEqualTo(2);
    }

    @Test
    void aChangeThatHasReturnedOutlivesTheProcess(@TempDir Path other) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:-UsePerfData",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Killed.class.getName(),
                        other.toString())
                .inheritIO()
                .start();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(Killed.AFTER_THE_CHANGE);
        try (ControlPlane plane = ControlPlane.open(new ControlSettings(other, null), LoadOptions.DEFAULT)) {
            assertThat(plane.rules().rule("r")).isNotNull();
            assertThat(plane.version()).isEqualTo(1);
        }
    }

    /** Ends as by kill -9, right after a change. */
    static final class Killed {
        static final int AFTER_THE_CHANGE = 9;

        private Killed() {}

        public static void main(String[] args) throws IOException {
            ControlSettings settings = new ControlSettings(Path.of(args[0]), null);
            ControlPlane plane = ControlPlane.open(settings, LoadOptions.DEFAULT);
            plane.putRule(OPERATOR, "r", "api", BODY, ANY, false);
            Runtime.getRuntime().halt(AFTER_THE_CHANGE);
        }
    }

    /** H2 closes itself so after a failed write. */
    @Test
    void aDatabaseThatHasClosedIsOpenedAnew() throws SQLException {
        plane.putRule(OPERATOR, "before", "api", BODY, ANY, false);
        String url = "jdbc:h2:file:" + folder.resolve("weir") + ";DB_CLOSE_ON_EXIT=FALSE";
        try (Connection connection = DriverManager.getConnection(url, "weir", "");
                Statement statement = connection.createStatement()) {
            statement.execute("SHUTDOWN IMMEDIATELY");
        }
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .ignoreException(DatabaseException.class)
                .until(() ->
                        plane.putRule(OPERATOR, "r", "api", BODY, ANY, false).version() > 0);
        assertThat(plane.rules().rules()).extracting("id").containsExactly("before", "r");
    }

    @Test
    void anAuditFileAheadOfARestoredDatabaseIsRenamedAndANewOneWritten(@TempDir Path other) throws IOException {
        ControlSettings settings = new ControlSettings(other, null);
        Path database = other.resolve("weir.mv.db");
        put(settings, "first");
        byte[] backup = Files.readAllBytes(database);
        put(settings, "lost");
        Files.write(database, backup);
        new Recovery(other).keep(); // it has lost an acknowledged change
        put(settings, "second", "third");
        Path file = other.resolve(AuditFile.NAME);
        AuditVerification whole = AuditVerification.ofFile(file);
        assertThat(whole.problems()).isEmpty();
        assertThat(whole.changes()).isEqualTo(3);
        assertThat(Files.readString(file)).contains("\"third\"").doesNotContain("\"lost\"");
        try (Stream<Path> files = Files.list(other)) {
            Path aside = files.filter(each -> each.getFileName().toString().matches("audit-[0-9]+.jsonl"))
                    .findFirst()
                    .orElseThrow();
            assertThat(Files.readString(aside)).contains("\"first\"", "\"lost\"");
        }
    }

    private static void put(ControlSettings settings, String... rules) throws IOException {
        try (ControlPlane plane = ControlPlane.open(settings, LoadOptions.DEFAULT)) {
            for (String each : rules) {
                plane.putRule(OPERATOR, each, "api", BODY, ANY, false);
            }
        }
    }
}
