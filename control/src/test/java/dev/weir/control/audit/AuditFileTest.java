package dev.weir.control.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file, also where a disk fails. */
class AuditFileTest {
    private static final int KILOBYTES = 4;

    /** Callers choose what counters are about, and others than we write that down. */
    @Test
    void aLineMayHoldWhatEndsALineForSome(@TempDir Path folder) throws IOException {
        String strange = "a\u0085b\u2028c\u2029d";
        String raw = "[\"" + strange + "\"]";
        Author author = new Author(strange, "", strange);
        AuditLine line = AuditLine.of(1, Instant.EPOCH, author, "counter", strange, raw, null, AuditLine.START);
        try (AuditFile file = AuditFile.open(folder)) {
            file.append(List.of(line));
        }
        try (AuditFile file = AuditFile.open(folder)) {
            assertThat(file.hash()).isEqualTo(line.hash());
        }
        assertThat(AuditVerification.ofFile(folder.resolve(AuditFile.NAME)).problems())
                .isEmpty();
    }

    /** A process that may not write more than so much to a file: for it the disk is full. */
    @Test
    void aLineThatDidNotFitOnTheDiskIsRemoved(@TempDir Path folder) throws Exception {
        Process process = new ProcessBuilder(
                        "bash",
                        "-c",
                        "ulimit -f " + KILOBYTES + "; exec \"$@\"",
                        "bash",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:-UsePerfData",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Filling.class.getName(),
                        folder.toString())
                .inheritIO()
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        AuditVerification whole = AuditVerification.ofFile(folder.resolve(AuditFile.NAME));
        assertThat(whole.problems()).isEmpty();
        assertThat(whole.changes()).isPositive();
    }

    /** Adds lines until the disk is full. */
    static final class Filling {
        private Filling() {}

        public static void main(String[] args) throws IOException {
            try (AuditFile file = AuditFile.open(Path.of(args[0]))) {
                while (true) {
                    Author author = new Author("\u00e4".repeat(100), "", "");
                    String previous = file.hash();
                    long version = file.version() + 1;
                    AuditLine line = AuditLine.of(version, Instant.EPOCH, author, "rule", "r", null, "{}", previous);
                    try {
                        file.append(List.of(line));
                    } catch (IOException full) {
                        System.exit(file.hash().equals(previous) ? 0 : 1);
                    }
                }
            }
        }
    }
}
