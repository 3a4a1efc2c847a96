package dev.weir.internal.batching;

import dev.weir.internal.runtime.HeapShare;
import dev.weir.internal.store.Checks;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The budget of a process for asks that wait or are in flight, over all connections. A connection reserves memory in
 * steps, so that adding an ask seldom touches what all threads share.
 */
public final class AskMemory {
    /** About the memory of a request in flight without its checks: its buffers take 2,440 bytes. */
    static final int OF_ASK = 3 << 10;
    /** About the memory of one check, 750 bytes with the longest name, with its part of the request and its verdict. */
    static final int OF_CHECK = 1 << 10;

    /** The other part is for buffers that requests in flight leave behind. */
    private static final int PARTS = 3;

    private static final int PARTS_IN_FLIGHT = 2;

    /** Many more than connections, because each may hold one that it does not use. */
    private static final int STEPS = 512;

    private static final long LEAST_STEP = 4 << 10;

    private static final AskMemory OF_PROCESS =
            new AskMemory(HeapShare.IN_FLIGHT.ofThisHeap() / PARTS * PARTS_IN_FLIGHT);

    private final long most;
    private final long step;
    private final AtomicLong reserved = new AtomicLong();

    AskMemory(long most) {
        this.most = most;
        this.step = Math.max(LEAST_STEP, most / STEPS);
    }

    public static AskMemory ofThisProcess() {
        return OF_PROCESS;
    }

    /** A budget that is never exceeded, for fleets on virtual time. */
    public static AskMemory unbounded() {
        return new AskMemory(1L << 62);
    }

    /** The bytes that one thread may keep in spare buffers, if each processor has one. */
    public static long ofSparesOfThread() {
        return HeapShare.IN_FLIGHT.ofThisHeap()
                / PARTS
                * (PARTS - PARTS_IN_FLIGHT)
                / Runtime.getRuntime().availableProcessors();
    }

    /** The bytes of a buffer that has had room for {@code checks}. */
    public static long of(Checks checks) {
        return OF_ASK + (long) OF_CHECK * checks.capacity();
    }

    static long of(CheckGroup group) {
        return OF_ASK + (long) OF_CHECK * group.size();
    }

    /** The bytes that a connection reserves at a time. */
    long step() {
        return step;
    }

    /** Reserves {@code bytes}; returns false if so many are not left. */
    boolean reserve(long bytes) {
        if (reserved.addAndGet(bytes) <= most) {
            return true;
        }
        reserved.addAndGet(-bytes);
        return false;
    }

    void release(long bytes) {
        reserved.addAndGet(-bytes);
    }

    /** The bytes that connections have reserved. */
    long reserved() {
        return reserved.get();
    }
}
