package dev.weir.server.command;

import dev.weir.control.Recovery;
import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.Author;
import dev.weir.control.data.PrivateFile;
import dev.weir.control.folder.DatabaseCopy;
import dev.weir.control.folder.LaterChanges;
import dev.weir.control.token.Role;
import dev.weir.control.token.StoredToken;
import dev.weir.server.command.client.AdminClient;
import dev.weir.server.command.client.CommandException;
import dev.weir.server.command.client.ExitCodes;
import dev.weir.server.command.client.InputFile;
import dev.weir.server.log.Logs;
import dev.weir.text.message.FileErrors;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Replaces the embedded database of a data folder, without a server; {@link Backup} writes what it restores. */
@Command(
        name = "recover",
        description = {
            "Replace the embedded database of a stopped server, because it is damaged or to restore a backup.",
            "The old file is renamed, never deleted, and the audit gets a line. Without a choice, list them."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {
            "0:recovered",
            "1:the copy or the backup is damaged",
            "2:no choice was made, or a server uses the folder",
            "3:there is no such folder, copy or backup"
        },
        footer = {"", "Example: weir recover --data /var/lib/weir --from-copy"})
final class RecoverCommand implements Callable<Integer> {
    @Option(names = "--data", required = true, paramLabel = "DIR", description = "Data folder of the stopped server.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path data;

    @ArgGroup
    private @Nullable Choice choice;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Reason, for the audit.")
    private String reason = "";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** The data of the new database. */
    static final class Choice {
        @Option(
                names = "--from-copy",
                description = "Use the server's last good copy, " + DatabaseCopy.NAME + " in the data folder.")
        private boolean fromCopy;

        @Option(
                names = "--from-backup",
                paramLabel = "FILE",
                description = "Use a file that weir backup has written; - for standard input.")
        private @Nullable Path backup;

        @Option(
                names = "--empty",
                description = "Start without rules, quotas, tokens and switches. Until an admin token is created, the"
                        + " server's own user may do everything on the admin port.")
        private boolean empty;

        @Option(
                names = "--keep",
                description = "Keep the database although it has lost changes, for example after you restored its"
                        + " file yourself.")
        private boolean keep;
    }

    @Override
    public Integer call() throws CommandException {
        Logs.warningsOnly();
        if (!Files.isDirectory(data)) {
            throw new CommandException(ExitCodes.NOT_FOUND, "--data: " + data + " is not a folder");
        }
        Choice chosen = choice;
        if (chosen == null) {
            throw new CommandException(choices());
        }
        try {
            if (chosen.fromCopy) {
                DatabaseCopy.Contents copy = load(data.resolve(DatabaseCopy.NAME));
                replace(withValidTokens(copy, List.of()), "the copy " + DatabaseCopy.NAME);
            } else if (chosen.backup != null) {
                DatabaseCopy.Contents backup = load(chosen.backup);
                replace(withValidTokens(backup, backup.tokens()), "the backup " + chosen.backup);
            } else if (chosen.empty) {
                replace(DatabaseCopy.Contents.none(Instant.now().truncatedTo(ChronoUnit.SECONDS)), "nothing");
            } else if (chosen.keep) {
                print("kept the database; the audit file is now " + new Recovery(data).keep());
            }
        } catch (IOException e) {
            throw new CommandException(FileErrors.what(e));
        }
        return ExitCodes.YES;
    }

    private void replace(DatabaseCopy.Contents contents, String from) throws IOException {
        Author author = new Author(System.getProperty("user.name", "unknown"), "weir recover", reason);
        Recovery.Recovered done = new Recovery(data).replace(contents, from, author);
        print("recovered from " + from + ", as of " + contents.at() + ": " + contents.sizes() + "; audited changes: "
                + done.audited());
        if (done.aside() != null) {
            print("the old database is now " + done.aside());
        }
        if (contents.tokens().stream().noneMatch(each -> each.role() == Role.ADMIN)) {
            print("there is no admin token: start the server on 127.0.0.1 and run:"
                    + " weir token create NAME --role admin");
        }
    }

    /**
     * Says what the audit file has and {@code contents} lack, and drops the tokens that were revoked or rotated since.
     *
     * @param unlessKnown the tokens to take over if the later changes are unknown
     */
    private DatabaseCopy.Contents withValidTokens(DatabaseCopy.Contents contents, Collection<StoredToken> unlessKnown) {
        LaterChanges later = LaterChanges.than(contents, data, false);
        Collection<StoredToken> valid = later.areKnown() ? later.untouched(contents) : unlessKnown;
        if (!later.areKnown()) {
            print("later changes are unknown: " + later.unknown());
        } else if (!later.changes().isEmpty()) {
            print("later changes, which are in " + AuditFile.NAME + " only: " + later.summary());
        }
        for (StoredToken each : contents.tokens()) {
            if (!valid.contains(each)) {
                print("not taken over, because it " + (later.areKnown() ? "was" : "may have been")
                        + " revoked or rotated: the token " + each.name());
            } else if (!later.areKnown()) {
                print("revoke it if it had been revoked: the token " + each.name());
            }
        }
        return contents.withTokens(valid);
    }

    private static DatabaseCopy.Contents load(Path file) throws CommandException {
        DatabaseCopy.Contents contents;
        try {
            contents = InputFile.isStandardInput(file)
                    ? DatabaseCopy.parse(
                            Path.of(InputFile.STANDARD_INPUT), new String(InputFile.read(file), StandardCharsets.UTF_8))
                    : DatabaseCopy.at(file).load();
        } catch (IOException e) {
            throw new CommandException(ExitCodes.NO, FileErrors.what(e) + "; nothing was changed");
        }
        if (contents == null) {
            throw new CommandException(ExitCodes.NOT_FOUND, file + " does not exist; nothing was changed");
        }
        return contents;
    }

    /** The choices that there are in this folder. */
    private String choices() {
        String copy;
        try {
            DatabaseCopy.Contents contents = DatabaseCopy.in(data).load();
            copy = contents == null ? "there is none" : described(contents);
        } catch (IOException e) {
            copy = FileErrors.what(e);
        }
        String command = "weir recover --data " + data;
        return "nothing was chosen (expected: one of these)\n"
                + "  " + command + " --from-copy           the last good copy: " + copy + "\n"
                + "  " + command + " --from-backup FILE    a file of weir backup\n"
                + "  " + command + " --keep                the database as it is, if it opens\n"
                + "  " + command + " --empty               no rules, quotas, tokens and switches";
    }

    private String described(DatabaseCopy.Contents copy) {
        LaterChanges later = LaterChanges.than(copy, data, false);
        String gap = !later.areKnown()
                ? "; later changes are unknown"
                : later.changes().isEmpty() ? "" : "; later changes: " + later.summary();
        return "as of " + copy.at() + ", " + copy.sizes() + gap;
    }

    private void print(String line) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(line);
        out.flush();
    }

    /** Writes a backup of a running server's database. */
    @Command(
            name = "backup",
            description = {
                "Write a backup of a running server's rules, quotas, tokens (hashed), switches and audit.",
                "Only its owner may read the file. It needs the role admin. weir recover restores it."
            },
            mixinStandardHelpOptions = true,
            footer = {"", "Example: weir backup weir.backup"})
    static final class Backup implements Callable<Integer> {
        @Mixin
        private final AdminClient admin = new AdminClient();

        @Parameters(
                paramLabel = "FILE",
                description = "File to write; it is replaced only by a whole backup. - for standard output.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private Path file;

        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private CommandSpec spec;

        @Override
        public Integer call() throws CommandException {
            PrintWriter out = spec.commandLine().getOut();
            boolean standardOutput = file.toString().equals("-");
            Path folder = file.toAbsolutePath().getParent();
            if (!standardOutput && folder != null && !Files.isDirectory(folder)) {
                throw new CommandException(ExitCodes.NOT_FOUND, folder + ": no such folder");
            }
            String backup = admin.getText("/admin/v1/backup");
            PrintWriter report = standardOutput ? spec.commandLine().getErr() : out;
            try {
                DatabaseCopy.Contents contents = DatabaseCopy.parse(file, backup);
                if (standardOutput) {
                    out.print(backup);
                    out.flush();
                } else {
                    PrivateFile.replace(file.toAbsolutePath(), to -> to.write(backup));
                }
                report.println((standardOutput ? "backup" : file) + ": " + contents.sizes() + ", audited changes: "
                        + contents.audit().size());
            } catch (IOException e) {
                throw new CommandException("the backup was not written: " + FileErrors.what(e));
            }
            report.flush();
            return ExitCodes.YES;
        }
    }
}
