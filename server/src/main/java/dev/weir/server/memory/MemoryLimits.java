package dev.weir.server.memory;

import dev.weir.internal.runtime.HeapShare;
import io.netty.util.internal.PlatformDependent;

/**
 * The most bytes that peers may make this process hold.
 *
 * @param process over all connections
 * @param address over the connections of one peer address
 * @param connection on one connection
 */
public record MemoryLimits(long process, long address, long connection) {
    private static final long LEAST = 16L << 20;
    private static final long LEAST_CONNECTION = 8L << 20;
    private static final int CONNECTIONS = 8;

    /**
     * Its {@linkplain HeapShare#NETWORK share of the heap}, and half of the direct memory at most, because requests are
     * held in both.
     */
    public static MemoryLimits ofThisProcess() {
        return of(Math.min(HeapShare.NETWORK.ofThisHeap(), PlatformDependent.maxDirectMemory() / 2));
    }

    /** One address may take half of {@code process}, and one connection an eighth, or several messages of the largest size. */
    public static MemoryLimits of(long process) {
        long all = Math.max(LEAST, process);
        return new MemoryLimits(all, all / 2, Math.max(LEAST_CONNECTION, all / CONNECTIONS));
    }
}
