package dev.weir.benchmarks.redis;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.HdrHistogram.Histogram;

/** A caller that always has one question under way: the answer to the last is the start of the next. */
final class RedisCaller {
    /** The question is being put; the answer may come before that returns. */
    private static final int ASKING = 0;

    private static final int WAITING = 1;
    private static final int ANSWERED = 2;

    /**
     * What a caller asks for, and when it stops.
     *
     * @param keys numbers of keys; a negative one is the end
     * @param home where answers are taken up
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

    /** Which of the callers this is, from 0: a side may keep something for each. */
    int number() {
        return number;
    }

    Executor home() {
        return task.home();
    }

    /** When the question under way was put, in nanos. */
    long began() {
        return began;
    }

    void go() {
        began = System.nanoTime();
        goOn();
    }

    /** Asks until there is nothing to do but wait, in a loop: answers that come at once must not grow the stack. */
    private void goOn() {
        do {
            int key = began - task.until() >= 0 ? -1 : task.keys().getAsInt();
            if (key < 0) {
                task.finished().countDown();
                return;
            }
            asked++;
            state.setPlain(ASKING); // a side hands the question over by itself
            task.side().ask(this, key);
        } while (!state.compareAndSet(ASKING, WAITING));
    }

    /** To be called {@linkplain #home at home}. */
    void answered(boolean allowed) {
        note(allowed, false);
    }

    /** There is no answer, and why does not matter: the run is worth nothing. To be called {@linkplain #home at home}. */
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
        began = now; // the clock is read once for a decision: at half a million a second, that tells
        if (!state.compareAndSet(ASKING, ANSWERED)) {
            goOn();
        }
    }

    /** How long it waited for what counts. To be read at the end only, as all below. */
    Histogram micros() {
        return micros;
    }

    /** All of it, also what does not count. */
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
