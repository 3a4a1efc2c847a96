package dev.weir.control;

import dev.weir.control.audit.Author;
import dev.weir.control.data.Stored;
import dev.weir.control.database.DatabaseException;
import dev.weir.control.switches.Switch;
import dev.weir.control.switches.Switch.Via;
import dev.weir.control.switches.SwitchBoard;
import dev.weir.control.switches.SwitchBook;
import dev.weir.control.switches.SwitchJournal;
import dev.weir.control.switches.SwitchName;
import dev.weir.control.switches.SwitchTable;
import dev.weir.match.RuleSwitches;
import dev.weir.match.RuleSwitches.Setting;
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
 * {@linkplain SwitchBoard board} that all nodes read every second; or, asked for so, a node takes it on its own. Either is written to
 * the {@linkplain SwitchJournal journal} of this node first, and {@linkplain SwitchSync brought into the database} when it is back.
 *
 * <p><b>One truth.</b> Of each switch the newest holds, however a node has heard of it; see {@link Switch}.
 */
public final class Switches implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Switches.class.getName());

    private final boolean shared;
    private final Changes changes;
    private final Follower follower;
    private final SwitchBook book;
    private final SwitchJournal journal;
    private final SwitchSync sync;
    private final UnstoredSwitches unstored;
    private final Object changing = new Object();
    private volatile Runnable listener = () -> {};

    /** {@code shared}: whether the database is one that can be away. */
    Switches(
            boolean shared, Changes changes, Ledger ledger, Follower follower, SwitchBook book, SwitchJournal journal) {
        this.shared = shared;
        this.changes = changes;
        this.follower = follower;
        this.book = book;
        this.journal = journal;
        this.sync = new SwitchSync(ledger, follower, book, journal, this::take);
        this.unstored = new UnstoredSwitches(journal);
        journal.pending().forEach(each -> take(List.of(each.done())));
    }

    /** What was done to each, for rule sets to be built under. */
    public RuleSwitches inForce() {
        return book.inForce();
    }

    /** The switches that are not as they came. */
    public List<Switch> active() {
        return book.active();
    }

    /** What a switch was switched to; null where nobody did, or it was released. */
    public @Nullable Switch get(SwitchName name) {
        Switch last = book.last(name);
        return last == null || last.setting() == null ? null : last;
    }

    /** What was done to each last, releases too. */
    Collection<Switch> last() {
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
    public void follow(@Nullable SwitchBoard board) {
        unstored.over(board);
        sync.start(board, shared || board != null);
    }

    /** Takes in some of what the database holds. */
    void database(List<Switch> rows) {
        sync.inDatabase(rows);
        take(rows);
    }

    /** Takes in all that the database holds; what it held before and lost is brought there again. */
    void wholeDatabase(List<Switch> rows) {
        sync.allInDatabase(rows);
        take(rows);
    }

    /** Takes in what a restart begins with. */
    void restore(Collection<Switch> kept) {
        take(kept);
    }

    private void take(Collection<Switch> heard) {
        Set<SwitchName> active = book.active().stream().map(Switch::name).collect(Collectors.toSet());
        List<Switch> news = book.take(heard);
        for (Switch each : news) {
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
    public record Switched(Change change, @Nullable Switch done) {}

    /**
     * Switches something; when this returns, it is in force on this node. It blocks.
     *
     * @param setting null releases the switch
     * @param local by this node on its own, which asks neither the database nor the board
     * @throws RefusedException if the precondition does not hold, there is nothing to release, or the database cannot hold its name
     * @throws DatabaseException if there is no way to the other nodes; or the audit cannot be written
     */
    public Switched change(
            Author author,
            SwitchName name,
            @Nullable Setting setting,
            Precondition precondition,
            boolean dryRun,
            boolean local) {
        Column.SWITCH.require(name.id());
        SwitchWish wish = new SwitchWish(author, name, setting, precondition, dryRun);
        synchronized (changing) {
            Switched made = make(wish, local);
            if (made.done() != null) {
                take(List.of(made.done()));
                sync.soon();
            }
            return made;
        }
    }

    private Switched make(SwitchWish wish, boolean local) {
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

    private Switched inDatabase(SwitchWish wish) {
        Switch[] done = new Switch[1];
        Changes.Editing editing = new Changes.Editing() {
            private @Nullable Switch last;

            @Override
            public Changes.@Nullable Existing existing(Connection connection) throws SQLException {
                Switch row = SwitchTable.get(connection, wish.name().id());
                Switch known = book.last(wish.name());
                last = known != null && known.isAfter(row) ? known : row;
                Switch found = last;
                if (found == null || found.setting() == null) {
                    wish.requireSomething();
                    return null;
                }
                return new Changes.Existing(found.stamp(), String.valueOf(found.after()));
            }

            @Override
            public @Nullable String apply(Connection connection, Stored stored) throws SQLException {
                Switch next = wish.after(last, Via.DATABASE);
                SwitchTable.put(connection, next);
                done[0] = next;
                return next.after();
            }
        };
        Change change = changes.make(
                wish.author(), FollowedSwitches.KIND, wish.name().id(), wish.precondition(), wish.dryRun(), editing);
        return new Switched(change, wish.dryRun() ? null : done[0]);
    }

    @Override
    public void close() {
        sync.close();
    }
}
