package dev.weir.internal.store;

import java.util.concurrent.atomic.AtomicInteger;

/** Bounds the number of shared counters that a process keeps local data of. All kinds of local data share one bound. */
public final class CounterBudget {
    private final int most;
    private final AtomicInteger taken = new AtomicInteger();

    public CounterBudget(int most) {
        this.most = most;
    }

    /** Takes a place if one is free. */
    public boolean take() {
        return take(1);
    }

    /** Takes so many places if they are free. */
    public boolean take(int places) {
        int before = taken.get();
        while (before <= most - places) {
            int found = taken.compareAndExchange(before, before + places);
            if (found == before) {
                return true;
            }
            before = found;
        }
        return false;
    }

    /** Whether a place is free. */
    public boolean hasRoom() {
        return taken.get() < most;
    }

    /** Whether more than half of the places are taken. */
    public boolean isTight() {
        return taken.get() > most / 2;
    }

    /** Frees a place that was taken. */
    public void leave() {
        leave(1);
    }

    /** Frees so many places. */
    public void leave(int places) {
        taken.addAndGet(-places);
    }

    /** The number of places taken. */
    public int taken() {
        return taken.get();
    }
}
