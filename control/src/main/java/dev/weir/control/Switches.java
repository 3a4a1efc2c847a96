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
import java.io.IOException;
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
 * <p><b>Three ways.</b> A switch is a change like any other, in the database with its line of audit. While that is away it goes over a
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
        sync.start(board, shared || board != null);
    }

    /** Takes in what the database holds. */
    void database(List<Switch> rows) {
        sync.inDatabase(rows);
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
     * @throws RefusedException if the precondition does not hold, or there is nothing to release
     * @throws DatabaseException if there is no way to the other nodes; or the audit cannot be written
     */
    public Switched change(
            Author author,
            SwitchName name,
            @Nullable Setting setting,
            Precondition precondition,
            boolean dryRun,
            boolean local) {
        synchronized (changing) {
            if (!shared || (!local && follower.isConnected())) {
                try {
                    return inDatabase(author, name, setting, precondition, dryRun);
                } catch (DatabaseException e) {
                    if (!shared || isThere()) {
                        throw e; // and refuses
                    }
                }
            }
            return withoutDatabase(author, name, setting, precondition, dryRun, local);
        }
    }

    private boolean isThere() {
        try {
            follower.sync();
            return true;
        } catch (DatabaseException e) {
            return false;
        }
    }

    private Switched inDatabase(
            Author author, SwitchName name, @Nullable Setting setting, Precondition precondition, boolean dryRun) {
        Switch[] done = new Switch[1];
        Changes.Editing editing = new Changes.Editing() {
            private @Nullable Switch last;

            @Override
            public Changes.@Nullable Existing existing(Connection connection) throws SQLException {
                Switch row = SwitchTable.get(connection, name.id());
                Switch known = book.last(name);
                last = known != null && known.isAfter(row) ? known : row;
                Switch found = last;
                if (found == null || found.setting() == null) {
                    requireSomething(setting, name);
                    return null;
                }
                return new Changes.Existing(found.stamp(), String.valueOf(found.after()));
            }

            @Override
            public @Nullable String apply(Connection connection, Stored stored) throws SQLException {
                Switch next = next(author, name, setting, last, Via.DATABASE);
                SwitchTable.put(connection, next);
                done[0] = next;
                return next.after();
            }
        };
        Change change = changes.make(author, FollowedSwitches.KIND, name.id(), precondition, dryRun, editing);
        if (!dryRun) {
            take(List.of(done[0]));
            sync.soon();
        }
        return new Switched(change, dryRun ? null : done[0]);
    }

    private Switched withoutDatabase(
            Author author,
            SwitchName name,
            @Nullable Setting setting,
            Precondition precondition,
            boolean dryRun,
            boolean local) {
        Switch last = book.last(name);
        boolean set = last != null && last.setting() != null;
        Changes.require(precondition, last == null || !set ? null : last.stamp());
        if (!set) {
            requireSomething(setting, name);
        }
        Switch next = next(author, name, setting, last, local ? Via.LOCAL : Via.REDIS);
        String before = last == null ? null : last.after();
        if (dryRun) {
            return new Switched(new Change(before, next.after(), 0), null);
        }
        SwitchBoard board = sync.board();
        if (board == null && !local) {
            throw new DatabaseException("the database is away, and there is no Redis to tell the other servers by:"
                    + " local=true (weir switch --local) switches this server alone");
        }
        SwitchJournal.Line line = write(next, before);
        if (!local && board != null) {
            post(board, next, line);
        }
        take(List.of(next));
        sync.soon();
        return new Switched(new Change(before, next.after(), next.stamp()), next);
    }

    private SwitchJournal.Line write(Switch next, @Nullable String before) {
        try {
            return journal.add(next, before);
        } catch (IOException e) {
            throw new DatabaseException("the audit cannot be written, so nothing was switched: " + e.getMessage(), e);
        }
    }

    private void post(SwitchBoard board, Switch next, SwitchJournal.Line line) {
        try {
            board.post(next.name().id(), next.stamp(), next.text());
        } catch (IOException e) {
            try {
                journal.takeBack(line);
            } catch (IOException stays) {
                LOG.log(Level.ERROR, "the journal has a line of a switch that was not made", stays);
            }
            throw new DatabaseException(
                    "neither the database nor Redis answers (" + e.getMessage()
                            + "): local=true (weir switch --local) switches this server alone",
                    e);
        }
    }

    private static void requireSomething(@Nullable Setting setting, SwitchName name) {
        if (setting == null) {
            throw new RefusedException(RefusedException.Cause.MISSING, name.id() + " is not switched");
        }
    }

    private static Switch next(
            Author author, SwitchName name, @Nullable Setting setting, @Nullable Switch last, Via via) {
        long now = System.currentTimeMillis();
        return new Switch(name, setting, last == null ? now : Math.max(now, last.stamp() + 1), author, via);
    }

    @Override
    public void close() {
        sync.close();
        try {
            journal.close();
        } catch (IOException e) {
            LOG.log(Level.WARNING, SwitchJournal.NAME + " does not close: " + e.getMessage());
        }
    }
}
