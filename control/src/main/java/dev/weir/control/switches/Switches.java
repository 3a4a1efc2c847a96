package dev.weir.control.switches;

import dev.weir.control.audit.Author;
import dev.weir.control.change.AuditedTransactions;
import dev.weir.control.change.Change;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.change.ColumnLimits;
import dev.weir.control.change.ConditionalChanges;
import dev.weir.control.change.DatabaseFollower;
import dev.weir.control.change.Edit;
import dev.weir.control.change.Precondition;
import dev.weir.control.data.StoredVersion;
import dev.weir.control.database.DatabaseException;
import dev.weir.control.relay.NoteRelay;
import dev.weir.control.switches.SwitchChange.Via;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.ruleset.RuleSwitches.Setting;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.runtime.RejectedNotes;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Switches for single rules and for everything, which also work while the database is unreachable.
 *
 * <p><b>Routes.</b> Normally a switch change goes to the database with its audit line, like any other change. If the
 * database is unreachable or locked, the change goes to the {@linkplain NoteRelay relay}, which all nodes read every
 * second. On request, a node makes it for itself alone. In both cases the change is first written to this node's
 * {@linkplain SwitchJournal journal}, and {@linkplain SwitchSync written to the database} when that is back.
 *
 * <p><b>Order.</b> The newest change of each switch is in force, however a node learned of it; see {@link
 * SwitchChange}.
 */
