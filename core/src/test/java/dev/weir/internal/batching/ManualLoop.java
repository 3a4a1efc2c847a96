package dev.weir.internal.batching;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A loop that a test turns by hand. Time passes when the test says so. */
final class ManualLoop implements BatchingLoop {
    private final class Due implements Alarm {
        final long nanos;
        final Runnable task;

        Due(long nanos, Runnable task) {
            this.nanos = nanos;
            this.task = task;
        }

        @Override
        public void cancel() {
            alarms.remove(this);
        }
    }

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final List<Due> alarms = new ArrayList<>();
    private @Nullable Runnable arrived;
    private long now = 1_000_000_000L;
    int executed;

    @Override
    public long nanos() {
        return now;
    }

    @Override
    public void execute(Runnable task) {
        executed++;
        tasks.add(task);
    }

    @Override
    public Alarm after(long nanos, Runnable task) {
        Due due = new Due(now + nanos, task);
        alarms.add(due);
        return due;
    }

    /** Does what it was handed. */
    void turn() {
        Runnable task;
        while ((task = tasks.poll()) != null) {
            task.run();
        }
    }

    /** Lets {@code nanos} pass, and every alarm ring at its moment. */
    void pass(long nanos) {
        long end = now + nanos;
        Due next;
        while ((next = next()) != null && next.nanos <= end) {
            now = Math.max(now, next.nanos);
            ring(next);
        }
        now = end;
        turn();
    }

    /** Lets {@code nanos} pass without anything being done, as if the process had been stopped; the alarms ring afterwards. */
    void stop(long nanos) {
        now += nanos;
        Due next;
        while ((next = next()) != null && next.nanos <= now) {
            ring(next);
        }
    }

    /** Lets {@code nanos} pass before any alarm that is due then rings. */
    void sleep(long nanos) {
        now += nanos;
    }

    /** Sets the data to read; the loop reads it after the alarms that are due. */
    void arrived(Runnable read) {
        arrived = read;
    }

    private void ring(Due next) {
        alarms.remove(next);
        next.task.run();
        turn();
        if (arrived != null) {
            Runnable read = arrived;
            arrived = null;
            read.run();
        }
    }

    private @Nullable Due next() {
        return alarms.stream().min(Comparator.comparingLong(each -> each.nanos)).orElse(null);
    }
}
