package dev.weir.internal.limiter.shared;

import java.util.ArrayDeque;
import java.util.function.Supplier;

/**
 * Pools the buffers of one thread for requests in flight: as many as it once had in flight together, up to a bound. A
 * buffer that is completed on another thread than the one that took it is kept by neither. Otherwise one thread would
 * collect buffers that the other never finds.
 */
final class InFlightDecisionPool {
    private static final int MOST = 4096;
    /** Buffers keep the size of their largest request: one that held more checks than this is not kept. */
    private static final int LARGE = 128;

    private static final ThreadLocal<InFlightDecisionPool> OF_THREAD =
            ThreadLocal.withInitial(InFlightDecisionPool::new);

    private final Spares<InFlightDecision> requests = new Spares<>(InFlightDecision::new);
    private final Spares<StoreGiveBack> giveBacks = new Spares<>(StoreGiveBack::new);

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

    private static final class Spares<T> {
        private final Supplier<T> fresh;
        private final ArrayDeque<T> free = new ArrayDeque<>();
        /** Buffers taken by this thread and not yet released by it. */
        private long taken;

        Spares(Supplier<T> fresh) {
            this.fresh = fresh;
        }

        T take() {
            taken++;
            T spare = free.pollLast();
            return spare == null ? fresh.get() : spare;
        }

        void release(T buffer, boolean large) {
            if (taken > 0) {
                taken--;
                if (free.size() < MOST && !large) {
                    free.addLast(buffer);
                }
            }
        }
    }
}
