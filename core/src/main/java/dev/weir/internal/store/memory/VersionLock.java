package dev.weir.internal.store.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock of one word for sections of nanoseconds. The word is a version: it is odd while the lock is held, and larger
 * when it is free again. So a thread that read without the lock can tell whether another thread wrote meanwhile.
 *
 * <pre>
 *   long seen = version();
 *   …                        // read; the values may be torn
 *   if (unchanged(seen)) …   // they are consistent
 * </pre>
 *
 * <p>A thread that occasionally finds the lock held spins for a moment and retries. If threads contend all the time,
 * this would move the cache lines of the lock and the counter between cores at every turn, which costs more than the
 * work. Then a waiting thread backs off for microseconds, and the holder gets a run of turns at the speed of one
 * thread. A slow run shows that the contention is over. The lock is unfair on purpose.
 */
abstract class VersionLock {
    private static final int RUN = 512;
    private static final int MOST_PAUSES = 2048;
    /** The lock is crowded if it is contended again after so few turns. */
    private static final int FEW_TURNS = 2;
    /** A run is fast if it had at least one turn per so many pauses of the waiting threads. */
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
    /** Written under the lock; a waiting thread reads it without, and at worst waits too long or too short once. */
    private boolean crowded;

    /** The current version. Call it before reading, and {@link #unchanged} afterwards. */
    final long version() {
        return (long) VERSION.getAcquire(this);
    }

    /** Whether no thread held the lock since {@code seen}, so that all values read since then are consistent. */
    final boolean unchanged(long seen) {
        VarHandle.acquireFence();
        return isFree(seen) && (long) VERSION.getOpaque(this) == seen;
    }

    final boolean tryLock() {
        long free = (long) VERSION.getOpaque(this);
        if (isFree(free) && VERSION.compareAndSet(this, free, free + 1)) {
            VarHandle.storeStoreFence(); // a thread that sees one of our writes must see that the lock is held
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

    @SuppressWarnings("ThreadPriorityCheck") // yields only to give a descheduled holder a core; relies on no order
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
