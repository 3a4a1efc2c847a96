package dev.weir.internal.limiter.shared;

import dev.weir.internal.batching.AskMemory;
import dev.weir.internal.store.Ask;
import java.util.ArrayDeque;
import java.util.function.Supplier;

/**
 * Pools the buffers of one thread for requests in flight: as many as it once had in flight together, up to a bound in
 * number and in memory. A buffer that is completed on another thread than the one that took it is kept by neither.
 * Otherwise one thread would collect buffers that the other never finds.
 */
final class InFlightDecisionPool {
    private static final int MOST = 4096;
    /** Buffers keep the size of their largest request: one that held more checks than this is not kept. */
    private static final int LARGE = 128;
    /** A buffer that held more checks than this is kept only while half of the memory is free for smaller ones. */
    private static final int PLAIN = 4;

    private static final ThreadLocal<InFlightDecisionPool> OF_THREAD =
            ThreadLocal.withInitial(() -> new InFlightDecisionPool(AskMemory.ofSparesOfThread()));

    private final Spares<InFlightDecision> requests;
    private final Spares<StoreGiveBack> giveBacks;

    /** Keeps buffers of {@code most} bytes, a quarter of them for hits that are given back. */
    InFlightDecisionPool(long most) {
        requests = new Spares<>(InFlightDecision::new, most - most / 4);
        giveBacks = new Spares<>(StoreGiveBack::new, most / 4);
    }

    static InFlightDecisionPool ofThread() {
        return OF_THREAD.get();
    }

    InFlightDecision request() {
        return requests.take();
    }

    void release(InFlightDecision pending) {
        boolean large = pending.checks.size() > LARGE || pending.request.descriptors() > LARGE;
        pending.end();
        requests.release(pending, large);
    }

    StoreGiveBack giveBack() {
        return giveBacks.take();
    }

    void release(StoreGiveBack giveBack) {
        giveBacks.release(giveBack, giveBack.checks.size() > LARGE);
    }

    /** The bytes of the buffers for requests that are kept. */
    long spareBytes() {
        return requests.bytes;
    }

    private static final class Spares<T extends Ask> {
        private final Supplier<T> fresh;
        private final long most;
        private final ArrayDeque<T> free = new ArrayDeque<>();
        /** The bytes of {@link #free}. */
        private long bytes;
        /** Buffers taken by this thread and not yet released by it. */
        private long taken;

        Spares(Supplier<T> fresh, long most) {
            this.fresh = fresh;
            this.most = most;
        }

        T take() {
            taken++;
            T spare = free.pollLast();
            if (spare == null) {
                return fresh.get();
            }
            bytes -= AskMemory.of(spare.checks);
            return spare;
        }

        void release(T buffer, boolean large) {
            if (taken > 0) {
                taken--;
                long more = AskMemory.of(buffer.checks);
                long room = buffer.checks.capacity() > PLAIN ? most / 2 : most;
                if (free.size() < MOST && !large && bytes + more <= room) {
                    bytes += more;
                    free.addLast(buffer);
                }
            }
        }
    }
}
