package dev.weir.internal.queue;

import dev.weir.Request;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.match.CallerHash;
import dev.weir.internal.model.MutableDecision;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Delays denials, to slow down callers that try again at once. A timer holds each, never a thread. Each caller has one
 * at a time, and all together have {@value #MOST}: beyond that a denial is answered at once, because a held answer also
 * holds a connection.
 */
final class Tarpit {
    static final int MOST = 1_000;
    /** Delays differ by up to this share in either direction, so that held callers do not return together. */
    private static final double JITTER = 0.2;

    private final DelayedTasks tasks;
    private final Set<Integer> callers = ConcurrentHashMap.newKeySet();

    Tarpit(DelayedTasks tasks) {
        this.tasks = tasks;
    }

    int held() {
        return callers.size();
    }

    /** Answers {@code waiter} after about {@code micros}; false if it must be answered at once. */
    boolean hold(Request request, MutableDecision decision, Waiter waiter, long micros) {
        int caller = CallerHash.seeded(request);
        if (callers.size() >= MOST || !WaitingText.fits(request) || !callers.add(caller)) {
            return false;
        }
        if (!waiter.mayWait()) {
            callers.remove(caller);
            return false;
        }
        Request copy = Request.to("").set(request);
        MutableDecision denial = new MutableDecision();
        denial.set(decision);
        double factor = 1 + JITTER * (2 * ThreadLocalRandom.current().nextDouble() - 1);
        Runnable cancel = tasks.schedule(
                () -> {
                    callers.remove(caller);
                    waiter.home().execute(() -> waiter.decided(copy, denial));
                },
                (long) (micros * factor));
        waiter.waits(() -> {
            cancel.run();
            callers.remove(caller);
        });
        return true;
    }
}
