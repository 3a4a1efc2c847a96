package dev.weir.internal.queue;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A queue that is fair between callers and first in, first out for each of them: deficit round robin over 64 flows.
 * Callers are spread over the flows by a hash. A flow that has entries is served in turn, and its entries of one round
 * cost as much as those of every other flow, however many it has. Not thread-safe.
 */
final class FairQueue<T> {
    static final int FLOWS = 64;

    private final ToLongFunction<T> cost;

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    private final ArrayDeque<T>[] flows = new ArrayDeque[FLOWS];

    private final long[] deficits = new long[FLOWS];
    /** The flows that have entries, in the order in which they are served. */
    private final ArrayDeque<Integer> active = new ArrayDeque<>();

    private int size;
    /** What a flow may spend in a round: the largest cost that was seen, so that each round serves each flow. */
    private long quantum = 1;

    /** Creates a queue whose entries have a positive {@code cost}. */
    FairQueue(ToLongFunction<T> cost) {
        this.cost = cost;
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    void add(int flow, T entry) {
        quantum = Math.max(quantum, cost.applyAsLong(entry));
        flow(flow).addLast(entry);
        activate(flow);
    }

    /** Returns {@code entry}, which was polled, to the front: it is polled next. */
    void putBack(int flow, T entry) {
        flow(flow).addFirst(entry);
        deficits[flow] = saturatedSum(deficits[flow], cost.applyAsLong(entry));
        active.remove(flow);
        active.addFirst(flow);
        size++;
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
        deficits[flow] -= cost.applyAsLong(next);
        size--;
        T following = flow(flow).peekFirst();
        if (following == null) {
            leave(flow);
        } else if (deficits[flow] < cost.applyAsLong(following)) {
            active.removeFirst();
            active.addLast(flow);
        }
        return next;
    }

    /** Removes {@code entry}; false if it is not here. */
    boolean remove(int flow, T entry) {
        if (!flow(flow).remove(entry)) {
            return false;
        }
        size--;
        if (flow(flow).isEmpty()) {
            leave(flow);
        }
        return true;
    }

    /**
     * Removes the last entry of the longest flow, to make room for one of {@code flow}; null if no flow is longer than that
     * will be.
     */
    @Nullable
    T makeRoomFor(int flow) {
        int longest = flow;
        for (int other : active) {
            longest = flow(other).size() > flow(longest).size() ? other : longest;
        }
        if (flow(longest).size() <= flow(flow).size() + 1) {
            return null;
        }
        size--;
        return flow(longest).removeLast();
    }

    /** Adds all entries to {@code into}, and empties the queue. */
    void drainTo(Collection<T> into) {
        for (T next = poll(); next != null; next = poll()) {
            into.add(next);
        }
    }

    /** Estimates how many entries are served before the next one of {@code flow}. */
    int ahead(int flow) {
        int own = flow(flow).size();
        int ahead = own;
        for (int other : active) {
            ahead += other == flow ? 0 : Math.min(flow(other).size(), own + 1);
        }
        return ahead;
    }

    private void activate(int flow) {
        size++;
        if (flow(flow).size() == 1) {
            active.addLast(flow);
        }
    }

    private void leave(int flow) {
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
