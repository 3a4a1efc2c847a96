package dev.weir.control.bans;

import dev.weir.control.audit.Author;
import dev.weir.control.change.Change;
import dev.weir.control.change.ChangeRefusedException;
import dev.weir.control.change.Precondition;
import dev.weir.control.database.DatabaseException;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Bans, shadow bans and exemptions that people and rules make.
 *
 * <p><b>Routes.</b> What people decide goes to the database with its audit line, and every node follows. If the database
 * is unreachable, it holds on this node at once, is kept in this node's {@linkplain BanFile file}, and is written to the
 * database when that is back. All entries also go to the {@linkplain BanRelay relay}, which every node reads each
 * second. What rules make by {@code escalate} goes to the relay and the file alone: under an attack there are many.
 *
 * <p><b>Order.</b> The newest change of each entry holds, however a node learned of it; see {@link BanChange}.
 */
public final class Bans implements AutoCloseable {
    /** The most entries that people may have made, and the most that rules may have made. */
    public static final int MOST = 10_000;

    private static final System.Logger LOG = System.getLogger(Bans.class.getName());
    private static final long EVERY_MILLIS = 1_000;

    private final @Nullable BanDatabase database;
    private final BanFile file;
    private final RejectedNotes rejectedNotes = new RejectedNotes("bans");
    private final LongAdder dropped = new LongAdder();
    private final Object changing = new Object();
    private final Semaphore wake = new Semaphore(0);
    private final Thread thread = DaemonThreads.create("weir-bans", this::run);
    /** Entries that rules have made and that are not in force yet. */
    private final BlockingQueue<BanChange> escalated = new ArrayBlockingQueue<>(1_024);

    // Guarded by this.
    private final Map<String, BanChange> all = new HashMap<>();
    private final Set<String> pending = new HashSet<>();
    private boolean dirty;
    /** Rounds of {@link #synchronize} that have begun, and that have ended. */
    private long begun;

    private long ended;

