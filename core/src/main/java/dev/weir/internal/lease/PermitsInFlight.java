package dev.weir.internal.lease;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntConsumer;

/** The permits of one limit that this process has in flight, by id. The lock of their {@link PermitLease} guards them. */
final class PermitsInFlight {
    private final IntConsumer entries;
    /** Those that expire first in front, unless the limit was changed. */
    private final Map<Long, Held> held = new LinkedHashMap<>();

    private long total;

    /** Permits that were taken together. */
    private record Held(long count, long expires) {}

    /** Creates it without permits; {@code entries} is told how many entries are added. */
    PermitsInFlight(IntConsumer entries) {
        this.entries = entries;
    }

    /** The number of permits. */
    long total() {
        return total;
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    /** Adds {@code count} permits, known by {@code id}. */
    void add(long id, long count, long expires) {
        held.put(id, new Held(count, expires));
        total += count;
        entries.accept(1);
    }

    /** Removes the permits with {@code id}; returns whether there were any. */
    boolean remove(long id) {
        Held gone = held.remove(id);
        if (gone != null) {
            total -= gone.count;
            entries.accept(-1);
        }
        return gone != null;
    }

    /** Removes {@code permits} permits, those that expire first, or all if there are fewer. */
    void removeOldest(long permits) {
        long removed = 0;
        while (removed < permits && !held.isEmpty()) {
            Map.Entry<Long, Held> first = held.entrySet().iterator().next();
            Held of = first.getValue();
            long some = Math.min(of.count, permits - removed);
            removed += some;
            if (some == of.count) {
                held.remove(first.getKey());
                entries.accept(-1);
            } else {
                first.setValue(new Held(of.count - some, of.expires));
            }
        }
        total -= removed;
    }

    /** Has the permits with {@code id} expire at another time; returns whether there are any. */
    boolean renew(long id, long expires) {
        Held found = held.remove(id);
        if (found != null) {
            held.put(id, new Held(found.count, expires));
        }
        return found != null;
    }

    /** Removes those that have expired at {@code now}. */
    void expire(long now) {
        for (Iterator<Held> each = held.values().iterator(); each.hasNext(); ) {
            Held first = each.next();
            if (now - first.expires < 0) {
                return;
            }
            total -= first.count;
            each.remove();
            entries.accept(-1);
        }
    }

    void clear() {
        entries.accept(-held.size());
        held.clear();
        total = 0;
    }
}
