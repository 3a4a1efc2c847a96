package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.RunningServer;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file named {@code -} is standard input, in every command that reads one. */
class StandardInputTest extends AtTheTerminal {
    private static final String RULES = "domain: %s\nrules:\n  - {name: a, limit: {requests: %d, window: 1s}}\n";

    @TempDir
    Path folder;

    @Test
    void validateReadsRules() throws Exception {
        assertThat(execute(RULES.formatted("api", 1), "validate", "-")).isZero();
        assertThat(out.toString()).startsWith("<stdin>: valid: 1 rule in 1 domain, from 1 file");
        assertThat(execute(RULES.formatted("api", -1), "validate", "-")).isEqualTo(1);
        assertThat(out.toString()).startsWith("<stdin>:3:");
        Path other = Files.writeString(folder.resolve("other.yaml"), RULES.formatted("other", 1));
        assertThat(execute(RULES.formatted("api", 1), "validate", other.toString(), "-"))
                .isZero();
        assertThat(out.toString()).startsWith(other + ", <stdin>: valid: 2 rules in 2 domains, from 2 files");
    }

    @Test
    void simulateReadsAScenario() throws Exception {
        assertThat(execute("nodes: 0", "simulate", "-", "--out", folder.toString()))
                .isEqualTo(2);
        assertThat(err.toString()).contains("<stdin>:1:");
    }

    @Test
    void auditVerifyReadsAnAuditFileAndRecoverABackup() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES.formatted("api", 1));
        Path data = folder.resolve("data");
        String backup;
        try (RunningServer server = RunningServer.with(rules, "data", data.toString())) {
            String admin = "http://" + server.server.admin();
            assertThat(executeAt(admin, "quota", "set", "acme", "--override", "a=5/minute"))
                    .as(err.toString())
                    .isZero();
            assertThat(executeAt(admin, "backup", "-")).isZero();
            backup = out.toString();
            assertThat(err.toString()).contains("backup: rules: 0, quotas: 1");
        }
        String audit = Files.readString(data.resolve("audit.jsonl"));
        assertThat(execute(audit, "audit", "verify", "--data", "-")).isZero();
        assertThat(out.toString()).contains("chain intact: 1 changes");
        assertThat(execute(audit.replace("acme", "acne"), "audit", "verify", "--data", "-"))
                .isEqualTo(1);
        assertThat(out.toString()).contains("<stdin>:1:", "CHAIN BROKEN");

        assertThat(execute("{}", "recover", "--data", data.toString(), "--from-backup", "-"))
                .isEqualTo(1);
        assertThat(execute(backup, "recover", "--data", data.toString(), "--from-backup", "-"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).contains("quotas: 1");
    }

    @Test
    void aTokenIsReadOnceForAllCallsOfACommand() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES.formatted("api", 1));
        try (RunningServer server = RunningServer.with(Map.of("WEIR_ADMIN_TOKEN", "t".repeat(32)), rules)) {
            String admin = "http://" + server.server.admin();
            assertThat(execute("t".repeat(32) + "\n", "status", admin, admin, "--token-file", "-"))
                    .as(err.toString())
                    .isZero();
        }
    }

    @Test
    void aFileThatDoesNotExistIsNotFound() {
        String missing = folder.resolve("missing").toString();
        assertThat(execute(List.of("audit", "verify", "--data", missing))).isEqualTo(3);
        assertThat(execute(List.of("simulate", missing))).isEqualTo(3);
        assertThat(execute(List.of("rules", "put", "r", "-f", missing, "--admin", "http://127.0.0.1:1")))
                .isEqualTo(3);
        assertThat(err.toString()).contains(missing + " cannot be read: it does not exist");
    }

    /** Runs a command with {@code input} as its standard input. */
    private int execute(String input, String... arguments) {
        InputStream terminal = System.in;
        System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
        try {
            return execute(List.of(arguments));
        } finally {
            System.setIn(terminal);
        }
    }
}
