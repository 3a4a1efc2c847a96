package dev.weir.internal.runtime;

/**
 * Divides the heap between everything that callers can fill. The sum of all shares stays below {@link #MOST_OF_64} parts
 * of 64, if the heap has 256 MiB or more; the rest is for rules and connections.
 */
public enum HeapShare {
    /** Counters of the memory store, at {@value #COUNTER_BYTES} bytes. */
    COUNTERS(16, Long.MAX_VALUE),
    /** Unfinished requests and unsent answers; about half of it is direct memory. */
    NETWORK(12, 256L << 20),
    /** Requests that wait in queues. */
    WAITING(4, (256L << 20) / 3),
    /** Requests in flight to shared stores, and the spare buffers that they leave. */
    IN_FLIGHT(3, Long.MAX_VALUE),
    /** Answers that are remembered for retries with the same idempotency key. */
    REMEMBERED_ANSWERS(2, 96L << 20),
    /** Local state of shared counters. */
    TIER(4, Long.MAX_VALUE),
    /** Buckets of Envoys that use the quota service. */
    QUOTA_BUCKETS(6, Long.MAX_VALUE),
    /** Reports of these Envoys that were read and not worked on. */
    QUOTA_REPORTS(1, 16L << 20),
    /** The history of rules. */
    HISTORY(2, 48L << 20),
    /** The heaviest callers of rules. */
    TOP_KEYS(1, 16L << 20),
    /** Permits of leased concurrency limits, at {@value #PERMIT_BYTES} bytes. */
    LEASED_PERMITS(1, 1_000_000L * HeapShare.PERMIT_BYTES);

    /** The sum of all shares and of holds, whose number is fixed, in parts of 64. */
    public static final int MOST_OF_64 = 56;

    /** The most memory of a counter: its slot, and its part of the arena for logs and sub-windows. */
    public static final int COUNTER_BYTES = 80;

    /** About the memory of one entry of leased permits. */
    public static final int PERMIT_BYTES = 130;

    private static final int PARTS = 64;

    private final int parts;
    private final long most;

    HeapShare(int parts, long most) {
        this.parts = parts;
        this.most = most;
    }

    /** The bytes of this share of a heap. */
    public long of(long heap) {
        return Math.min(most, heap / PARTS * parts);
    }

    /** The bytes of this share of the heap of this process. */
    public long ofThisHeap() {
        return of(Runtime.getRuntime().maxMemory());
    }
}
