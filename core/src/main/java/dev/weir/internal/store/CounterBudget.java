package dev.weir.internal.store;

import java.util.concurrent.atomic.AtomicInteger;

/** Places for counters that a process keeps something of beside its stores: one bound for all who keep some. */
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

    /** Leaves a place that was taken. */
    public void leave() {
        taken.decrementAndGet();
    }

    /** Places that are taken. */
    public int taken() {
        return taken.get();
    }
}
