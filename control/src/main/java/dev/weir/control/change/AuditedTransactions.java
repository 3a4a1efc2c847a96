package dev.weir.control.change;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.AuditLine;
import dev.weir.control.audit.AuditTable;
import dev.weir.control.audit.Author;
import dev.weir.control.audit.LastCommit;
import dev.weir.control.data.StoredVersion;
import dev.weir.control.database.Database;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Makes changes, one at a time in the whole fleet, each in one transaction with its audit line. If there is an audit
 * file, the line is on disk before the transaction commits, and for an embedded database the commit is noted after it. If the audit line cannot be written, the change is not
 * made.
 */
public final class AuditedTransactions {
    /** The PostgreSQL channel that announces changes. */
    static final String CHANNEL = "weir_changes";

    private static final System.Logger LOG = System.getLogger(AuditedTransactions.class.getName());
    private static final int BATCH = 1_000;

    private final Database database;
    private final @Nullable AuditFile file;
    private final @Nullable LastCommit lastCommit;
    /**
     * Held from writing a line to the file until its change commits or the line is removed. The database may admit the
     * next change before that.
     */
    private final ReentrantLock writing = new ReentrantLock();

    public AuditedTransactions(Database database, @Nullable AuditFile file) {
        this(database, file, null);
    }

    /** With {@code lastCommit}, notes the version of each change there before the change is acknowledged. */
    public AuditedTransactions(Database database, @Nullable AuditFile file, @Nullable LastCommit lastCommit) {
        this.database = database;
        this.file = file;
        this.lastCommit = lastCommit;
    }

    /**
     * Makes a change, or with {@code dryRun} only finds out what it would do.
     *
     * @throws ChangeRefusedException if the precondition does not hold
     */
    public Change change(
            Author author, String kind, String subject, Precondition precondition, boolean dryRun, Edit edit) {
        return transact(author, kind, subject, null, precondition, dryRun, edit);
    }

    /**
     * Records a change that was made at {@code then} without the database. It gives up soon if another node holds the
     * lock.
     */
    public Change recordLater(Author author, String kind, String subject, Instant then, Edit edit) {
        return transact(author, kind, subject, then, new Precondition.None(), false, edit);
    }

    private Change transact(
            Author author,
            String kind,
            String subject,
            @Nullable Instant then,
            Precondition precondition,
            boolean dryRun,
            Edit edit) {
        AuditFile.@Nullable Mark[] written = new AuditFile.Mark[1];
        boolean done = false;
        try {
            Database.Work<Change> work = connection -> {
                long version = lockedVersion(connection) + 1;
                Instant now = then == null ? Instant.now().truncatedTo(ChronoUnit.MILLIS) : then;
                Edit.Existing existing = edit.existing(connection);
                precondition.require(existing == null ? null : existing.version());
                String before = existing == null ? null : existing.json();
                String after = edit.apply(connection, new StoredVersion(version, now, author.name()));
                if (dryRun || (before == null && after == null)) {
                    connection.rollback();
                    return new Change(before, after, 0);
                }
                String previous = AuditTable.hash(connection, version - 1);
                AuditLine line = AuditLine.of(version, now, author, kind, subject, before, after, previous);
                AuditTable.insert(connection, new AuditTable.Entry(kind, subject, line));
                setVersion(connection, version);
                written[0] = write(connection, line);
                announce(connection, version);
                return new Change(before, after, version);
            };
            Change change = then == null ? database.change(work) : database.changeIfUnlocked(work);
            done = true;
            noteCommit(change.version());
            return change;
        } finally {
            if (!done) {
                removeLine(written[0]);
            }
            if (writing.isHeldByCurrentThread()) {
                writing.unlock();
            }
        }
    }

    private void noteCommit(long version) {
        try {
            if (lastCommit != null && version > 0) {
                lastCommit.set(version);
            }
        } catch (IOException e) {
            LOG.log(Level.ERROR, "the commit of change " + version + " cannot be noted: " + e.getMessage());
        }
    }

    /** Returns the version of the last change. */
    public static long version(Connection connection) throws SQLException {
        return selectVersion(connection, "SELECT version FROM weir_version WHERE only_row = 1");
    }

    private static long lockedVersion(Connection connection) throws SQLException {
        return selectVersion(connection, "SELECT version FROM weir_version WHERE only_row = 1 FOR UPDATE");
    }

    private static long selectVersion(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            if (!row.next()) {
                throw new SQLException("weir_version has no row");
            }
            return row.getLong(1);
        }
    }

    /** Sets the version of the last change. */
    public static void setVersion(Connection connection, long version) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE weir_version SET version = ? WHERE only_row = 1")) {
            update.setLong(1, version);
            update.executeUpdate();
        }
    }

    private void announce(Connection connection, long version) throws SQLException {
        if (database.isShared()) {
            try (PreparedStatement statement = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
                statement.setString(1, CHANNEL);
                statement.setString(2, String.valueOf(version));
                statement.execute();
            }
        }
    }

    /** Appends {@code line} to the file, after the lines of changes that other nodes made meanwhile. */
    private AuditFile.@Nullable Mark write(Connection connection, AuditLine line) throws SQLException {
        if (file == null) {
            return null;
        }
        writing.lock();
        try {
            catchUp(connection, line.version() - 1);
            return file.append(List.of(line));
        } catch (IOException e) {
            throw new SQLException("the audit file cannot be written: " + e.getMessage(), e);
        }
    }

    /** Appends to the file the lines of the table that it lacks, up to {@code version}. */
    void catchUp(Connection connection, long version) throws SQLException, IOException {
        if (file == null) {
            return;
        }
        writing.lock();
        try {
            requireSameHistory(file, connection);
            copy(file, connection, version);
        } finally {
            writing.unlock();
        }
    }

    /**
     * Renames a file whose last change is not in the table. The causes are: this node was killed before the change
     * committed, a backup was restored, a failover lost the change, or the file belongs to another database.
     */
    private void requireSameHistory(AuditFile file, Connection connection) throws SQLException, IOException {
        if (!file.endsWith(AuditTable.hash(connection, file.version()))) {
            LOG.log(
                    Level.WARNING,
                    "the audit file ends with change " + file.version() + ", which " + database
                            + " does not have; the file is renamed to " + file.setAside()
                            + ", and a new audit file is written from the database");
        }
    }

    private static void copy(AuditFile file, Connection connection, long version) throws SQLException, IOException {
        while (file.version() < version) {
            List<AuditLine> lines = new ArrayList<>();
            for (AuditTable.Entry each : AuditTable.after(connection, file.version(), BATCH)) {
                if (each.line().version() <= version) {
                    lines.add(each.line());
                }
            }
            if (lines.isEmpty()) {
                return;
            }
            file.append(lines);
        }
    }

    private void removeLine(AuditFile.@Nullable Mark mark) {
        try {
            if (file != null && mark != null) {
                file.cut(mark);
            }
        } catch (IOException e) {
            LOG.log(Level.ERROR, "the audit file has a line for a change that was not made", e);
        }
    }
}
