package dev.weir.store.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock of one word for sections of nanoseconds. The word counts: it is odd while the lock is held and has grown when it is
 * free again, so who read without the lock can tell whether anybody wrote meanwhile, and if nobody did, take the lock at the
 * state that was read.
 *
 * <pre>
 *   long seen = version();
 *   …                        // read; what is read may be torn
 *   if (unchanged(seen)) …   // it was not
 *   if (lockAt(seen)) …      // it was not, and it is ours
 * </pre>
 *
 * <p>Who meets another now and then waits a moment and tries again. Where threads meet at every turn, that would move the
 * lock's and the counter's cache lines between cores for each of them, which costs more than the work. So there, who waits
 * stays away longer and longer, up to some microseconds, as long as the others have a run of turns meanwhile at the speed of
 * one thread; a run that turned out slow makes the next wait shorter. It is not fair, on purpose.
 */
abstract class VersionLock {
    private static final int MOST_PAUSES = 2048;
    /** Staying away was worth it if the others had a turn for every so many pauses. */
    private static final int PAUSES_PER_TURN = 32;

    private static final int MOST_CROWDED = 11;

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

    /**
     * The logarithm of how long to stay away for who meets another. Written under the lock; who waits reads it without, and at
     * worst waits too long or too short once.
     */
    private int crowd;

    /** What to read at: pass it to {@link #unchanged} or {@link #lockAt} afterwards. */
    final long version() {
        return (long) VERSION.getAcquire(this);
    }

    /** Whether nobody held the lock since {@code seen}, so that all that was read since then belongs together. */
    final boolean unchanged(long seen) {
        VarHandle.acquireFence();
        return isFree(seen) && (long) VERSION.getOpaque(this) == seen;
    }

    /** Takes the lock if nobody held it since {@code seen}. */
    final boolean lockAt(long seen) {
        if (isFree(seen) && VERSION.compareAndSet(this, seen, seen + 1)) {
            VarHandle.storeStoreFence(); // who sees a write of ours must see that the lock is held
            return true;
        }
        return false;
    }

    final boolean tryLock() {
        return lockAt((long) VERSION.getOpaque(this));
    }

    final void lock() {
        if (!tryLock()) {
            lockAfterAnother();
        }
    }

    final void unlock() {
        VERSION.setRelease(this, version + 1);
    }

    private static boolean isFree(long version) {
        return (version & 1) == 0;
    }

    /** Takes the lock for one who met another here. */
    @SuppressWarnings(
            "ThreadPriorityCheck") // yields only so that a holder without a core gets one; no order is relied on
    final void lockAfterAnother() {
        int away = 1 << crowd;
        long before = turns();
        int pauses = away;
        do {
            for (int i = 0; i < pauses; i++) {
                Thread.onSpinWait();
            }
            if (pauses < MOST_PAUSES) {
                pauses <<= 1;
            } else {
                Thread.yield();
            }
        } while (!tryLock());
        boolean worthIt = turns() - before > away / PAUSES_PER_TURN;
        crowd = worthIt ? Math.min(crowd + 1, MOST_CROWDED) : Math.max(crowd - 1, 0);
    }

    private long turns() {
        return (long) VERSION.getOpaque(this) >>> 1;
    }
}
