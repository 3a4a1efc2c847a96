package dev.weir.internal.queue;

import dev.weir.Request;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.model.MutableDecision;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Holds requests that a {@code leaky_bucket} admitted until their delay is over. A timer holds each, never a thread. */
final class Shaper implements AutoCloseable {
    private final DelayedTasks tasks;
    private final Consumer<MutableDecision> left;
    private final Set<DelayedAdmission> delayed = ConcurrentHashMap.newKeySet();

    /** A request that was admitted, until its delay is over. */
    private static final class DelayedAdmission {
        final Request request;
        final MutableDecision decision = new MutableDecision();
        final Waiter waiter;

        DelayedAdmission(Request request, MutableDecision admitted, Waiter waiter) {
            this.request = request;
            this.waiter = waiter;
            decision.set(admitted);
            decision.waited();
        }
    }

    /** Creates a shaper; {@code left} gets the decisions whose callers leave before their delay is over. */
    Shaper(DelayedTasks tasks, Consumer<MutableDecision> left) {
        this.tasks = tasks;
        this.left = left;
    }

    int held() {
        return delayed.size();
    }

    /** Answers {@code waiter} after the delay of {@code decision}; false if it may not wait. */
    boolean hold(Request request, MutableDecision decision, Supplier<Waiter> waiter) {
        Waiter shaped = WaitingText.fits(request) ? waiter.get() : null;
        if (shaped == null || !shaped.mayWait()) {
            return false;
        }
        holdOn(request, decision, shaped);
        return true;
    }

    /** Answers {@code waiter}, which has waited for its turn, after the delay of {@code decision} too. */
    void holdOn(Request request, MutableDecision decision, Waiter waiter) {
        DelayedAdmission held = new DelayedAdmission(Request.to("").set(request), decision, waiter);
        delayed.add(held);
        Runnable cancel = tasks.schedule(() -> deliver(held), decision.delayMicros());
        held.waiter.waits(() -> {
            if (delayed.remove(held)) {
                cancel.run();
                left.accept(held.decision);
            }
        });
    }

    private void deliver(DelayedAdmission held) {
        if (delayed.remove(held)) {
            held.waiter.home().execute(() -> held.waiter.decided(held.request, held.decision));
        }
    }

    /** Answers all of them now. */
    @Override
    public void close() {
        delayed.forEach(this::deliver);
    }
}
