package dev.weir.control;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.AuditLine;
import dev.weir.control.audit.AuditTable;
import dev.weir.control.audit.AuditVerification;
import dev.weir.control.audit.Author;
import dev.weir.control.audit.LastCommit;
import dev.weir.control.bans.BanChange;
import dev.weir.control.bans.BanRows;
import dev.weir.control.change.AuditedTransactions;
import dev.weir.control.change.Edit;
import dev.weir.control.change.Precondition;
import dev.weir.control.data.Json;
import dev.weir.control.data.PrivateFile;
import dev.weir.control.data.StoredVersion;
import dev.weir.control.database.Database;
import dev.weir.control.database.DatabaseException;
import dev.weir.control.folder.DataFolderLock;
import dev.weir.control.folder.DatabaseCopy;
import dev.weir.control.quota.QuotaTable;
import dev.weir.control.quota.StoredQuota;
import dev.weir.control.rules.RuleTable;
import dev.weir.control.rules.StoredRule;
import dev.weir.control.switches.SwitchChange;
import dev.weir.control.switches.SwitchTable;
import dev.weir.control.token.StoredToken;
import dev.weir.control.token.TokenTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the embedded database of a data folder while no server runs on it. The new database is complete before the
 * old file is renamed; the old file is never deleted. If this is killed between the two, the file is missing, and the
 * recovery can be run again.
 */
public final class Recovery {
    private static final String KIND = "recovery";

    private final Path folder;

    public Recovery(Path folder) {
        this.folder = folder;
    }

    /**
     * The result of a recovery.
     *
     * @param aside the old database; null if there was none
     * @param audited the number of earlier changes in the audit log
     */
    public record Recovered(@Nullable Path aside, int audited) {}

    /**
     * Replaces the database by one with {@code contents}. The audit log is that of {@code contents}; if they have none,
     * that of the audit file.
     *
     * @param from where the contents are from, for the audit log
     * @throws IOException if a server uses the folder, or a file cannot be written; the message is for people
     */
    public Recovered replace(DatabaseCopy.Contents contents, String from, Author author) throws IOException {
        DataFolderLock lock = DataFolderLock.open(folder);
        try (lock;
                AuditFile audit = AuditFile.open(folder);
                LastCommit lastCommit = LastCommit.open(folder)) {
            List<AuditLine> history = contents.audit().isEmpty() ? history(audit) : List.copyOf(contents.audit());
            Path old = folder.resolve(Database.EMBEDDED);
            Path aside = Files.exists(old) ? folder.resolve("weir-" + System.currentTimeMillis() + ".mv.db") : null;
            Path building = folder.resolve("weir.recovery");
            PrivateFile.makeFolder(building);
            Path built = building.resolve(Database.EMBEDDED);
            Files.deleteIfExists(built);
            build(building, contents, history, new Notes(audit, lastCommit, author, summary(contents, from, aside)));
            if (aside != null) {
                Files.move(old, aside);
            }
            Files.move(built, old, StandardCopyOption.ATOMIC_MOVE);
            Files.delete(building);
            return new Recovered(aside, history.size());
        } catch (DatabaseException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * Accepts the database as it is, although the audit file has later changes. The audit file is renamed, and the
     * server writes a new one from the database.
     */
    public Path keep() throws IOException {
        DataFolderLock lock = DataFolderLock.open(folder);
        try (lock;
                AuditFile audit = AuditFile.open(folder);
                LastCommit lastCommit = LastCommit.open(folder)) {
            lastCommit.forget();
            return audit.setAside();
        }
    }

    /** Returns the lines of the audit file. A file that is not intact is renamed, and the log starts anew. */
    private List<AuditLine> history(AuditFile audit) throws IOException {
        Path file = folder.resolve(AuditFile.NAME);
        if (AuditVerification.ofFile(file).problems().isEmpty()) {
            return AuditFile.lines(file);
        }
        audit.setAside();
        return List.of();
    }

    private static String summary(DatabaseCopy.Contents contents, String from, @Nullable Path aside) {
        return Json.text(json -> {
            json.writeStartObject();
            json.writeStringField("from", from);
            json.writeStringField("as_of", contents.at().toString());
            json.writeNumberField("rules", contents.rules().size());
            json.writeNumberField("quotas", contents.quotas().size());
            json.writeNumberField("tokens", contents.tokens().size());
            json.writeNumberField("switches", contents.switches().size());
            json.writeNumberField("bans", contents.bans().size());
            json.writeStringField("old_database", aside == null ? null : String.valueOf(aside.getFileName()));
            json.writeEndObject();
        });
    }

    /** The files that note the recovery, its author, and what it did. */
    private record Notes(AuditFile audit, LastCommit lastCommit, Author author, String summary) {}

    private static void build(Path building, DatabaseCopy.Contents contents, List<AuditLine> history, Notes notes)
            throws IOException {
        List<AuditTable.Entry> entries = new ArrayList<>();
        for (AuditLine each : history) {
            entries.add(AuditTable.Entry.of(each));
        }
        try (Database database = Database.embedded(building)) {
            database.change(connection -> {
                fill(connection, contents, entries);
                return entries;
            });
            new AuditedTransactions(database, notes.audit(), notes.lastCommit())
                    .change(notes.author(), KIND, "database", new Precondition.None(), false, new Edit() {
                        @Override
                        public @Nullable Existing existing(Connection connection) {
                            return null;
                        }

                        @Override
                        public String apply(Connection connection, StoredVersion stored) {
                            return notes.summary();
                        }
                    });
        }
    }

    private static void fill(Connection connection, DatabaseCopy.Contents contents, List<AuditTable.Entry> history)
            throws SQLException {
        for (StoredRule each : contents.rules()) {
            RuleTable.put(connection, each);
        }
        for (StoredQuota each : contents.quotas()) {
            QuotaTable.put(connection, each);
        }
        for (StoredToken each : contents.tokens()) {
            TokenTable.insert(connection, each);
        }
        for (SwitchChange each : contents.switches()) {
            SwitchTable.put(connection, each);
        }
        for (BanChange each : contents.bans()) {
            BanRows.put(connection, each);
        }
        for (AuditTable.Entry each : history) {
            AuditTable.insert(connection, each);
        }
        if (!history.isEmpty()) {
            AuditedTransactions.setVersion(
                    connection, history.get(history.size() - 1).line().version());
        }
    }
}
