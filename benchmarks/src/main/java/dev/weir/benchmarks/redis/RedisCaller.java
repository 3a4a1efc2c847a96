package dev.weir.benchmarks.redis;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.HdrHistogram.Histogram;

/** A caller that always has one question in flight: the answer to the last starts the next. */
final class RedisCaller {
    /** The question is being sent; the answer may come before that returns. */
    private static final int ASKING = 0;

    private static final int WAITING = 1;
    private static final int ANSWERED = 2;

    /**
     * The task of a caller.
     *
     * @param keys numbers of keys; a negative one is the end
     * @param home the executor that handles answers
     * @param countFrom nanos from which answers are counted
     * @param until nanos at which it ends
     */
    record Task(RedisSide side, IntSupplier keys, Executor home, long countFrom, long until, CountDownLatch finished) {}

    private final int number;
    private final Task task;
    private final AtomicInteger state = new AtomicInteger();
    private final Histogram micros = new Histogram(60_000_000, 3);
    private long began;
    private long asked;
    private long denied;
    private long failed;

    RedisCaller(int number, Task task) {
        this.number = number;
        this.task = task;
    }

    /** The number of this caller, from 0; a side may keep data for each. */
    int number() {
        return number;
    }

    Executor home() {
        return task.home();
    }

    /** When the question in flight was sent, in nanos. */
    long began() {
        return began;
    }

    void go() {
        began = System.nanoTime();
        askOn();
    }

    /** Asks until it has to wait, in a loop, because answers that come at once must not grow the stack. */
    private void askOn() {
        do {
            int key = began - task.until() >= 0 ? -1 : task.keys().getAsInt();
            if (key < 0) {
                task.finished().countDown();
                return;
            }
            asked++;
            state.setPlain(ASKING); // the side publishes the question itself
            task.side().ask(this, key);
        } while (!state.compareAndSet(ASKING, WAITING));
    }

    /** Handles an answer; called in {@linkplain #home the caller's executor}. */
    void answered(boolean allowed) {
        note(allowed, false);
    }

    /** Handles a failure of any kind, which spoils the run; called in {@linkplain #home the caller's executor}. */
    void failed() {
        note(false, true);
    }

    private void note(boolean allowed, boolean failure) {
        long now = System.nanoTime();
        if (now - task.countFrom() >= 0 && now - task.until() < 0) {
            micros.recordValue(Math.min((now - began) / 1_000, micros.getHighestTrackableValue()));
            denied += allowed || failure ? 0 : 1;
            failed += failure ? 1 : 0;
        }
        began = now; // reads the clock once per decision: at half a million a second, that matters
        if (!state.compareAndSet(ASKING, ANSWERED)) {
            askOn();
        }
    }

    /** How long it waited for the answers that count. Read only at the end, as all below. */
    Histogram micros() {
        return micros;
    }

    /** The number of all questions, including those that do not count. */
    long asked() {
        return asked;
    }

    long denied() {
        return denied;
    }

    long failures() {
        return failed;
    }
}
