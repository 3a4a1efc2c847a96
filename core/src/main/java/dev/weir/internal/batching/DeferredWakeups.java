package dev.weir.internal.batching;

import java.util.ArrayList;
import java.util.List;

/**
 * Defers wakeups of batchers while a thread runs the callbacks of one batch. Callbacks often ask again; all their asks
 * then go in one batch, with one wakeup at the end. Without this the first of them would be sent alone, and the rest a
 * batch later.
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

    /** Returns whether the wakeup is deferred until {@link #release}. */
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
