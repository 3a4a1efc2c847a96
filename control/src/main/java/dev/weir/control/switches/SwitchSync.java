package dev.weir.control.switches;

import dev.weir.control.change.AuditedTransactions;
import dev.weir.control.change.DatabaseFollower;
import dev.weir.control.change.Edit;
import dev.weir.control.data.StoredVersion;
import dev.weir.control.database.DatabaseException;
import dev.weir.control.switches.SwitchChange.Via;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps database, board and memory at one mind about switches, once a second, on a thread of its own:
 *
 * <ol>
 *   <li>what the board has and memory has not comes into force here;
 *   <li>what this node switched without the database is written there, with its author and its time, in order: also what was
 *       overtaken meanwhile, which then stands in the audit alone;
 *   <li>what anybody else did, and has not written there for a while, is written for them;
 *   <li>what the board has not got is posted there, but for what a node took on its own and the database does not know.
 * </ol>
 */
final class SwitchSync implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SwitchSync.class.getName());
    private static final long EVERY_MILLIS = 1_000;
    /** So long whoever switched something has time to write it down. */
    private static final long GRACE_NANOS = Duration.ofSeconds(3).toNanos();

    private final AuditedTransactions ledger;
    private final DatabaseFollower follower;
    private final LatestSwitches book;
    private final SwitchJournal journal;
    private final Consumer<Collection<SwitchChange>> taking;
    private final Semaphore wake = new Semaphore(0);
    private final Thread thread = new Thread(this::run, "weir-switches");
    /** By id: the stamp that the database has. */
    private final Map<String, Long> inDatabase = new ConcurrentHashMap<>();
    /** By id and stamp: since when the database lacks it. */
    private final Map<String, Lacking> lacking = new HashMap<>();

    private volatile @Nullable RelayedSwitches posted;
    private volatile boolean closed;

    private record Lacking(long stamp, long sinceNanos) {}

    SwitchSync(
            AuditedTransactions ledger,
            DatabaseFollower follower,
            LatestSwitches book,
            SwitchJournal journal,
            Consumer<Collection<SwitchChange>> taking) {
        this.ledger = ledger;
        this.follower = follower;
        this.book = book;
        this.journal = journal;
        this.taking = taking;
        thread.setDaemon(true);
    }

    void start(@Nullable SwitchRelay board, boolean follows) {
        this.posted = board == null ? null : new RelayedSwitches(board);
        if (follows && !closed) {
            look();
            thread.start();
        }
    }

    /** Does not wait for the next second. */
    void soon() {
        wake.release();
    }

    /** The database has these. */
    void inDatabase(List<SwitchChange> rows) {
        rows.forEach(each -> inDatabase.put(each.name().id(), each.stamp()));
    }

    /** The database has these and no others. */
    void allInDatabase(List<SwitchChange> rows) {
        inDatabase
                .keySet()
                .retainAll(rows.stream().map(each -> each.name().id()).toList());
        inDatabase(rows);
    }

    private void run() {
        while (!closed) {
            try {
                wake.tryAcquire(EVERY_MILLIS, TimeUnit.MILLISECONDS);
                wake.drainPermits();
                look();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "following switches failed; trying again", e);
            }
        }
    }

    private synchronized void look() {
        RelayedSwitches others = posted;
        if (others != null && !closed && others.read()) {
            taking.accept(others.all());
        }
        if (follower.isConnected() && !closed) {
            reconcile();
        }
        if (others != null && !others.failed() && !closed) {
            others.post(book.last(), this::isKeptHere);
        }
    }

    private void reconcile() {
        try {
            List<SwitchJournal.Line> pending = journal.pending();
            for (SwitchJournal.Line each : pending) {
                write(each.done(), each);
            }
            if (!pending.isEmpty()) {
                journal.reconciled(pending.get(pending.size() - 1));
                LOG.log(Level.INFO, "switches: " + pending.size() + " made without the database stand in it now");
            }
            for (SwitchChange each : book.last()) {
                if (hasLacked(each)) {
                    write(each, null);
                }
            }
        } catch (DatabaseException e) {
            LOG.log(Level.DEBUG, "switches are brought into the database later", e);
        } catch (IOException e) {
            LOG.log(Level.ERROR, "the journal of switches cannot be written: " + e.getMessage());
        }
    }

    private boolean hasLacked(SwitchChange each) {
        String id = each.name().id();
        if (inDatabase.getOrDefault(id, -1L) >= each.stamp()) {
            lacking.remove(id);
            return false;
        }
        long now = System.nanoTime();
        Lacking known = lacking.get(id);
        if (known == null || known.stamp() != each.stamp()) {
            lacking.put(id, new Lacking(each.stamp(), now));
            return false;
        }
        return now - known.sinceNanos() > GRACE_NANOS;
    }

    /** Writes {@code done} as the change that it was, unless somebody has; of a line of the journal also what it followed. */
    private void write(SwitchChange done, SwitchJournal.@Nullable Line line) {
        ledger.recordLater(done.author(), FollowedSwitches.KIND, done.name().id(), done.at(), new Edit() {
            private @Nullable SwitchChange row;
            private boolean known;

            @Override
            public @Nullable Existing existing(Connection connection) throws SQLException {
                SwitchChange found = SwitchTable.get(connection, done.name().id());
                row = found;
                known = found != null && (line == null ? !done.isAfter(found) : found.stamp() == done.stamp());
                if (known) {
                    return null;
                }
                String before = line != null ? line.before() : found == null ? null : found.after();
                return before == null ? null : new Existing(found == null ? 0 : found.stamp(), before);
            }

            @Override
            public @Nullable String apply(Connection connection, StoredVersion stored) throws SQLException {
                if (!known && done.isAfter(row)) {
                    SwitchTable.put(connection, done);
                }
                return known ? null : done.after();
            }
        });
        follower.sync();
        inDatabase.merge(done.name().id(), done.stamp(), Math::max);
    }

    /** Whether this node took it on its own, and the database does not know. */
    private boolean isKeptHere(SwitchChange each) {
        return journal.pending().stream()
                .map(SwitchJournal.Line::done)
                .anyMatch(done -> done.via() == Via.LOCAL
                        && done.stamp() == each.stamp()
                        && done.name().id().equals(each.name().id()));
    }

    @Override
    public void close() {
        closed = true;
        wake.release();
        try {
            if (thread.isAlive() && Thread.currentThread() != thread) {
                thread.join(2 * EVERY_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
