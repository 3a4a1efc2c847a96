package dev.weir.control.switches;

import dev.weir.control.change.AuditedTransactions;
import dev.weir.control.change.DatabaseFollower;
import dev.weir.control.change.Edit;
import dev.weir.control.data.StoredVersion;
import dev.weir.control.database.DatabaseException;
import dev.weir.control.switches.SwitchChange.Via;
import dev.weir.internal.runtime.DaemonThreads;
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
 * Synchronizes switches between the database, the relay and memory, once a second, on a thread of its own:
 *
 * <ol>
 * <li>Changes that the relay has and memory lacks come into force here, if the fleet's secret verifies them. Without a
 * secret they are in force only while the database is unreachable, and {@linkplain UnverifiedSwitches audited as such}.
 * <li>Changes that this node made without the database are written to it in order, with their author and time. A change
 * that was overtaken meanwhile is written to the audit log only.
 * <li>Changes of other nodes that are missing in the database for a while are written on their behalf.
 * <li>Changes that the relay lacks are relayed there, except those that a node made for itself and the database lacks.
 * </ol>
 */
final class SwitchSync implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SwitchSync.class.getName());
    private static final long EVERY_MILLIS = 1_000;
    /** The time that a node has to write its own changes to the database. */
    static final long GRACE_NANOS = Duration.ofSeconds(3).toNanos();

    private final AuditedTransactions transactions;
    private final DatabaseFollower follower;
    private final LatestSwitches latest;
    private final SwitchJournal journal;
    private final Consumer<Collection<SwitchChange>> listener;
    private final Semaphore wake = new Semaphore(0);
    private final Thread thread = DaemonThreads.create("weir-switches", this::run);
    /** The stamp in the database, by switch id. */
    private final Map<String, Long> inDatabase = new ConcurrentHashMap<>();
    /** The time since which the database lacks a change, by switch id. */
    private final Map<String, Lacking> lacking = new HashMap<>();

    private final UnverifiedSwitches unverified;
    private volatile @Nullable RelayedSwitches relayed;
    private volatile boolean closed;

    private record Lacking(long stamp, long sinceNanos) {}

    SwitchSync(
            AuditedTransactions transactions,
            DatabaseFollower follower,
            LatestSwitches latest,
            SwitchJournal journal,
            UnverifiedSwitches unverified,
            Consumer<Collection<SwitchChange>> listener) {
        this.transactions = transactions;
        this.follower = follower;
        this.latest = latest;
        this.journal = journal;
        this.unverified = unverified;
        this.listener = listener;
    }

    void start(@Nullable RelayedSwitches relay) {
        this.relayed = relay;
        if (!closed) {
            synchronize();
            thread.start();
        }
    }

    /** Starts the next synchronization now. */
    void wakeUp() {
        wake.release();
    }

    /** Notes that the database has these rows. */
    void inDatabase(List<SwitchChange> rows) {
        rows.forEach(each -> inDatabase.put(each.name().id(), each.stamp()));
    }

    /** Notes that the database has these rows and no others. */
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
                synchronize();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "synchronizing switches failed; retrying", e);
            }
        }
    }

    private synchronized void synchronize() {
        journal.saveUnsaved();
        RelayedSwitches others = relayed;
        if (others != null && !closed) {
            boolean isNew = others.read();
            if (!others.areVerified()) {
                unverified.follow(others.all(), follower.isConnected());
            } else if (isNew) {
                listener.accept(others.all());
            }
        }
        if (follower.isConnected() && !closed) {
            reconcile();
        }
        if (others != null && !others.failed() && !closed) {
            others.post(latest.last(), this::isLocal);
        }
    }

    private void reconcile() {
        try {
            List<SwitchJournal.Line> pending = journal.pending();
            for (SwitchJournal.Line each : pending) {
                write(each.change(), each);
            }
            if (!pending.isEmpty()) {
                journal.reconciled(pending.get(pending.size() - 1));
                LOG.log(Level.INFO, "switches made without the database, now written to it: " + pending.size());
            }
            for (SwitchChange each : latest.last()) {
                if (isOverdue(each)) {
                    write(each, null);
                }
            }
        } catch (DatabaseException e) {
            LOG.log(Level.DEBUG, "switches are written to the database later", e);
        } catch (IOException e) {
            LOG.log(Level.ERROR, "the switch journal cannot be written: " + e.getMessage());
        }
    }

    private boolean isOverdue(SwitchChange each) {
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

    /**
     * Writes a change to the database unless it is there already. For a journal line, the audit line also has the state
     * that it replaced.
     */
    private void write(SwitchChange change, SwitchJournal.@Nullable Line line) {
        transactions.recordLater(
                change.author(), SwitchTable.KIND, change.name().id(), change.at(), new Edit() {
                    private @Nullable SwitchChange row;
                    private boolean known;

                    @Override
                    public @Nullable Existing existing(Connection connection) throws SQLException {
                        SwitchChange found =
                                SwitchTable.get(connection, change.name().id());
                        row = found;
                        known = found != null
                                && (line == null ? !change.isAfter(found) : found.stamp() == change.stamp());
                        if (known) {
                            return null;
                        }
                        String before = line != null ? line.before() : found == null ? null : found.after();
                        return before == null ? null : new Existing(found == null ? 0 : found.stamp(), before);
                    }

                    @Override
                    public @Nullable String apply(Connection connection, StoredVersion stored) throws SQLException {
                        if (!known && change.isAfter(row)) {
                            SwitchTable.put(connection, change);
                        }
                        return known ? null : change.after();
                    }
                });
        follower.sync();
        inDatabase.merge(change.name().id(), change.stamp(), Math::max);
    }

    /** Returns whether this node made the change for itself and the database lacks it. */
    private boolean isLocal(SwitchChange each) {
        return journal.pending().stream()
                .map(SwitchJournal.Line::change)
                .anyMatch(change -> change.via() == Via.LOCAL
                        && change.stamp() == each.stamp()
                        && change.name().id().equals(each.name().id()));
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
