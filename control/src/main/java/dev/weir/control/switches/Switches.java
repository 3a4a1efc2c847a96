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
import dev.weir.control.switches.SwitchChange.Via;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.ruleset.RuleSwitches.Setting;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Switches for rules and for everything, which work also while the database is away.
 *
 * <p><b>Three ways.</b> A switch is a change like any other, in the database with its line of audit. While that is away or held up it goes over a
 * {@linkplain SwitchRelay board} that all nodes read every second; or, asked for so, a node takes it on its own. Either is written to
 * the {@linkplain SwitchJournal journal} of this node first, and {@linkplain SwitchSync brought into the database} when it is back.
 *
 * <p><b>One truth.</b> Of each switch the newest holds, however a node has heard of it; see {@link SwitchChange}.
 */
public final class Switches implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Switches.class.getName());

    private final boolean shared;
    private final ConditionalChanges changes;
    private final DatabaseFollower follower;
    private final LatestSwitches book;
    private final SwitchJournal journal;
    private final SwitchSync sync;
    private final OfflineSwitches unstored;
    private final Object changing = new Object();
    private volatile Runnable listener = () -> {};

    /** {@code shared}: whether the database is one that can be away. */
    public Switches(
            boolean shared,
            ConditionalChanges changes,
            AuditedTransactions ledger,
            DatabaseFollower follower,
            LatestSwitches book,
            SwitchJournal journal) {
        this.shared = shared;
        this.changes = changes;
        this.follower = follower;
        this.book = book;
        this.journal = journal;
        this.sync = new SwitchSync(ledger, follower, book, journal, this::take);
        this.unstored = new OfflineSwitches(journal);
        journal.pending().forEach(each -> take(List.of(each.done())));
    }

    /** What was done to each, for rule sets to be built under. */
    public RuleSwitches inForce() {
        return book.inForce();
    }

    /** The switches that are not as they came. */
    public List<SwitchChange> active() {
        return book.active();
    }

    /** What a switch was switched to; null where nobody did, or it was released. */
    public @Nullable SwitchChange get(SwitchName name) {
        SwitchChange last = book.last(name);
        return last == null || last.setting() == null ? null : last;
    }

    /** What was done to each last, releases too. */
    public Collection<SwitchChange> last() {
        return book.last();
    }

    /** How many were made without the database and do not stand in it yet. */
    public int unreconciled() {
        return journal.pending().size();
    }

    /** Tells {@code next} whenever something was switched, on the thread that found out. */
    public void onChange(Runnable next) {
        listener = next;
    }

    /** Reads {@code board} from now on, once before this returns; null where there is none. */
    public void follow(@Nullable SwitchRelay board) {
        unstored.over(board);
        sync.start(board, shared || board != null);
    }

    /** Takes in some of what the database holds. */
    public void database(List<SwitchChange> rows) {
        sync.inDatabase(rows);
        take(rows);
    }

    /** Takes in all that the database holds; what it held before and lost is brought there again. */
    public void wholeDatabase(List<SwitchChange> rows) {
        sync.allInDatabase(rows);
        take(rows);
    }

    /** Takes in what a restart begins with. */
    public void restore(Collection<SwitchChange> kept) {
        take(kept);
    }

    private void take(Collection<SwitchChange> heard) {
        Set<SwitchName> active = book.active().stream().map(SwitchChange::name).collect(Collectors.toSet());
        List<SwitchChange> news = book.take(heard);
        for (SwitchChange each : news) {
            if (each.setting() != null) {
                LOG.log(Level.WARNING, "switch: " + each.sentence());
            } else if (active.contains(each.name())) {
                LOG.log(Level.INFO, "switch: " + each.sentence());
            }
        }
        if (!news.isEmpty()) {
            listener.run();
        }
    }

    /**
     * What was switched, or would be.
     *
     * @param done null if it was only tried
     */
    public record Switched(Change change, @Nullable SwitchChange done) {}

    /**
     * Switches something; when this returns, it is in force on this node. It blocks.
     *
     * @param setting null releases the switch
     * @param local by this node on its own, which asks neither the database nor the board
     * @throws ChangeRefusedException if the precondition does not hold, there is nothing to release, or the database cannot hold its name
     * @throws DatabaseException if there is no way to the other nodes; or the audit cannot be written
     */
    public Switched change(
            Author author,
            SwitchName name,
            @Nullable Setting setting,
            Precondition precondition,
            boolean dryRun,
            boolean local) {
        ColumnLimits.SWITCH.require(name.id());
        SwitchRequest wish = new SwitchRequest(author, name, setting, precondition, dryRun);
        synchronized (changing) {
            Switched made = make(wish, local);
            if (made.done() != null) {
                take(List.of(made.done()));
                sync.soon();
            }
            return made;
        }
    }

    private Switched make(SwitchRequest wish, boolean local) {
        if (!shared || (!local && follower.isConnected())) {
            try {
                return inDatabase(wish);
            } catch (DatabaseException e) {
                if (!shared || (!e.isHeldUp() && isThere())) {
                    throw e; // and refuses
                }
            }
        }
        return unstored.make(wish, book.last(wish.name()), local);
    }

    private boolean isThere() {
        try {
            follower.sync();
            return true;
        } catch (DatabaseException e) {
            return false;
        }
    }

    private Switched inDatabase(SwitchRequest wish) {
        SwitchChange[] done = new SwitchChange[1];
        Edit edit = new Edit() {
            private @Nullable SwitchChange last;

            @Override
            public @Nullable Existing existing(Connection connection) throws SQLException {
                SwitchChange row = SwitchTable.get(connection, wish.name().id());
                SwitchChange known = book.last(wish.name());
                last = known != null && known.isAfter(row) ? known : row;
                SwitchChange found = last;
                if (found == null || found.setting() == null) {
                    wish.requireSomething();
                    return null;
                }
                return new Existing(found.stamp(), String.valueOf(found.after()));
            }

            @Override
            public @Nullable String apply(Connection connection, StoredVersion stored) throws SQLException {
                SwitchChange next = wish.after(last, Via.DATABASE);
                SwitchTable.put(connection, next);
                done[0] = next;
                return next.after();
            }
        };
        Change change = changes.make(
                wish.author(), FollowedSwitches.KIND, wish.name().id(), wish.precondition(), wish.dryRun(), edit);
        return new Switched(change, wish.dryRun() ? null : done[0]);
    }

    @Override
    public void close() {
        sync.close();
    }
}
