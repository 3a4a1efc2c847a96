package dev.weir.server.command;

import dev.weir.control.data.PrivateFile;
import dev.weir.control.folder.DatabaseCopy;
import dev.weir.text.message.FileErrors;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes a backup of a running server's database. */
@Command(
        name = "backup",
        description = {
            "Write a backup of a running server's rules, quotas, tokens (hashed), switches and audit.",
            "Only its owner may read the file. It needs the role admin. weir recover restores it."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Example: weir backup weir.backup"})
final class BackupCommand implements Callable<Integer> {
    @Mixin
    private final AdminClient admin = new AdminClient();

    @Parameters(paramLabel = "FILE", description = "File to write; it is replaced only by a whole backup.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path file;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws CommandException {
        String backup = admin.getText("/admin/v1/backup");
        PrintWriter out = spec.commandLine().getOut();
        try {
            DatabaseCopy.Contents contents = DatabaseCopy.parse(file, backup);
            PrivateFile.replace(file.toAbsolutePath(), to -> to.write(backup));
            out.println(file + ": " + contents.sizes() + ", audited changes: "
                    + contents.audit().size());
        } catch (IOException e) {
            throw new CommandException("the backup was not written: " + FileErrors.what(e));
        }
        out.flush();
        return ExitCodes.YES;
    }
}
