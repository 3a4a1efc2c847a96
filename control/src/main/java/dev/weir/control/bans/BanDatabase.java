package dev.weir.control.bans;

import dev.weir.control.audit.Author;
import dev.weir.control.change.AuditedTransactions;
import dev.weir.control.change.Change;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.change.ConditionalChanges;
import dev.weir.control.change.DatabaseFollower;
import dev.weir.control.change.Edit;
import dev.weir.control.change.Precondition;
import dev.weir.control.data.StoredVersion;
import dev.weir.control.database.DatabaseException;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Writes changes of entries to the database, each with its audit line.
 *
 * @param shared whether other nodes read the database too
 */
public record BanDatabase(
        boolean shared, ConditionalChanges changes, AuditedTransactions transactions, DatabaseFollower follower) {

    boolean isConnected() {
        return follower.isConnected();
    }

    /** Whether the database answers; asks it. */
    boolean isReachable() {
        try {
            follower.sync();
            return true;
        } catch (DatabaseException e) {
            return false;
        }
    }

    /** Computes a change from the last one. */
    interface Next {
        BanChange after(@Nullable BanChange last);
    }

    /**
     * Makes a change.
     *
     * @param known the last change that this node knows; the database may have a newer one
     * @param next computes the change from the last one
     * @throws ChangeRefusedException if the precondition does not hold
     * @throws DatabaseException if the database is unreachable
     */
    Bans.Made make(
            Author author,
            BanName name,
            @Nullable BanChange known,
            Next next,
            Precondition precondition,
            boolean dryRun) {
        BanChange[] done = new BanChange[1];
        Edit edit = new Edit() {
            private @Nullable BanChange last;

            @Override
            public @Nullable Existing existing(Connection connection) throws SQLException {
                BanChange row = BanRows.get(connection, name.id());
                BanChange found = known != null && known.isAfter(row) ? known : row;
                last = found;
                String before = held(found, System.currentTimeMillis());
                return found == null || before == null ? null : new Existing(found.stamp(), before);
            }

            @Override
            public @Nullable String apply(Connection connection, StoredVersion stored) throws SQLException {
                BanChange change = next.after(last);
                BanRows.put(connection, change);
                done[0] = change;
                return change.after();
            }
        };
        Change change = changes.make(author, BanRows.KIND, name.id(), precondition, dryRun, edit);
        return new Bans.Made(change, dryRun ? null : done[0]);
    }

    /** The entry as JSON, if it still holds at {@code millis}. */
    static @Nullable String held(@Nullable BanChange change, long millis) {
        return change != null && change.holdsAt(millis) ? change.after() : null;
    }

    /** Writes a change that was made without the database, unless the database has a newer one. */
    void writeLater(BanChange change) {
        transactions.recordLater(change.author(), BanRows.KIND, change.name().id(), change.at(), new Edit() {
            private boolean newer;

            @Override
            public @Nullable Existing existing(Connection connection) throws SQLException {
                BanChange row = BanRows.get(connection, change.name().id());
                newer = change.isAfter(row);
                String before = row == null ? null : row.after();
                return row == null || before == null || !newer ? null : new Existing(row.stamp(), before);
            }

            @Override
            public @Nullable String apply(Connection connection, StoredVersion stored) throws SQLException {
                if (newer) {
                    BanRows.put(connection, change);
                }
                return newer ? change.after() : null;
            }
        });
        follower.sync();
    }
}
