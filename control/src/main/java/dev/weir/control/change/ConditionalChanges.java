package dev.weir.control.change;

import dev.weir.control.audit.Author;
import dev.weir.control.data.StoredVersion;
import dev.weir.control.database.DatabaseException;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Changes one thing under a precondition; when it returns, the change is in force on this node. */
public final class ConditionalChanges {
    private static final System.Logger LOG = System.getLogger(ConditionalChanges.class.getName());

    private final AuditedTransactions ledger;
    private final DatabaseFollower follower;

    public ConditionalChanges(AuditedTransactions ledger, DatabaseFollower follower) {
        this.ledger = ledger;
        this.follower = follower;
    }

    /** What there is, and the change that it is from. */
    public record Existing(long version, String json) {}

    /** How a thing is found and changed. */
    public interface Editing {
        @Nullable
        Existing existing(Connection connection) throws SQLException;

        /** Changes it, and tells what is there now as JSON; null if nothing is. */
        @Nullable
        String apply(Connection connection, StoredVersion stored) throws SQLException;
    }

    /**
     * Makes a change, or only finds out what it would do.
     *
     * @throws ChangeRefusedException if the precondition does not hold
     */
    public Change make(
            Author author, String kind, String subject, Precondition precondition, boolean dryRun, Editing editing) {
        Change change = make(author, kind, subject, dryRun, new AuditedTransactions.Edit() {
            @Override
            public @Nullable String before(Connection connection) throws SQLException {
                Existing existing = editing.existing(connection);
                Long version = existing == null ? null : existing.version();
                require(precondition, version);
                return existing == null ? null : existing.json();
            }

            @Override
            public @Nullable String apply(Connection connection, StoredVersion stored) throws SQLException {
                return editing.apply(connection, stored);
            }
        });
        if (change.version() > 0) {
            follower.sync();
        }
        return change;
    }

    /** Its subject is not logged: it may be a caller's key. */
    private Change make(Author author, String kind, String subject, boolean dryRun, AuditedTransactions.Edit edit) {
        try {
            return ledger.change(author, kind, subject, dryRun, edit);
        } catch (DatabaseException e) {
            LOG.log(Level.WARNING, "a change by " + author.name() + " (" + kind + ") is not made: " + e.getMessage());
            throw e;
        }
    }

    /** Refuses to change a thing at {@code version}, or one that is not there, if the precondition does not hold. */
    public static void require(Precondition precondition, @Nullable Long version) {
        if (!precondition.holds(version)) {
            throw new ChangeRefusedException(
                    ChangeRefusedException.Cause.STALE,
                    version == null ? "it is not there" : "it is at version " + version);
        }
    }
}