public final class Switches implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Switches.class.getName());

    private final boolean shared;
    private final ConditionalChanges changes;
    private final DatabaseFollower follower;
    private final LatestSwitches latest;
    private final SwitchJournal journal;
    private final SwitchSync sync;
    private final OfflineSwitches offline;
    private final RejectedNotes rejectedNotes = new RejectedNotes("switches");
    private final Object changing = new Object();
    private volatile Runnable listener = () -> {};
    /** Whether there is a relay on which changes are not signed. */
    private volatile boolean unsigned;

    /** Creates the switches; {@code shared} says whether the database is one that can be unreachable. */
    public Switches(
            boolean shared,
            ConditionalChanges changes,
            AuditedTransactions transactions,
            DatabaseFollower follower,
            LatestSwitches latest,
            SwitchJournal journal) {
        this.shared = shared;
        this.changes = changes;
        this.follower = follower;
        this.latest = latest;
        this.journal = journal;
        UnverifiedSwitches unverified =
                new UnverifiedSwitches(transactions, latest, rejectedNotes, () -> listener.run());
        this.sync = new SwitchSync(transactions, follower, latest, journal, unverified, this::apply);
        this.offline = new OfflineSwitches(journal);
        journal.pending().forEach(each -> apply(List.of(each.change())));
    }

    /** Returns the settings for building rule sets. */
    public RuleSwitches inForce() {
        return latest.inForce();
    }

    /** Returns the switches that are set. */
    public List<SwitchChange> active() {
        return latest.active();
    }

    /** Returns the last change of a switch; null if it is not set. */
    public @Nullable SwitchChange get(SwitchName name) {
        SwitchChange last = latest.last(name);
        return last == null || last.setting() == null ? null : last;
    }

    /** Returns the last change of every switch, releases included. */
    public Collection<SwitchChange> last() {
        return latest.last();
    }

    /** Returns the number of changes that were made without the database and are not in it yet. */
    public int unreconciled() {
        return journal.pending().size();
    }

    /** Counts the changes on the relay that were not followed. */
    public RejectedNotes rejectedNotes() {
        return rejectedNotes;
    }

    /** Returns what keeps other servers from following {@code done}, and the cure; null if they follow it. */
    public @Nullable String caveat(SwitchChange done) {
        if (!unsigned) {
            return null;
        }
        if (!shared) {
            return "this server only: servers without a shared database (--db) follow each other's switches only if"
                    + " all have the same fleet_secret";
        }
        return done.via() == Via.REDIS
                ? "without fleet_secret, other servers follow this switch only while the database is unreachable to them;"
                        + " they follow it again when it is written to the database"
                : null;
    }

    /** Sets the listener that runs whenever a switch changes, on the thread that noticed the change. */
    public void onChange(Runnable listener) {
        this.listener = listener;
    }

    /**
     * Follows {@code relay} from now on; it is read once before this returns.
     *
     * @param relay null if there is none
     * @param secret signs and verifies what is posted there; null if there is none
     */
    public void follow(@Nullable NoteRelay relay, @Nullable FleetSecret secret) {
        RelayedSwitches relayed = relay == null ? null : new RelayedSwitches(relay, secret, rejectedNotes);
        unsigned = relay != null && secret == null;
        offline.relay(relayed);
        sync.start(relayed);
    }

    /** Applies rows of the database that have changed. */
    public void updateFromDatabase(List<SwitchChange> rows) {
        sync.inDatabase(rows);
        apply(rows);
    }

    /** Applies all rows of the database. Changes that the database has lost are written to it again. */
    public void replaceFromDatabase(List<SwitchChange> rows) {
        sync.allInDatabase(rows);
        apply(rows);
    }

    /** Applies the switches of the copy at a restart. */
    public void restore(Collection<SwitchChange> saved) {
        apply(saved);
    }

    private void apply(Collection<SwitchChange> changes) {
        Set<SwitchName> active =
                latest.active().stream().map(SwitchChange::name).collect(Collectors.toSet());
        List<SwitchChange> newer = latest.merge(changes);
        for (SwitchChange each : newer) {
            if (each.setting() != null) {
                LOG.log(Level.WARNING, "switch: " + each.sentence());
            } else if (active.contains(each.name())) {
                LOG.log(Level.INFO, "switch: " + each.sentence());
            }
        }
        if (!newer.isEmpty()) {
            listener.run();
        }
    }

    /**
     * The result of a switch change.
     *
     * @param done the change; null if it was a dry run
     */
    public record Switched(Change change, @Nullable SwitchChange done) {}

    /**
     * Makes a switch change and blocks. When this returns, it is in force on this node.
     *
     * @param setting null releases the switch
     * @param local makes the change for this node alone, without the database and the relay
     * @throws ChangeRefusedException if the precondition does not hold, the switch to release is not set, or the name
     *     does not fit its column
     * @throws DatabaseException if neither the database nor the relay can be reached, or the journal cannot be written
     */
    public Switched change(
            Author author,
            SwitchName name,
            @Nullable Setting setting,
            Precondition precondition,
            boolean dryRun,
            boolean local) {
        ColumnLimits.SWITCH.require(name.id());
        SwitchRequest request = new SwitchRequest(author, name, setting, precondition, dryRun);
        synchronized (changing) {
            Switched made = make(request, local);
            if (made.done() != null) {
                apply(List.of(made.done()));
                sync.wakeUp();
            }
            return made;
        }
    }

    private Switched make(SwitchRequest request, boolean local) {
        if (follower.isConnected() && (!local || !shared)) {
            try {
                return inDatabase(request);
            } catch (DatabaseException e) {
                boolean refused = !e.isLockTimeout() && isReachable();
                if (refused && !shared && !local) {
                    throw new DatabaseException(
                            e.getMessage() + "; to switch without the database: weir switch --local (local=true)", e);
                }
                if (refused && shared) {
                    throw e;
                }
            }
        }
        // Nobody shares an embedded database, so without it a switch is for this server anyway.
        return offline.make(request, latest.last(request.name()), local || !shared);
    }

    private boolean isReachable() {
        try {
            follower.sync();
            return true;
        } catch (DatabaseException e) {
            return false;
        }
    }

    private Switched inDatabase(SwitchRequest request) {
        SwitchChange[] done = new SwitchChange[1];
        Edit edit = new Edit() {
            private @Nullable SwitchChange last;

            @Override
            public @Nullable Existing existing(Connection connection) throws SQLException {
                SwitchChange row = SwitchTable.get(connection, request.name().id());
                SwitchChange known = latest.lastVerified(request.name());
                last = known != null && known.isAfter(row) ? known : row;
                SwitchChange found = last;
                if (found == null || found.setting() == null) {
                    request.requireSetting();
                    return null;
                }
                return new Existing(found.stamp(), String.valueOf(found.after()));
            }

            @Override
            public @Nullable String apply(Connection connection, StoredVersion stored) throws SQLException {
                SwitchChange next = request.after(last, Via.DATABASE);
                SwitchTable.put(connection, next);
                done[0] = next;
                return next.after();
            }
        };
        Change change = changes.make(
                request.author(),
                SwitchTable.KIND,
                request.name().id(),
                request.precondition(),
                request.dryRun(),
                edit);
        return new Switched(change, request.dryRun() ? null : done[0]);
    }

    @Override
    public void close() {
        sync.close();
    }
}
