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

/** Who changed what, and whether the record of it is whole. */
@Command(
        name = "audit",
        description = "Check the record of changes.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example: weir audit verify --data /var/lib/weir"})
final class AuditCommand extends AdminCommandGroup {
    @Command(
            name = "verify",
            description =
                    "Whether every line follows the one before: of the file in a data folder, or of a running server.",
            mixinStandardHelpOptions = true,
            exitCodeListHeading = "%nExit code:%n",
            exitCodeList = {"0:whole", "1:not whole", "2:cannot be read"})
    int verify(
            @Mixin AdminClient admin,
            @Option(
                            names = "--data",
                            paramLabel = "DIR|FILE",
                            description = "A data folder, or a file of audit; without it, the server.")
                    @Nullable
                    Path data)
            throws CommandException {
        boolean whole = say(data == null ? ofServer(admin) : ofFile(data), "changes");
        Path switches = data == null ? null : data.resolve(SwitchJournal.NAME);
        if (switches != null && Files.exists(switches)) {
            whole &= say(ofFile(switches), "lines of switches made without the database");
        }
        out().flush();
        return whole ? 0 : 1;
    }

    private boolean say(AuditVerification found, String what) {
        PrintWriter out = out();
        found.problems().forEach(out::println);
        boolean whole = found.problems().isEmpty();
        out.println((whole ? "whole: " : "NOT WHOLE: ") + found.changes() + " " + what + ", the last with hash "
                + found.lastHash());
        return whole;
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
