package dev.weir.internal.queue;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A queue that is fair between callers and first in, first out for each of them: deficit round robin over 64 flows.
 * A caller has a flow of its own while it has entries; beyond 64 callers, a hash chooses the flow that it shares. A flow
 * that has entries is served in turn, and its entries of one round cost as much as those of every other flow, however many
 * it has. Not thread-safe.
 */
final class FairQueue<T> {
    static final int FLOWS = 64;

    private final ToIntFunction<T> caller;
    private final ToLongFunction<T> cost;

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    private final ArrayDeque<T>[] flows = new ArrayDeque[FLOWS];

    private final long[] deficits = new long[FLOWS];
    /** The flows that have entries, in the order in which they are served. */
    private final ArrayDeque<Integer> active = new ArrayDeque<>();

    /** The place of each caller that has entries, by the hash of the caller. */
    private final Map<Integer, Place> places = new HashMap<>();

    private int size;
    /** The cost that a flow may spend in a round: the largest cost that was seen, so that each round serves each flow. */
    private long quantum = 1;

    /** The flow of a caller, and how many entries it has there. */
    private static final class Place {
        final int flow;
        int entries;

        Place(int flow) {
            this.flow = flow;
        }
    }

    /**
     * Creates an empty queue.
     *
     * @param caller the hash of an entry's caller
     * @param cost the cost of an entry, positive
     */
    FairQueue(ToIntFunction<T> caller, ToLongFunction<T> cost) {
        this.caller = caller;
        this.cost = cost;
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    void add(T entry) {
        quantum = Math.max(quantum, cost.applyAsLong(entry));
        int flow = join(entry);
        flow(flow).addLast(entry);
        if (flow(flow).size() == 1) {
            active.addLast(flow);
        }
    }

    /** Returns {@code entry}, which was polled, to the front: it is polled next. */
    void putBack(T entry) {
        int flow = join(entry);
        flow(flow).addFirst(entry);
        deficits[flow] = saturatedSum(deficits[flow], cost.applyAsLong(entry));
        active.remove(flow);
        active.addFirst(flow);
    }

    /** Removes the next entry; null if there is none. */
    @Nullable
    T poll() {
        Integer flow = active.peekFirst();
        if (flow == null) {
            quantum = 1;
            return null;
        }
        T next = flow(flow).getFirst();
        if (deficits[flow] < cost.applyAsLong(next)) {
            deficits[flow] = saturatedSum(deficits[flow], quantum);
        }
        flow(flow).removeFirst();
        left(next);
        deficits[flow] -= cost.applyAsLong(next);
        T following = flow(flow).peekFirst();
        if (following == null) {
            deactivate(flow);
        } else if (deficits[flow] < cost.applyAsLong(following)) {
            active.removeFirst();
            active.addLast(flow);
        }
        return next;
    }

    /** Removes {@code entry}; false if it is not here. */
    boolean remove(T entry) {
        Place place = places.get(caller.applyAsInt(entry));
        if (place == null || !flow(place.flow).remove(entry)) {
            return false;
        }
        left(entry);
        if (flow(place.flow).isEmpty()) {
            deactivate(place.flow);
        }
        return true;
    }

    /**
     * Removes the last entry of the longest flow, to make room for {@code entry}; null if no flow is longer than that of
     * {@code entry} will be.
     */
    @Nullable
    T makeRoomFor(T entry) {
        int own = flow(flowOf(caller.applyAsInt(entry))).size();
        int longest = -1;
        for (int other : active) {
            longest = longest < 0 || flow(other).size() > flow(longest).size() ? other : longest;
        }
        if (longest < 0 || flow(longest).size() <= own + 1) {
            return null;
        }
        T last = flow(longest).removeLast();
        left(last);
        return last;
    }

    /** Adds all entries to {@code into}, and empties the queue. */
    void drainTo(Collection<T> into) {
        for (T next = poll(); next != null; next = poll()) {
            into.add(next);
        }
    }

    /** Estimates how many entries are served before {@code entry}, if that is added now. */
    int ahead(T entry) {
        int own = flowOf(caller.applyAsInt(entry));
        int length = flow(own).size();
        int ahead = length;
        for (int other : active) {
            ahead += other == own ? 0 : Math.min(flow(other).size(), length + 1);
        }
        return ahead;
    }

    /** Counts an entry that is added, and returns its flow. */
    private int join(T entry) {
        size++;
        Place place = places.computeIfAbsent(caller.applyAsInt(entry), hash -> new Place(flowOf(hash)));
        place.entries++;
        return place.flow;
    }

    /** The flow of a caller: the one that it has, or else one without entries, or else the one that its hash chooses. */
    private int flowOf(int hash) {
        Place place = places.get(hash);
        if (place != null) {
            return place.flow;
        }
        for (int i = 0; i < FLOWS; i++) {
            int flow = hash + i & FLOWS - 1;
            if (flow(flow).isEmpty()) {
                return flow;
            }
        }
        return hash & FLOWS - 1;
    }

    private void left(T entry) {
        size--;
        Integer hash = caller.applyAsInt(entry);
        Place place = places.get(hash);
        if (place != null && --place.entries == 0) {
            places.remove(hash);
        }
    }

    private void deactivate(int flow) {
        active.remove(flow);
        deficits[flow] = 0;
    }

    private ArrayDeque<T> flow(int flow) {
        if (flows[flow] == null) {
            flows[flow] = new ArrayDeque<>(2);
        }
        return flows[flow];
    }

    private static long saturatedSum(long a, long b) {
        long sum = a + b;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }
}
