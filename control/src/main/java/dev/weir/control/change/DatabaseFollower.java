package dev.weir.control.change;

import dev.weir.control.audit.AuditLine;
import dev.weir.control.audit.AuditTable;
import dev.weir.control.database.Database;
import dev.weir.control.database.DatabaseException;
import dev.weir.internal.runtime.DaemonThreads;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Brings what others have changed to this node.
 *
 * <p><b>How it hears.</b> PostgreSQL notifies; and once a second the version is read all the same, for poolers drop
 * notifications and connections die without a word. What changed since the version that this node has seen, the audit tells;
 * after a long absence everything is read anew.
 */
public final class DatabaseFollower implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(DatabaseFollower.class.getName());
    private static final int POLL_MILLIS = 1_000;
    /** Above so many changes, reading everything is less work. */
    private static final int MOST = 1_000;

    private final Database database;
    private final AuditedTransactions ledger;
    private final List<FollowedKind> kinds;
    private final boolean listens;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = DaemonThreads.create("weir-control", this::follow);
    private volatile @Nullable Connection listening;
    private volatile boolean connected;
    /** Whether it was tried at all: only news are logged. */
    private boolean heard;

    private volatile Seen seen = Seen.NOTHING;

    /** A change, by its number and the hash of its line: after a failover that lost some, others have their numbers. */
    private record Seen(long version, String hash) {
        static final Seen NOTHING = new Seen(-1, "");
    }

    public DatabaseFollower(Database database, AuditedTransactions ledger, List<FollowedKind> kinds, boolean listens) {
        this.database = database;
        this.ledger = ledger;
        this.kinds = List.copyOf(kinds);
        this.listens = listens && database.isShared();
    }

    /** Follows from now on; where nobody else changes anything, to see whether the database is there. */
    public void start() {
        thread.start();
    }

    /** Whether the database answered when it was last asked. */
    public boolean isConnected() {
        return connected;
    }

    /** The last change that this node has seen; -1 if it has seen none. */
    public long version() {
        return seen.version();
    }

    /**
     * Takes in everything that has changed; when it returns, that is in force here.
     *
     * @throws DatabaseException if the database is away
     */
    public synchronized void sync() {
        try {
            seen = database.transaction(this::read);
            connected(true, "");
        } catch (DatabaseException e) {
            connected(false, String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private Seen read(Connection connection) throws SQLException {
        Seen before = seen;
        long version = AuditedTransactions.version(connection);
        boolean there = before.version() >= 0 && before.hash().equals(AuditTable.hash(connection, before.version()));
        if (there && version == before.version()) {
            return before;
        }
        if (!there && before.version() >= 0) {
            LOG.log(
                    Level.WARNING,
                    database + " has lost change " + before.version()
                            + ", which it had before, as after a failover: all of it is read anew");
        }
        List<AuditTable.Entry> news = there && version - before.version() <= MOST
                ? AuditTable.after(connection, before.version(), MOST)
                : List.of();
        return news.isEmpty() ? readAll(connection, version) : read(connection, news);
    }

    private Seen readAll(Connection connection, long version) throws SQLException {
        List<Runnable> all = new ArrayList<>();
        for (FollowedKind each : kinds) {
            all.add(each.readAll(connection));
        }
        writeAudit(connection, version);
        all.forEach(Runnable::run);
        return new Seen(version, AuditTable.hash(connection, version));
    }

    private Seen read(Connection connection, List<AuditTable.Entry> news) throws SQLException {
        Map<String, Set<String>> changed = new HashMap<>();
        for (AuditTable.Entry each : news) {
            changed.computeIfAbsent(each.kind(), kind -> new LinkedHashSet<>()).add(each.subject());
        }
        List<Runnable> some = new ArrayList<>();
        for (FollowedKind each : kinds) {
            Set<String> subjects = changed.remove(each.kind());
            if (subjects != null) {
                some.add(each.read(connection, subjects));
            }
        }
        if (!changed.isEmpty()) {
            LOG.log(Level.WARNING, "changes of kinds that this version does not know: " + changed.keySet());
        }
        AuditLine last = news.get(news.size() - 1).line();
        writeAudit(connection, last.version());
        some.forEach(Runnable::run);
        return new Seen(last.version(), last.hash());
    }

    private void writeAudit(Connection connection, long version) throws SQLException {
        try {
            ledger.catchUp(connection, version);
        } catch (IOException e) {
            LOG.log(Level.ERROR, "the file of audit cannot be written: " + e.getMessage());
        }
    }

    private void follow() {
        while (closed.getCount() > 0) {
            try {
                sync();
                await();
            } catch (DatabaseException e) {
                pause();
            } catch (SQLException e) {
                disconnect();
                pause();
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "following the database failed; trying again", e);
                pause();
            }
        }
        disconnect();
    }

    /** Waits until something may have changed, for a second at most. */
    private void await() throws SQLException {
        Connection connection = listening;
        if (!listens) {
            pause();
            return;
        }
        if (connection == null) {
            connection = database.listen(AuditedTransactions.CHANNEL);
            listening = connection;
            return; // what changed before it listened is read at once
        }
        connection.unwrap(PGConnection.class).getNotifications(POLL_MILLIS);
    }

    private void pause() {
        try {
            closed.await(POLL_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void disconnect() {
        Connection connection = listening;
        listening = null;
        try {
            if (connection != null) {
                connection.abort(Runnable::run);
            }
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "a connection that is given up does not end well", e);
        }
    }

    private void connected(boolean now, String why) {
        boolean news = !heard || connected != now;
        heard = true;
        connected = now;
        if (news && now) {
            LOG.log(Level.INFO, "database: " + database);
        } else if (news) {
            LOG.log(Level.ERROR, why + "; what it held when it was last seen stays in force, changes are refused");
        }
    }

    @Override
    public void close() {
        closed.countDown();
        disconnect();
        try {
            if (thread.isAlive()) {
                thread.join(2 * POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
