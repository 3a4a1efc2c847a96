package dev.weir.store.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock of one word for sections of nanoseconds. It is not fair, on purpose: whoever waits stays away from the lock's cache
 * line for a while, so that the holder gets a run of turns at full speed instead of a transfer of the line for each.
 */
abstract class SpinLock {
    private static final int MAX_PAUSES = 1 << 7;
    private static final VarHandle HELD;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(SpinLock.class, "held", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // through HELD
    private int held;

    final void lock() {
        if (!HELD.compareAndSet(this, 0, 1)) {
            lockSlowly();
        }
    }

    final boolean tryLock() {
        return (int) HELD.getOpaque(this) == 0 && HELD.compareAndSet(this, 0, 1);
    }

    final void unlock() {
        HELD.setRelease(this, 0);
    }

    @SuppressWarnings(
            "ThreadPriorityCheck") // yields only so that a holder without a core gets one; no order is relied on
    private void lockSlowly() {
        int pauses = 1;
        do {
            for (int i = 0; i < pauses; i++) {
                Thread.onSpinWait();
            }
            if (pauses < MAX_PAUSES) {
                pauses <<= 1;
            } else {
                Thread.yield(); // the holder may have lost its core
            }
        } while (!tryLock());
    }
}
