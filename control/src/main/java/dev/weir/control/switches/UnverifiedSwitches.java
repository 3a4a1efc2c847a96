package dev.weir.control.switches;

import dev.weir.control.change.AuditedTransactions;
import dev.weir.control.change.Edit;
import dev.weir.control.data.StoredVersion;
import dev.weir.control.database.DatabaseException;
import dev.weir.internal.runtime.RejectedNotes;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Follows changes that nobody signed, as long as the database is unreachable.
 *
 * <p>When the database is back, the node that made a change writes it there, and all nodes have it from there. A change
 * that is still missing after the grace period no longer holds. If it held here, the audit gets a line that says so,
 * with the author marked as unverified. Used by one thread at a time.
 */
final class UnverifiedSwitches {
    private static final System.Logger LOG = System.getLogger(UnverifiedSwitches.class.getName());
    /** Anyone who can write to the relay can post changes; more than this are not followed. */
    private static final int MOST = 1_000;

    private final AuditedTransactions transactions;
    private final LatestSwitches latest;
    private final RejectedNotes rejectedNotes;
    private final Runnable listener;
    /** The changes that held here and are not audited yet, by id. */
    private final Map<String, SwitchChange> held = new HashMap<>();
    /** The stamps of changes that were counted as rejected, by id. */
    private final Map<String, Long> counted = new HashMap<>();

    private boolean isBack;
    private long backNanos;

    UnverifiedSwitches(
            AuditedTransactions transactions, LatestSwitches latest, RejectedNotes rejectedNotes, Runnable listener) {
        this.transactions = transactions;
        this.latest = latest;
        this.rejectedNotes = rejectedNotes;
        this.listener = listener;
    }

    /** Follows {@code changes}, all that are posted now; {@code connected} says whether the database is reachable. */
    void follow(Collection<SwitchChange> changes, boolean connected) {
        if (!connected) {
            isBack = false;
            set(changes.stream().limit(MOST).toList());
            return;
        }
        if (!isBack) {
            isBack = true;
            backNanos = System.nanoTime();
        }
        if (System.nanoTime() - backNanos > SwitchSync.GRACE_NANOS) {
            set(List.of());
            audit();
            count(changes);
        }
    }

    private void set(List<SwitchChange> changes) {
        List<SwitchChange> added = latest.unverified(changes);
        if (added == null) {
            return;
        }
        for (SwitchChange each : added) {
            held.put(each.name().id(), each);
            LOG.log(
                    Level.WARNING,
                    "switch: " + each.sentence() + "; it was read from Redis, where anybody may have written it"
                            + " (set fleet_secret), and holds only while the database is unreachable");
        }
        listener.run();
    }

    private void audit() {
        try {
            for (SwitchChange each : List.copyOf(held.values())) {
                if (each.isNewerThan(latest.lastVerified(each.name()))) {
                    record(each);
                }
                held.remove(each.name().id());
            }
        } catch (DatabaseException e) {
            LOG.log(Level.DEBUG, "unverified switches are audited later", e);
        }
    }

    /** Writes an audit line and changes nothing. */
    private void record(SwitchChange change) {
        transactions.recordLater(
                change.author(), SwitchTable.KIND, change.name().id(), change.at(), new Edit() {
                    @Override
                    public @Nullable Existing existing(Connection connection) throws SQLException {
                        SwitchChange row =
                                SwitchTable.get(connection, change.name().id());
                        String before = row == null ? null : row.after();
                        return row == null || before == null ? null : new Existing(row.stamp(), before);
                    }

                    @Override
                    public @Nullable String apply(Connection connection, StoredVersion stored) {
                        return change.after();
                    }
                });
    }

    /** Counts each change that the database contradicts once. */
    private void count(Collection<SwitchChange> changes) {
        for (SwitchChange each : changes) {
            String id = each.name().id();
            if (each.isNewerThan(latest.lastVerified(each.name()))
                    && counted.size() < MOST
                    && !Long.valueOf(each.stamp()).equals(counted.put(id, each.stamp()))) {
                rejectedNotes.count(RejectedNotes.Reason.UNVERIFIED, id);
            }
        }
    }
}
