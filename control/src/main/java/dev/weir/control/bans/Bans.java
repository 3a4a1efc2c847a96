package dev.weir.control.bans;

import dev.weir.control.audit.Author;
import dev.weir.control.change.Change;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.change.Precondition;
import dev.weir.control.database.DatabaseException;
import dev.weir.control.relay.NoteRelay;
import dev.weir.internal.ban.BanSet;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.runtime.DaemonThreads;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.runtime.RejectedNotes;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Bans, shadow bans and exemptions that people and rules make.
 *
 * <p><b>Routes.</b> What people decide goes to the database with its audit line, and every node follows. If the database
 * is unreachable, it holds on this node at once, is kept in this node's {@linkplain BanFile file}, and is written to the
 * database when that is back. All entries also go to the {@linkplain NoteRelay relay}, which every node reads each
 * second. What rules make by {@code escalate} goes to the relay and the file alone: under an attack there are many.
 *
 * <p><b>Order.</b> The newest change of each entry holds, however a node learned of it; see {@link BanChange}.
 */
public final class Bans implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Bans.class.getName());
    private static final long EVERY_MILLIS = 1_000;

    private final @Nullable BanDatabase database;
    private final LongSupplier millis;
    private final KnownBans known;
    private final RejectedNotes rejectedNotes = new RejectedNotes("bans");
    private final Object changing = new Object();
    private final Semaphore wake = new Semaphore(0);
    private final Thread thread = DaemonThreads.create("weir-bans", this::run);
    /** Entries that rules have made and that are not in force yet. */
    private final BlockingQueue<BanChange> escalated = new ArrayBlockingQueue<>(1_024);

    // Guarded by this.
    /** Rounds of {@link #synchronize} that have begun, and that have ended. */
    private long begun;

    private long ended;

    private volatile Runnable listener = () -> {};
    private volatile @Nullable RelayedBans relayed;
    private volatile boolean closed;

    /**
     * The result of a change.
     *
     * @param done null if it was a dry run
     */
    public record Made(Change change, @Nullable BanChange done) {}

    /**
     * Creates the bans, with those of the file in {@code folder}.
     *
     * @param database null if this server has none
     * @param folder the data folder; null if there is none
     */
    public Bans(@Nullable BanDatabase database, @Nullable Path folder) {
        this(database, folder, System::currentTimeMillis);
    }

    /** As above, with another clock. */
    Bans(@Nullable BanDatabase database, @Nullable Path folder, LongSupplier millis) {
        this.database = database;
        this.millis = millis;
        this.known = new KnownBans(new BanFile(folder), millis);
    }

    /** The entries that people made and those that rules made, for the limiter. */
    public List<BanSet> sets() {
        return known.sets();
    }

    /** Sets the listener that runs whenever the entries change, on the thread that noticed the change. */
    public void onChange(Runnable listener) {
        this.listener = listener;
    }

    /**
     * Follows {@code relay} from now on.
     *
     * @param relay null if there is none
     * @param secret signs and verifies what is posted there; null if there is none
     */
    public void follow(@Nullable NoteRelay relay, @Nullable FleetSecret secret) {
        connect(relay, secret);
        if (!closed) {
            synchronize();
            thread.start();
        }
    }

    /** Uses {@code relay} from now on, whenever {@link #synchronize} is called. */
    void connect(@Nullable NoteRelay relay, @Nullable FleetSecret secret) {
        relayed = relay == null ? null : new RelayedBans(relay, secret, rejectedNotes, millis);
    }

    /** The entries in force, by id. */
    public SortedMap<String, BanChange> inForce() {
        return known.inForce();
    }

    /** The entry of this name that is in force; null if there is none. */
    public @Nullable BanChange get(BanName name) {
        return known.inForce(name);
    }

    /** The number of entries in force of this kind, made by rules or by people. */
    public long count(BanKind kind, boolean automatic) {
        return known.countInForce(each -> each.kind() == kind && each.name().automatic() == automatic);
    }

    /** The number of changes that people made without the database and that are not in it yet. */
    public int unreconciled() {
        return known.countPending();
    }

    /** The number of entries that rules would have made, if there had been room for them. */
    public long dropped() {
        return known.dropped();
    }

    /** Counts the entries on the relay that were not followed. */
    public RejectedNotes rejectedNotes() {
        return rejectedNotes;
    }

    /** The reason that keeps other servers from following a change of {@code name} now, and the cure; null if they do. */
    public @Nullable String caveat(BanName name) {
        BanDatabase written = database;
        if (written != null && written.isConnected() && written.shared()) {
            return null;
        }
        RelayedBans relay = relayed;
        if (relay != null && relay.follows(name) && !relay.failed()) {
            return null;
        }
        if (relay == null) {
            return written != null && written.shared()
                    ? "this server only, until the database is reachable"
                    : "this server only: no database (--db) or Redis is shared with others";
        }
        return relay.follows(name)
                ? "this server only, until Redis or the database is reachable"
                : "this server only: without fleet_secret, other servers follow bans in the database (--db) alone";
    }

    /** Makes an entry for a rule. Returns at once, so it may be called on an event loop. */
    public void escalate(Ban ban) {
        Author author = new Author(ban.by(), "", ban.reason());
        BanChange change =
                BanChange.after(null, BanName.of(ban), ban.kind(), ban.untilMicros(), millis.getAsLong(), author);
        if (escalated.offer(change)) {
            wake.release();
        } else {
            known.drop();
        }
    }

    /**
     * Makes, replaces or removes an entry, and blocks. When this returns, it is in force on this node.
     *
     * @param kind null removes the entry
     * @throws ChangeRefusedException if the precondition does not hold, the entry to remove does not exist, or there are
     *     too many
     * @throws DatabaseException if the database refuses the change
     */
    public Made change(
            Author author,
            BanName name,
            @Nullable BanKind kind,
            long untilMicros,
            Precondition precondition,
            boolean dryRun) {
        synchronized (changing) {
            BanChange last = known.last(name);
            require(name, last, kind);
            Made made = make(author, name, kind, untilMicros, precondition, dryRun, last);
            BanChange done = made.done();
            if (done != null) {
                apply(List.of(done));
                LOG.log(
                        Level.INFO,
                        "ban: "
                                + (done.kind() == null
                                        ? name.id() + " was removed by " + author.name()
                                        : done.ban().sentence()));
                wake.release();
            }
            return made;
        }
    }

    /** The last change of this name that this node knows. */
    @Nullable
    BanChange known(BanName name) {
        return known.last(name);
    }

    private void require(BanName name, @Nullable BanChange last, @Nullable BanKind kind) {
        boolean holds = last != null && last.holdsAt(millis.getAsLong());
        if (kind == null && !holds) {
            throw new ChangeRefusedException(ChangeRefusedException.Cause.MISSING, name.id() + " has no entry");
        }
        if (kind != null && !holds && known.countInForce(each -> !each.name().automatic()) >= KnownBans.MOST) {
            throw new ChangeRefusedException(
                    ChangeRefusedException.Cause.INVALID,
                    "there are " + KnownBans.MOST
                            + " bans already (expected: fewer; put large lists into a file: ban_lists)");
        }
    }

    private Made make(
            Author author,
            BanName name,
            @Nullable BanKind kind,
            long untilMicros,
            Precondition precondition,
            boolean dryRun,
            @Nullable BanChange last) {
        BanDatabase written = database;
        if (written != null && written.isConnected()) {
            try {
                return written.make(
                        author,
                        name,
                        last,
                        before -> next(author, name, kind, untilMicros, before),
                        precondition,
                        dryRun);
            } catch (DatabaseException e) {
                if (!e.isLockTimeout() && written.isReachable()) {
                    throw e;
                }
            }
        }
        String before = BanDatabase.held(last, millis.getAsLong());
        precondition.require(last == null || before == null ? null : last.stamp());
        BanChange next = next(author, name, kind, untilMicros, last);
        if (dryRun) {
            return new Made(new Change(before, next.after(), 0), null);
        }
        keep(next);
        awaitRound();
        return new Made(new Change(before, next.after(), next.stamp()), next);
    }

    private BanChange next(
            Author author, BanName name, @Nullable BanKind kind, long untilMicros, @Nullable BanChange last) {
        return BanChange.after(last, name, kind, untilMicros, millis.getAsLong(), author);
    }

    /** Puts a change that the database lacks into force and into the file. A full disk does not stop it. */
    private void keep(BanChange change) {
        boolean later = database != null;
        LOG.log(
                Level.WARNING,
                (later ? "audit line, kept until the database is back: " : "audit line, without a database: ")
                        + BanJson.text(change));
        if (later) {
            known.databaseLacks(change.name());
        }
        apply(List.of(change));
        try {
            known.save();
        } catch (IOException e) {
            LOG.log(Level.ERROR, BanFile.NAME + " cannot be written, so a restart forgets this ban: " + e.getMessage());
        }
    }

    /** Waits until a round that began after this call has ended, so that it is known whether others follow. */
    private void awaitRound() {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(3 * EVERY_MILLIS);
        wake.release();
        synchronized (this) {
            long wanted = begun + 1;
            try {
                while (ended < wanted && thread.isAlive() && System.nanoTime() < until) {
                    wait(EVERY_MILLIS / 10);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Applies rows of the database that have changed. */
    public void updateFromDatabase(List<BanChange> rows) {
        apply(rows);
    }

    /** Applies all rows of the database; what it has lost, or deleted while this node was away, no longer holds. */
    public void replaceFromDatabase(List<BanChange> rows) {
        Set<String> stored = new HashSet<>();
        rows.forEach(each -> stored.add(each.name().id()));
        RelayedBans relay = relayed;
        known.retainOfPeople(each -> stored.contains(each.name().id()) || (relay != null && relay.has(each.name())));
        apply(rows);
        listener.run();
    }

    /** Takes in the changes that are newer than the known ones, and tells the listener if there are any. */
    private void apply(Collection<BanChange> changes) {
        if (known.merge(changes)) {
            listener.run();
        }
    }

    /** Keeps in step, with a last round after the end. */
    private void run() {
        boolean isLast = false;
        while (!isLast) {
            try {
                if (wake.tryAcquire(EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
                    wake.drainPermits();
                }
                isLast = closed;
                synchronize();
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "following bans failed; retrying", e);
            }
        }
    }

    /** Passes changes on, and takes those of others over. */
    void synchronize() {
        synchronized (this) {
            begun++;
        }
        try {
            round();
        } finally {
            synchronized (this) {
                ended = begun;
                notifyAll();
            }
        }
    }

    private void round() {
        List<BanChange> made = new ArrayList<>();
        escalated.drainTo(made);
        apply(made);
        RelayedBans relay = relayed;
        if (relay != null && relay.read()) {
            apply(relay.all());
        }
        if (database != null && database.isConnected() && !closed) {
            reconcile(database);
        }
        if (relay != null && !relay.failed() && !relay.post(known.all())) {
            wake.release();
        }
        if (known.prune()) {
            listener.run();
        }
        known.saveChanges();
    }

    private void reconcile(BanDatabase into) {
        try {
            for (BanChange each : known.pending()) {
                into.writeLater(each);
                known.databaseHas(each.name());
            }
        } catch (DatabaseException e) {
            LOG.log(Level.DEBUG, "bans are written to the database later", e);
        }
    }

    /** Passes on the last changes, and ends. The relay must be open until then. */
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
        known.saveChanges();
    }
}
