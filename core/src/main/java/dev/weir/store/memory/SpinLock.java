package dev.weir.store.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock of one word for sections of nanoseconds.
 *
 * <p>Who meets it held now and then waits a moment and tries again. Where threads meet at every turn, that would move the
 * lock's and the counter's cache lines between cores for each of them, which costs more than the work. So there, who waits
 * stays away for microseconds, and the other has a run of turns at the speed of one thread; a run that turned out slow says
 * that the crowd is gone. It is not fair, on purpose.
 */
abstract class SpinLock {
    private static final int RUN = 512;
    private static final int MOST_PAUSES = 2048;
    /** Contended again after so few turns, it is crowded. */
    private static final int FEW_TURNS = 2;
    /** A run is fast if it had a turn for every so many pauses of those who stayed away. */
    private static final int PAUSES_PER_TURN = 16;

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

    private int turns;
    private int contendedAt;
    /** Written under the lock; who waits reads it without, and at worst waits too long or too short once. */
    private boolean crowded;

    final void lock() {
        if (!HELD.compareAndSet(this, 0, 1)) {
            lockSlowly();
        }
        turns++;
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
        boolean run = crowded;
        int before = turns;
        int waited = 0;
        int pauses = run ? RUN : 1;
        do {
            for (int i = 0; i < pauses; i++) {
                Thread.onSpinWait();
            }
            waited += pauses;
            if (pauses < MOST_PAUSES) {
                pauses <<= 1;
            } else {
                Thread.yield();
            }
        } while (!tryLock());
        crowded = run ? (turns - before) * PAUSES_PER_TURN >= waited : turns - contendedAt <= FEW_TURNS;
        contendedAt = turns;
    }
}
