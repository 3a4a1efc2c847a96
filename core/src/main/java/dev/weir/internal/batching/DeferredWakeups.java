package dev.weir.internal.batching;

import java.util.ArrayList;
import java.util.List;

/**
 * What is asked in answer to an answer goes together: while a thread tells those who waited for one round, and they ask again, no lane
 * is woken for it but once at the end. Without this the first of them would travel alone, and the rest a round later.
 */
final class DeferredWakeups {
    private static final ThreadLocal<DeferredWakeups> OF_THREAD = ThreadLocal.withInitial(DeferredWakeups::new);

    private final List<LoopWakeup> held = new ArrayList<>(2);
    private int depth;

    static DeferredWakeups ofThread() {
        return OF_THREAD.get();
    }

    void hold() {
        depth++;
    }

    /** Whether {@code lane} need not be rung now, for it will be on {@link #release}. */
    boolean holds(LoopWakeup lane) {
        if (depth == 0) {
            return false;
        }
        if (!held.contains(lane)) {
            held.add(lane);
        }
        return true;
    }

    void release() {
        if (--depth > 0 || held.isEmpty()) {
            return;
        }
        LoopWakeup[] lanes = held.toArray(new LoopWakeup[0]);
        held.clear();
        for (LoopWakeup each : lanes) {
            each.ring();
        }
    }
}
