package dev.weir.redis.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Callers that come at a steady rate, whether or not they are answered. Each asks for one hit of one key, in turn.
 * Their answers are kept in tallies, one for each period of a test.
 */
public final class SteadyLoad implements AutoCloseable {
    /** The scheduling delay that is allowed on a busy machine, beside the measured one. */
    public static final Duration SLACK = Duration.ofMillis(500);

    private static final int A_SECOND = 1_000;
    private static final Duration POLL = Duration.ofMillis(10);

    private final SharedStore store;
    private final Meter meter;
    private final List<String> keys;
    private final Duration deadline;
    private final Thread thread;
    private final AnswerTally whole = new AnswerTally();
    private volatile AnswerTally tally = new AnswerTally();
    private volatile boolean over;
    /** The longest time in which this thread wanted to run and did not. */
    private volatile long longestPauseNanos;

    private SteadyLoad(SharedStore store, Meter meter, Duration deadline, List<String> keys) {
        this.store = store;
        this.meter = meter;
        this.keys = keys;
        this.deadline = deadline;
        this.thread = new Thread(this::run, "load");
    }

    /** A thousand callers a second, until it is closed. */
    public static SteadyLoad on(SharedStore store, Meter meter, Duration deadline, String... keys) {
        SteadyLoad load = new SteadyLoad(store, meter, deadline, List.of(keys));
        load.thread.start();
        return load;
    }

    private void run() {
        long start = System.nanoTime();
        long sent = 0;
        while (!over) {
            long due = (System.nanoTime() - start) / (TimeUnit.SECONDS.toNanos(1) / A_SECOND);
            // After a stall the load goes on at its rate: a burst of missed calls would be another kind of load.
            sent = Math.max(sent, due - 20);
            for (; sent < due; sent++) {
                new Caller(keys.get((int) (sent % keys.size())), tally).ask();
            }
            long parked = System.nanoTime();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            long pause = System.nanoTime() - parked;
            if (pause > longestPauseNanos) {
                longestPauseNanos = pause;
            }
        }
    }

    /** Returns the answers since the last call; all asks were answered, and in time. */
    public AnswerTally next() {
        AnswerTally last = tally;
        tally = new AnswerTally();
        assertAnswered(last);
        return last;
    }

    /** Stops the load and returns all answers. */
    public AnswerTally end() {
        close();
        assertAnswered(whole);
        return whole;
    }

    private void assertAnswered(AnswerTally last) {
        // A caller may have been on its way in as the tally was taken away.
        await().atMost(Duration.ofSeconds(5))
                .pollDelay(Duration.ZERO)
                .pollInterval(POLL)
                .until(() -> last.answeredCount() == last.askedCount());
        assertThat(last.answeredTwiceCount()).as("answered twice").isZero();
        assertThat(last.latest())
                .as("the latest answer after its deadline: %s", last)
                .isLessThan(SLACK.plusNanos(3 * longestPauseNanos));
    }

    /** Waits until callers are served, all of them for a tenth of a second, and goes on with a tally of its own. */
    public void awaitServing(Duration atMost) {
        await().atMost(atMost).pollInterval(Duration.ofMillis(100)).until(() -> {
            AnswerTally last = next();
            return last.failed() == 0 && last.answeredCount() > 0;
        });
    }

    /** Waits until at least so many callers were failed since the last {@link #next}. */
    public void awaitFailures(int atLeast) {
        await().atMost(Duration.ofSeconds(10)).pollInterval(POLL).until(() -> tally.failed() >= atLeast);
    }

    /** Waits until a caller was failed in this way since the last {@link #next}. */
    public void awaitFailure(StoreFailure kind) {
        await().atMost(Duration.ofSeconds(10)).pollInterval(POLL).until(() -> tally.failed(kind) > 0);
    }

    /** Waits until at least so many callers were answered since the last {@link #next}. */
    public void awaitAnswers(int atLeast) {
        await().atMost(Duration.ofSeconds(20)).pollInterval(POLL).until(() -> tally.answeredCount() >= atLeast);
    }

    /** Waits until all callers are failed, and none of them waits for that any more. */
    public void awaitOpen() {
        await().atMost(Duration.ofSeconds(10)).pollInterval(POLL).until(() -> {
            awaitAnswers(50);
            AnswerTally last = next();
            return last.failed() == last.answeredCount() && last.failed(StoreFailure.TIMEOUT) == 0;
        });
    }

    @Override
    public void close() {
        over = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Caller extends Ask {
        private final String key;
        private final AnswerTally into;
        private final long sentNanos = System.nanoTime();
        private final AtomicBoolean told = new AtomicBoolean();

        Caller(String key, AnswerTally into) {
            this.key = key;
            this.into = into;
            AwaitableAsk.fill(checks.add(), key, key, meter, 1);
            deadlineNanos = sentNanos + deadline.toNanos();
        }

        void ask() {
            into.asked();
            whole.asked();
            store.decide(this);
        }

        @Override
        public void answered() {
            long now = System.nanoTime();
            if (!told.compareAndSet(false, true)) {
                into.answeredTwice();
                whole.answeredTwice();
                return;
            }
            Check check = checks.get(0);
            long waited = now - sentNanos;
            into.answered(key, check.outcome.allowed, check.failure, waited, now - deadlineNanos);
            whole.answered(key, check.outcome.allowed, check.failure, waited, now - deadlineNanos);
        }
    }
}
