package dev.weir.limiter;

import java.util.ArrayDeque;
import java.util.function.Supplier;

/**
 * The buffers of one thread that wait for a request to decide: as many as it once had under way together, within reason. What is
 * answered on another thread than the one that asked is kept by neither: the one would pile up what the other never finds.
 */
final class PendingPool {
    private static final int MOST = 4096;
    private static final ThreadLocal<PendingPool> OF_THREAD = ThreadLocal.withInitial(PendingPool::new);

    private final Spares<Pending> requests = new Spares<>(Pending::new);
    private final Spares<GiveBack> giveBacks = new Spares<>(GiveBack::new);

    static PendingPool ofThread() {
        return OF_THREAD.get();
    }

    Pending request() {
        return requests.take();
    }

    void release(Pending pending) {
        pending.end();
        requests.release(pending);
    }

    GiveBack giveBack() {
        return giveBacks.take();
    }

    void release(GiveBack giveBack) {
        giveBacks.release(giveBack);
    }

    private static final class Spares<T> {
        private final Supplier<T> fresh;
        private final ArrayDeque<T> free = new ArrayDeque<>();
        /** By this thread, and not yet released by it. */
        private long taken;

        Spares(Supplier<T> fresh) {
            this.fresh = fresh;
        }

        T take() {
            taken++;
            T spare = free.pollLast();
            return spare == null ? fresh.get() : spare;
        }

        void release(T buffer) {
            if (taken > 0) {
                taken--;
                if (free.size() < MOST) {
                    free.addLast(buffer);
                }
            }
        }
    }
}
