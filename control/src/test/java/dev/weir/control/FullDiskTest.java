package dev.weir.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.AuditVerification;
import dev.weir.control.database.DatabaseException;
import dev.weir.control.switches.SwitchJournal;
import dev.weir.rules.internal.load.LoadOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** H2 on a disk that is full for a while: for a process that may not write more than so much to a file, it is. */
class FullDiskTest {
    private static final int BYTES = 256 << 10;

    @Test
    void changesAreRefusedWhileTheDiskIsFullAndMadeAgainWhenThereIsRoom(@TempDir Path folder) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:-UsePerfData",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Changing.class.getName(),
                        folder.toString())
                .inheritIO()
                .start();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        try (ControlPlane plane = ControlPlane.open(new ControlSettings(folder, null), LoadOptions.DEFAULT)) {
            AuditVerification table = plane.verifyAudit();
            assertThat(table.problems()).isEmpty();
            assertThat(AuditVerification.ofFile(folder.resolve(AuditFile.NAME))).isEqualTo(table);
            AuditVerification journal = AuditVerification.ofFile(folder.resolve(SwitchJournal.NAME));
            assertThat(journal.problems()).isEmpty();
            assertThat(journal.changes()).isEqualTo(2);
            assertThat(plane.switches().get(SwitchContract.ORDERS)).isNotNull();
            assertThat(plane.rules().rule("full")).isNull();
            assertThat(plane.rules().rule("room")).isNotNull();
        }
    }

    /** Changes rules before, while and after there is no room. */
    static final class Changing {
        private Changing() {}

        public static void main(String[] args) throws IOException {
            try (ControlPlane plane =
                    ControlPlane.open(new ControlSettings(Path.of(args[0]), null), LoadOptions.DEFAULT)) {
                boolean before = put(plane, "before");
                limit(BYTES + ":unlimited");
                boolean meanwhile = put(plane, "full") || put(plane, "still full");
                limit("0:unlimited"); // not a byte more, also for small files
                boolean local = !switches(plane, false) && switches(plane, true);
                limit("unlimited");
                System.exit(before && !meanwhile && local && put(plane, "room") && isAudited(plane) ? 0 : 1);
            }
        }

        private static boolean put(ControlPlane plane, String rule) {
            try {
                plane.putRule(
                        ControlContract.OPERATOR,
                        rule,
                        "api",
                        "{\"rate\":1,\"window\":\"1s\"}",
                        ControlContract.ANY,
                        false);
                return true;
            } catch (DatabaseException e) {
                return false;
            }
        }

        private static boolean switches(ControlPlane plane, boolean local) {
            try {
                plane.switches()
                        .change(
                                ControlContract.OPERATOR,
                                SwitchContract.ORDERS,
                                SwitchContract.OFF,
                                ControlContract.ANY,
                                false,
                                local);
                return plane.switches().get(SwitchContract.ORDERS) != null;
            } catch (DatabaseException e) {
                return false;
            }
        }

        /** Whether the switch comes into the database and its audit once there is room. */
        private static boolean isAudited(ControlPlane plane) {
            plane.switches().follow(null, null);
            Awaitility.await().until(() -> plane.switches().unreconciled() == 0);
            return plane.audit(0, 100).stream().anyMatch(each -> each.kind().equals("switch"));
        }

        private static void limit(String bytes) throws IOException {
            String self = String.valueOf(ProcessHandle.current().pid());
            new ProcessBuilder("prlimit", "--fsize=" + bytes, "--pid", self)
                    .inheritIO()
                    .start()
                    .onExit()
                    .join();
        }
    }
}
