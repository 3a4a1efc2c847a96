package dev.weir.internal.store.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock of one word for sections of nanoseconds. The word counts: it is odd while the lock is held and has grown when it is
 * free again, so who read without the lock can tell whether anybody wrote meanwhile.
 *
 * <pre>
 *   long seen = version();
 *   …                        // read; what is read may be torn
 *   if (unchanged(seen)) …   // it was not
 * </pre>
 *
 * <p>Who meets it held now and then waits a moment and tries again. Where threads meet at every turn, that would move the
 * lock's and the counter's cache lines between cores for each of them, which costs more than the work. So there, who waits
 * stays away for microseconds, and the other has a run of turns at the speed of one thread; a run that turned out slow says
 * that the crowd is gone. It is not fair, on purpose.
 */
abstract class VersionLock {
    private static final int RUN = 512;
    private static final int MOST_PAUSES = 2048;
    /** Contended again after so few turns, it is crowded. */
    private static final int FEW_TURNS = 2;
    /** A run is fast if it had a turn for every so many pauses of those who stayed away. */
    private static final int PAUSES_PER_TURN = 16;

    private static final VarHandle VERSION;

    static {
        try {
            VERSION = MethodHandles.lookup().findVarHandle(VersionLock.class, "version", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // through VERSION
    private long version;

    private long contendedAt;
    /** Written under the lock; who waits reads it without, and at worst waits too long or too short once. */
    private boolean crowded;

    /** To be asked before, and {@link #unchanged} after what is read. */
    final long version() {
        return (long) VERSION.getAcquire(this);
    }

    /** Whether nobody held the lock since {@code seen}, so that all that was read since then belongs together. */
    final boolean unchanged(long seen) {
        VarHandle.acquireFence();
        return isFree(seen) && (long) VERSION.getOpaque(this) == seen;
    }

    final boolean tryLock() {
        long free = (long) VERSION.getOpaque(this);
        if (isFree(free) && VERSION.compareAndSet(this, free, free + 1)) {
            VarHandle.storeStoreFence(); // who sees a write of ours must see that the lock is held
            return true;
        }
        return false;
    }

    final void lock() {
        if (!tryLock()) {
            lockSlowly();
        }
    }

    final void unlock() {
        VERSION.setRelease(this, version + 1);
    }

    private static boolean isFree(long version) {
        return (version & 1) == 0;
    }

    @SuppressWarnings(
            "ThreadPriorityCheck") // yields only so that a holder without a core gets one; no order is relied on
    private void lockSlowly() {
        boolean run = crowded;
        long before = turns();
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
        long now = turns();
        crowded = run ? (now - before) * PAUSES_PER_TURN >= waited : now - contendedAt <= FEW_TURNS;
        contendedAt = now;
    }

    private long turns() {
        return (long) VERSION.getOpaque(this) >>> 1;
    }
}
