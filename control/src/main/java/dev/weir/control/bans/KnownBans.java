package dev.weir.control.bans;

import dev.weir.internal.ban.BanSet;
import dev.weir.internal.model.Ban;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The newest change of each entry, however this node learned of it, in memory and in this node's {@linkplain BanFile
 * file}; and, for the limiter, the sets of the entries in force. Safe for use by several threads.
 */
final class KnownBans {
    /** The most entries that people may have made, and the most that rules may have made. */
    static final int MOST = 10_000;

    private static final System.Logger LOG = System.getLogger(KnownBans.class.getName());

    private final BanFile file;
    private final LongSupplier millis;
    private final LongAdder dropped = new LongAdder();

    // Guarded by this.
    private final Map<String, BanChange> all = new HashMap<>();
    /** The ids of entries that people have changed and the database lacks. */
    private final Set<String> pending = new HashSet<>();
    /** Whether the file lacks a change. */
    private boolean dirty;

    private volatile BanSet people = BanSet.of(List.of(), false);
    private volatile BanSet rules = BanSet.of(List.of(), true);

    /** Creates the table with the entries of the file. */
    KnownBans(BanFile file, LongSupplier millis) {
        this.file = file;
        this.millis = millis;
        Map<BanChange, Boolean> kept = file.load();
        kept.forEach((change, isPending) -> {
            if (isPending) {
                pending.add(change.name().id());
            }
        });
        merge(kept.keySet());
    }

    /** The entries that people made and those that rules made. */
    List<BanSet> sets() {
        return List.of(people, rules);
    }

    /** The entries in force, by id. */
    synchronized SortedMap<String, BanChange> inForce() {
        SortedMap<String, BanChange> held = new TreeMap<>();
        long now = millis.getAsLong();
        all.forEach((id, each) -> {
            if (each.holdsAt(now)) {
                held.put(id, each);
            }
        });
        return held;
    }

    /** The number of entries in force that {@code condition} accepts. */
    synchronized long countInForce(Predicate<BanChange> condition) {
        long now = millis.getAsLong();
        return all.values().stream()
                .filter(each -> each.holdsAt(now) && condition.test(each))
                .count();
    }

    /** The last change of this name; null if none is known. */
    synchronized @Nullable BanChange last(BanName name) {
        return all.get(name.id());
    }

    /** The last change of this name if its entry is in force. */
    @Nullable
    BanChange inForce(BanName name) {
        BanChange last = last(name);
        return last != null && last.holdsAt(millis.getAsLong()) ? last : null;
    }

    synchronized List<BanChange> all() {
        return List.copyOf(all.values());
    }

    /** The number of entries that rules would have made, if there had been room for them. */
    long dropped() {
        return dropped.sum();
    }

    void drop() {
        dropped.increment();
    }

    /** Takes in the changes that are newer than the known ones; returns whether there are any. */
    synchronized boolean merge(Collection<BanChange> changes) {
        boolean ofPeople = false;
        boolean ofRules = false;
        long now = millis.getAsLong();
        long automatic =
                all.values().stream().filter(each -> each.name().automatic()).count();
        for (BanChange each : changes) {
            String id = each.name().id();
            BanChange known = all.get(id);
            if (!each.isAfter(known) || each.forgottenMillis() <= now) {
                continue;
            }
            if (known == null && each.name().automatic() && automatic++ >= MOST) {
                drop();
                continue;
            }
            all.put(id, each);
            ofRules |= each.name().automatic();
            ofPeople |= !each.name().automatic();
        }
        rebuild(ofRules, ofPeople);
        return ofRules || ofPeople;
    }

    /** Forgets what people have changed, except what {@code isKept} accepts and what the database lacks. */
    synchronized void retainOfPeople(Predicate<BanChange> isKept) {
        boolean removed = all.values()
                .removeIf(each -> !each.name().automatic()
                        && !pending.contains(each.name().id())
                        && !isKept.test(each));
        if (removed) {
            rebuild(false, true);
        }
    }

    /**
     * Takes entries that have ended out of the sets, and forgets the changes that nobody needs any more; returns whether
     * the sets are others now.
     */
    synchronized boolean prune() {
        long now = millis.getAsLong();
        dirty |= all.values().removeIf(each -> each.forgottenMillis() <= now);
        pending.retainAll(all.keySet());
        boolean ended = countInForce(each -> true) != people.size() + rules.size();
        if (ended) {
            rebuild(true, true);
        }
        return ended;
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
        long now = millis.getAsLong();
        List<Ban> held = new ArrayList<>();
        for (BanChange each : all.values()) {
            if (each.name().automatic() == automatic && each.holdsAt(now)) {
                held.add(each.ban());
            }
        }
        return held;
    }

    /** Remembers that the database lacks the last change of {@code name}. */
    synchronized void databaseLacks(BanName name) {
        pending.add(name.id());
    }

    synchronized void databaseHas(BanName name) {
        pending.remove(name.id());
        dirty = true;
    }

    /** The number of entries whose last change the database lacks. */
    synchronized int countPending() {
        return pending.size();
    }

    /** The changes that the database lacks. */
    synchronized List<BanChange> pending() {
        List<BanChange> missing = new ArrayList<>();
        for (String id : pending) {
            BanChange each = all.get(id);
            if (each != null) {
                missing.add(each);
            }
        }
        return missing;
    }

    /** Writes the file. */
    synchronized void save() throws IOException {
        file.save(all.values(), pending);
        dirty = false;
    }

    /** Writes the file if it lacks a change, and leaves that for later if it cannot be written. */
    synchronized void saveChanges() {
        if (dirty) {
            try {
                save();
            } catch (IOException e) {
                LOG.log(Level.DEBUG, BanFile.NAME + " is still not writable", e);
            }
        }
    }
}
