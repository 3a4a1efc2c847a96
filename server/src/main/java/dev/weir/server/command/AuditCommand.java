package dev.weir.server.command;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.AuditVerification;
import dev.weir.control.switches.SwitchJournal;
import dev.weir.text.message.FileErrors;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Verifies the audit. */
@Command(
        name = "audit",
        description = "Verify the audit of changes.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example: weir audit verify --data /var/lib/weir"})
final class AuditCommand extends AdminCommandGroup {
    @Command(
            name = "verify",
            description = "Verify the hash chain of an audit file, or of a running server's audit.",
            mixinStandardHelpOptions = true,
            exitCodeListHeading = "%nExit code:%n",
            exitCodeList = {"0:intact", "1:broken", "2:cannot be read"})
    int verify(
            @Mixin AdminClient admin,
            @Option(
                            names = "--data",
                            paramLabel = "DIR|FILE",
                            description = "Data folder or audit file; without it, the server's audit.")
                    @Nullable
                    Path data)
            throws CommandException {
        boolean intact = print(data == null ? ofServer(admin) : ofFile(data), "changes");
        Path switches = data == null ? null : data.resolve(SwitchJournal.NAME);
        if (switches != null && Files.exists(switches)) {
            intact &= print(ofFile(switches), "switches made without the database");
        }
        out().flush();
        return intact ? 0 : 1;
    }

    private boolean print(AuditVerification found, String what) {
        PrintWriter out = out();
        found.problems().forEach(out::println);
        boolean intact = found.problems().isEmpty();
        out.println((intact ? "chain intact: " : "CHAIN BROKEN: ") + found.changes() + " " + what + ", last hash "
                + found.lastHash());
        return intact;
    }

    private static AuditVerification ofFile(Path data) throws CommandException {
        Path file = Files.isDirectory(data) ? data.resolve(AuditFile.NAME) : data;
        try {
            return AuditVerification.ofFile(file);
        } catch (IOException e) {
            throw new CommandException(file + " cannot be read: " + FileErrors.why(e));
        }
    }

    private static AuditVerification ofServer(AdminClient admin) throws CommandException {
        JsonObject found = admin.get("/admin/v1/audit/verify").body();
        return new AuditVerification(
                found.getLong("changes"),
                found.getString("last_hash"),
                found.getJsonArray("problems").stream().map(String::valueOf).toList());
    }
}
