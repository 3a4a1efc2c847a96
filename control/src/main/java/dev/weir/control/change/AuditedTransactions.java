package dev.weir.control.change;

import dev.weir.control.audit.AuditFile;
import dev.weir.control.audit.AuditLine;
import dev.weir.control.audit.AuditTable;
import dev.weir.control.audit.Author;
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
 * Makes changes: one at a time in the whole fleet, each in one transaction with its line of audit. Where there is a file of
 * audit, the line is on disk before the change holds. A change whose audit cannot be written does not happen.
 */
public final class AuditedTransactions {
    /** What PostgreSQL tells of changes by. */
    static final String CHANNEL = "weir_changes";

    private static final System.Logger LOG = System.getLogger(AuditedTransactions.class.getName());
    private static final int BATCH = 1_000;

    private final Database database;
    private final @Nullable AuditFile file;
    /** From a line in the file until its change holds or the line is taken back: the database may let another in before. */
    private final ReentrantLock writing = new ReentrantLock();

    public AuditedTransactions(Database database, @Nullable AuditFile file) {
        this.database = database;
        this.file = file;
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

    /** Records a change that was made at {@code then} without the database; it gives up soon if another node holds the lock. */
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
                tell(connection, version);
                return new Change(before, after, version);
            };
            Change change = then == null ? database.change(work) : database.changeInPassing(work);
            done = true;
            return change;
        } finally {
            if (!done) {
                takeBack(written[0]);
            }
            if (writing.isHeldByCurrentThread()) {
                writing.unlock();
            }
        }
    }

    /** The version of the last change. */
    static long version(Connection connection) throws SQLException {
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

    private static void setVersion(Connection connection, long version) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE weir_version SET version = ? WHERE only_row = 1")) {
            update.setLong(1, version);
            update.executeUpdate();
        }
    }

    private void tell(Connection connection, long version) throws SQLException {
        if (database.isShared()) {
            try (PreparedStatement notify = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
                notify.setString(1, CHANNEL);
                notify.setString(2, String.valueOf(version));
                notify.execute();
            }
        }
    }

    /** Brings the file up to {@code line}, with what other nodes have changed meanwhile. */
    private AuditFile.@Nullable Mark write(Connection connection, AuditLine line) throws SQLException {
        if (file == null) {
            return null;
        }
        writing.lock();
        try {
            catchUp(connection, line.version() - 1);
            return file.append(List.of(line));
        } catch (IOException e) {
            throw new SQLException("the audit cannot be written: " + e.getMessage(), e);
        }
    }

    /** Writes to the file what the table has and it has not, up to {@code version}. */
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
     * Puts a file away that ends with a change that the table lacks: this node was killed before that change held, a backup was
     * restored, a failover lost it, or it is of another database.
     */
    private void requireSameHistory(AuditFile file, Connection connection) throws SQLException, IOException {
        if (!file.endsWith(AuditTable.hash(connection, file.version()))) {
            LOG.log(
                    Level.WARNING,
                    "the file of audit ends with a change, " + file.version() + ", that " + database
                            + " does not have; it is kept as " + file.setAside()
                            + ", and one that tells what the database has takes its place");
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

    private void takeBack(AuditFile.@Nullable Mark mark) {
        try {
            if (file != null && mark != null) {
                file.cut(mark);
            }
        } catch (IOException e) {
            LOG.log(Level.ERROR, "the file of audit has a line of a change that did not happen", e);
        }
    }
}
