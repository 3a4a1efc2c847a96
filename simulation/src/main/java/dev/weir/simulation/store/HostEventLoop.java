package dev.weir.simulation.store;

import dev.weir.internal.batching.BatchingLoop;
import dev.weir.simulation.clock.Event;
import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import java.util.ArrayDeque;

/** The event loop of a process: it runs a submitted task in the next turn, and nothing while its host is paused. */
final class HostEventLoop implements BatchingLoop {
    private final Timeline timeline;
    private final Host host;
    private final MachineClock clock;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final Event turn = this::turn;
    /** Whether the next turn is scheduled. */
    private boolean due;

    private boolean closed;

    HostEventLoop(Timeline timeline, Host host, MachineClock clock) {
        this.timeline = timeline;
        this.host = host;
        this.clock = clock;
    }

    @Override
    public long nanos() {
        return clock.nanos();
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (!due) {
            due = true;
            timeline.at(host.pausedUntil(), turn);
        }
    }

    private void turn() {
        if (timeline.now() < host.pausedUntil()) {
            timeline.at(host.pausedUntil(), turn);
            return;
        }
        due = false;
        for (int left = tasks.size(); left > 0 && !closed; left--) {
            tasks.remove().run();
        }
    }

    @Override
    public Alarm after(long nanos, Runnable task) {
        Timer timer = new Timer(task);
        timeline.after(clock.realNanos(nanos), timer);
        return timer;
    }

    boolean isClosed() {
        return closed;
    }

    /** Stops the loop, because the process has ended. */
    void close() {
        closed = true;
    }

    /** A task that is due at a set time. */
    private final class Timer implements Alarm, Event {
        private final Runnable task;
        private boolean cancelled;
        /** How long the clock had stood still when the timer was last set: it measures monotonic time. */
        private long stoppedNanos = clock.stoppedNanos();

        Timer(Runnable task) {
            this.task = task;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }

        @Override
        public void happen() {
            if (!cancelled && !closed) {
                long stopped = clock.stoppedNanos();
                if (timeline.now() < host.pausedUntil()) {
                    timeline.at(host.pausedUntil(), this);
                } else if (stopped > stoppedNanos) {
                    timeline.after(stopped - stoppedNanos, this);
                    stoppedNanos = stopped;
                } else {
                    task.run();
                }
            }
        }
    }
}
