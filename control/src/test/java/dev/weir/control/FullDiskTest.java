package dev.weir.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.AuditVerification;
import dev.weir.control.database.DatabaseException;
import dev.weir.rules.internal.load.LoadOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
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
                limit("unlimited");
                System.exit(before && !meanwhile && put(plane, "room") ? 0 : 1);
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
