package dev.weir.simulation.clock;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The queue of scheduled events. Time is nanoseconds from the start of the run and advances only from one event to the
 * next. Events of one moment happen in the order in which they were scheduled, so that a run is repeatable.
 *
 * <p>It is a heap with four children per node, in arrays of primitives: with a million events a second the queue is
 * most of the work.
 */
public final class Timeline {
    private static final int CHILDREN = 4;
    /**
     * More events at one moment than any run needs: events that schedule each other for the same moment are a mistake.
     */
    private static final int MOST_AT_ONCE = 1_000_000;

    private long[] moments = new long[1024];
    private long[] orders = new long[1024];
    private @Nullable Event[] events = new Event[1024];
    private int size;
    private long scheduled;
    private long now;
    private long happened;
    private int still;

    /** Nanoseconds since the start. */
    public long now() {
        return now;
    }

    /** The number of events that have happened. */
    public long happened() {
        return happened;
    }

    /** Schedules {@code event} for {@code moment}, or for now if that has passed. */
    public void at(long moment, Event event) {
        if (size == moments.length) {
            moments = Arrays.copyOf(moments, size * 2);
            orders = Arrays.copyOf(orders, size * 2);
            events = Arrays.copyOf(events, size * 2);
        }
        rise(size++, Math.max(now, moment), scheduled++, event);
    }

    /** Schedules {@code event} for {@code nanos} from now. */
    public void after(long nanos, Event event) {
        at(now + nanos, event);
    }

    /** Runs all events before {@code end}; then the time is {@code end}. */
    public void runUntil(long end) {
        while (size > 0 && moments[0] < end) {
            still = moments[0] == now ? still + 1 : 0;
            if (still > MOST_AT_ONCE) {
                throw new IllegalStateException("time stands still at " + now + " ns (event: " + events[0]
                        + "; expected: at most " + MOST_AT_ONCE + " events at one moment)");
            }
            now = moments[0];
            Event next = events[0];
            removeFirst();
            happened++;
            if (next != null) {
                next.happen();
            }
        }
        now = Math.max(now, end);
    }

    private void rise(int from, long moment, long order, Event event) {
        int at = from;
        while (at > 0) {
            int parent = (at - 1) / CHILDREN;
            if (isBefore(parent, moment, order)) {
                break;
            }
            move(parent, at);
            at = parent;
        }
        put(at, moment, order, event);
    }

    private void removeFirst() {
        size--;
        long moment = moments[size];
        long order = orders[size];
        Event event = events[size];
        events[size] = null;
        if (size == 0) {
            return;
        }
        int at = 0;
        while (true) {
            int first = at * CHILDREN + 1;
            if (first >= size) {
                break;
            }
            int least = first;
            for (int child = first + 1, end = Math.min(first + CHILDREN, size); child < end; child++) {
                if (isBefore(child, moments[least], orders[least])) {
                    least = child;
                }
            }
            if (!isBefore(least, moment, order)) {
                break;
            }
            move(least, at);
            at = least;
        }
        put(at, moment, order, event);
    }

    private boolean isBefore(int index, long moment, long order) {
        return moments[index] < moment || (moments[index] == moment && orders[index] < order);
    }

    private void move(int from, int to) {
        moments[to] = moments[from];
        orders[to] = orders[from];
        events[to] = events[from];
    }

    private void put(int at, long moment, long order, @Nullable Event event) {
        moments[at] = moment;
        orders[at] = order;
        events[at] = event;
    }
}