    private volatile BanSet people = BanSet.of(List.of(), false);
    private volatile BanSet rules = BanSet.of(List.of(), true);
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
        this.database = database;
        this.file = new BanFile(folder);
        Map<BanChange, Boolean> kept = file.load();
        kept.forEach((change, isPending) -> {
            if (isPending) {
                pending.add(change.name().id());
            }
        });
        merge(kept.keySet());
    }

    /** The entries that people made and those that rules made, for the limiter. */
    public List<BanSet> sets() {
        return List.of(people, rules);
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
    public void follow(@Nullable BanRelay relay, @Nullable FleetSecret secret) {
        relayed = relay == null ? null : new RelayedBans(relay, secret, rejectedNotes);
        if (!closed) {
            synchronize();
            thread.start();
        }
    }

    /** The entries in force, by id. */
    public synchronized SortedMap<String, BanChange> inForce() {
        SortedMap<String, BanChange> held = new TreeMap<>();
        long now = System.currentTimeMillis();
        all.forEach((id, each) -> {
            if (each.holdsAt(now)) {
                held.put(id, each);
            }
        });
        return held;
    }

    /** The entry of this name that is in force; null if there is none. */
    public synchronized @Nullable BanChange get(BanName name) {
        BanChange last = all.get(name.id());
        return last != null && last.holdsAt(System.currentTimeMillis()) ? last : null;
    }

    /** The number of entries in force of this kind, made by rules or by people. */
    public synchronized long count(BanKind kind, boolean automatic) {
        long now = System.currentTimeMillis();
        return all.values().stream()
                .filter(each -> each.kind() == kind && each.name().automatic() == automatic && each.holdsAt(now))
                .count();
    }

    /** The number of changes that people made without the database and that are not in it yet. */
    public synchronized int unreconciled() {
        return pending.size();
    }

    /** The number of entries that rules would have made, if there had been room for them. */
    public long dropped() {
        return dropped.sum();
    }

    /** Counts the entries on the relay that were not followed. */
    public RejectedNotes rejectedNotes() {
        return rejectedNotes;
    }

    /** The reason that keeps other servers from following a change now, and the cure; null if they follow it. */
    public @Nullable String caveat() {
        BanDatabase written = database;
        if (written != null && written.isConnected() && written.shared()) {
            return null;
        }
        RelayedBans relay = relayed;
        if (relay != null && relay.isSigned() && !relay.failed()) {
            return null;
        }
        if (relay == null) {
            return written != null && written.shared()
                    ? "this server only, until the database is reachable"
                    : "this server only: no database (--db) or Redis is shared with others";
        }
        return relay.isSigned()
                ? "this server only, until Redis or the database is reachable"
                : "this server only: without fleet_secret, other servers follow bans in the database (--db) alone";
    }

    /** Makes an entry for a rule. Returns at once, so it may be called on an event loop. */
    public void escalate(Ban ban) {
        Author author = new Author(ban.by(), "", ban.reason());
        BanChange change =
                new BanChange(BanName.of(ban), ban.kind(), ban.untilMicros(), System.currentTimeMillis(), author);
        if (escalated.offer(change)) {
            wake.release();
        } else {
            dropped.increment();
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
            BanChange known = known(name);
            require(name, known, kind);
            Made made = make(author, name, kind, untilMicros, precondition, dryRun, known);
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

    private synchronized @Nullable BanChange known(BanName name) {
        return all.get(name.id());
    }

    private synchronized void require(BanName name, @Nullable BanChange known, @Nullable BanKind kind) {
        boolean holds = known != null && known.holdsAt(System.currentTimeMillis());
        if (kind == null && !holds) {
            throw new ChangeRefusedException(ChangeRefusedException.Cause.MISSING, name.id() + " has no entry");
        }
        long others = all.values().stream()
                .filter(each -> each.kind() != null && !each.name().automatic())
                .count();
        if (kind != null && !holds && others >= MOST) {
            throw new ChangeRefusedException(
                    ChangeRefusedException.Cause.INVALID,
                    "there are " + MOST + " bans already (expected: fewer; put large lists into a file: ban_lists)");
        }
    }

    private Made make(
            Author author,
            BanName name,
            @Nullable BanKind kind,
            long untilMicros,
            Precondition precondition,
            boolean dryRun,
            @Nullable BanChange known) {
        BanDatabase written = database;
        if (written != null && written.isConnected()) {
            try {
                return written.make(
                        author, name, known, last -> next(author, name, kind, untilMicros, last), precondition, dryRun);
            } catch (DatabaseException e) {
                if (!e.isLockTimeout() && written.isReachable()) {
                    throw e;
                }
            }
        }
        String before = BanDatabase.held(known);
        precondition.require(known == null || before == null ? null : known.stamp());
        BanChange next = next(author, name, kind, untilMicros, known);
        if (dryRun) {
            return new Made(new Change(before, next.after(), 0), null);
        }
        keep(next);
        awaitRound();
        return new Made(new Change(before, next.after(), next.stamp()), next);
    }

    private static BanChange next(
            Author author, BanName name, @Nullable BanKind kind, long untilMicros, @Nullable BanChange last) {
        long now = System.currentTimeMillis();
        return new BanChange(name, kind, untilMicros, last == null ? now : Math.max(now, last.stamp() + 1), author);
    }

    /** Puts a change that the database lacks into force and into the file. A full disk does not stop it. */
    private void keep(BanChange change) {
        LOG.log(Level.WARNING, "audit line, kept until the database is back: " + BanJson.text(change));
        synchronized (this) {
            pending.add(change.name().id());
        }
        apply(List.of(change));
        synchronized (this) {
            try {
                file.save(all.values(), pending);
            } catch (IOException e) {
                LOG.log(
                        Level.ERROR,
                        BanFile.NAME + " cannot be written, so a restart forgets this ban: " + e.getMessage());
            }
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
        synchronized (this) {
            boolean removed = all.values()
                    .removeIf(each -> !each.name().automatic()
                            && !stored.contains(each.name().id())
                            && !pending.contains(each.name().id())
                            && (relay == null || !relay.has(each.name())));
            if (removed) {
                rebuild(false, true);
            }
        }
        apply(rows);
        listener.run();
    }

    /** Takes in the changes that are newer than the known ones, and tells the listener if there are any. */
    private void apply(Collection<BanChange> changes) {
        if (merge(changes)) {
            listener.run();
        }
    }

    private synchronized boolean merge(Collection<BanChange> changes) {
        boolean ofPeople = false;
        boolean ofRules = false;
        long now = System.currentTimeMillis();
        long automatic =
                all.values().stream().filter(each -> each.name().automatic()).count();
        for (BanChange each : changes) {
            String id = each.name().id();
            BanChange known = all.get(id);
            if (!each.isAfter(known) || each.endsMillis() <= now) {
                continue;
            }
            if (known == null && each.name().automatic() && automatic++ >= MOST) {
                dropped.increment();
                continue;
            }
            all.put(id, each);
            ofRules |= each.name().automatic();
            ofPeople |= !each.name().automatic();
        }
        rebuild(ofRules, ofPeople);
        return ofRules || ofPeople;
    }

    private synchronized void rebuild(boolean ofRules, boolean ofPeople) {
        if (ofRules) {
            rules = BanSet.of(held(true), true);
        }
        if (ofPeople) {
            people = BanSet.of(held(false), false);
        }
        dirty |= ofRules || ofPeople;
    }

    private List<Ban> held(boolean automatic) {
        long now = System.currentTimeMillis();
        List<Ban> held = new ArrayList<>();
        for (BanChange each : all.values()) {
            if (each.name().automatic() == automatic && each.holdsAt(now)) {
                held.add(each.ban());
            }
        }
        return held;
    }

    private void run() {
        while (!closed) {
            try {
                if (wake.tryAcquire(EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
                    wake.drainPermits();
                }
                synchronize();
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "following bans failed; retrying", e);
            }
        }
    }

    private void synchronize() {
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
        if (relay != null && !relay.failed() && !closed && !relay.post(copy())) {
            wake.release();
        }
        prune();
        save();
    }

    private synchronized List<BanChange> copy() {
        return List.copyOf(all.values());
    }

    private void reconcile(BanDatabase into) {
        List<BanChange> missing = new ArrayList<>();
        synchronized (this) {
            pending.forEach(id -> missing.add(all.get(id)));
        }
        try {
            for (BanChange each : missing) {
                if (each != null) {
                    into.writeLater(each);
                }
                synchronized (this) {
                    pending.remove(each == null ? "" : each.name().id());
                    dirty = true;
                }
            }
        } catch (DatabaseException e) {
            LOG.log(Level.DEBUG, "bans are written to the database later", e);
        }
    }

    /** Forgets what has ended. It no longer holds anyway. */
    private synchronized void prune() {
        long now = System.currentTimeMillis();
        int before = all.size();
        all.values().removeIf(each -> each.endsMillis() <= now);
        pending.retainAll(all.keySet());
        if (all.size() != before) {
            rebuild(true, true);
            listener.run();
        }
    }

    private synchronized void save() {
        if (dirty) {
            try {
                file.save(all.values(), pending);
                dirty = false;
            } catch (IOException e) {
                LOG.log(Level.DEBUG, BanFile.NAME + " is still not writable", e);
            }
        }
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
        save();
    }
}
