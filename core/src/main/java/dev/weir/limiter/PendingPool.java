package dev.weir.limiter;

import java.util.ArrayDeque;

/** The buffers of one thread that wait for a request to decide: as many as were once under way together, within reason. */
final class PendingPool {
    private static final int MOST = 4096;
    private static final ThreadLocal<PendingPool> OF_THREAD = ThreadLocal.withInitial(PendingPool::new);

    private final ArrayDeque<Pending> requests = new ArrayDeque<>();
    private final ArrayDeque<GiveBack> giveBacks = new ArrayDeque<>();

    static PendingPool ofThread() {
        return OF_THREAD.get();
    }

    Pending request() {
        Pending free = requests.pollLast();
        return free == null ? new Pending() : free;
    }

    void release(Pending pending) {
        pending.end();
        if (requests.size() < MOST) {
            requests.addLast(pending);
        }
    }

    GiveBack giveBack() {
        GiveBack free = giveBacks.pollLast();
        return free == null ? new GiveBack() : free;
    }

    void release(GiveBack giveBack) {
        if (giveBacks.size() < MOST) {
            giveBacks.addLast(giveBack);
        }
    }
}
