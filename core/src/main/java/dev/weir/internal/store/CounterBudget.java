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
        int before = taken.get();
        while (before < most) {
            int found = taken.compareAndExchange(before, before + 1);
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

    /** Frees a place that was taken. */
    public void leave() {
        taken.decrementAndGet();
    }

    /** The number of places taken. */
    public int taken() {
        return taken.get();
    }
}
