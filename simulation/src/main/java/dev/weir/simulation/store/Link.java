package dev.weir.simulation.store;

import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import dev.weir.store.Ask;
import dev.weir.store.Check;
import dev.weir.store.SharedStore;
import dev.weir.store.StoreClock;
import dev.weir.store.StoreFailure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A node's connection to the shared store. It behaves as the Redis store does: while a round is under way, what arrives waits for the
 * next; every ask is answered by its deadline; what timed out has an unknown outcome and is never sent again; a round that runs late
 * charges nothing and may be tried once more; and a breaker opens when too much fails.
 */
public final class Link implements SharedStore {
    private static final int MOST_ASKS = 1_024;
    private static final int MOST_ABANDONED = 16;
    private static final int MOST_TRIES = 3;
    private static final long MICROSECOND = 1_000;
    private static final long FIRST_PROBE = 1_000_000_000L;
    private static final long LAST_PROBE = 30 * FIRST_PROBE;

    private final Timeline timeline;
    private final Host host;
    private final MachineClock clock;
    private final SharedCounters store;
    private final LinkSettings settings;
    private final Wire out;
    private final Wire back;
    private final StoreClock storeClock = new StoreClock();
    private final Breaker breaker = new Breaker();
    private final ArrayDeque<Ask> waiting = new ArrayDeque<>();
    private @Nullable Round round;
    private int abandoned;
    private int connection;
    private boolean closed;
    private long connectedAt;
    private long timerAt = Long.MAX_VALUE;
    private long probeNanos;
    private long deliveredMicros;
    private long failures;

    public Link(
            Timeline timeline,
            Host host,
            MachineClock clock,
            SharedCounters store,
            LinkSettings settings,
            SplittableRandom random) {
        this.timeline = timeline;
        this.host = host;
        this.clock = clock;
        this.store = store;
        this.settings = settings;
        this.out = new Wire(random.split(), settings);
        this.back = new Wire(random.split(), settings);
        store.add(this);
        greet();
    }

    int node() {
        return host.number();
    }

    boolean isClosed() {
        return closed;
    }

    int connection() {
        return connection;
    }

    /** Asks that had no answer. */
    public long failures() {
        return failures;
    }

    /** When the hits of whoever is being told were taken, by the store's clock; now, if nobody asked the store for them. */
    public long chargedMicros() {
        return deliveredMicros == 0 ? store.clock().micros() : deliveredMicros;
    }

    @Override
    public void decide(Ask ask) {
        ask.notes = null;
        for (int i = 0; i < ask.checks.size(); i++) {
            ask.checks.get(i).failure = null;
        }
        if (closed || timeline.now() < connectedAt || store.isDown()) {
            fail(ask, StoreFailure.UNREACHABLE);
        } else if (breaker.isOpen()) {
            fail(ask, StoreFailure.OPEN);
        } else {
            waiting.add(ask);
            wakeAt(ask.deadlineNanos);
            pump();
        }
    }

    /** The process is gone: nobody here is told anything any more. What it sent may still arrive. */
    @Override
    public void close() {
        closed = true;
        waiting.clear();
        round = null;
    }

    /** The connection is lost: what is under way has an unknown outcome, and a new connection takes a while. */
    public void breakOff() {
        if (closed) {
            return;
        }
        connection++;
        connectedAt = timeline.now() + settings.reconnectNanos();
        abandoned = 0;
        List<Ask> lost = new ArrayList<>(waiting);
        waiting.clear();
        Round current = round;
        round = null;
        for (int i = 0; current != null && i < current.size(); i++) {
            Ask waiter = current.waiter(i);
            if (waiter != null) {
                current.leave(i);
                lost.add(waiter);
            }
        }
        greet();
        lost.forEach(each -> fail(each, StoreFailure.UNREACHABLE));
    }

    /** Nothing gets through either way for {@code nanos}; TCP delivers it afterwards. */
    public void cut(long nanos) {
        out.cut(timeline.now() + nanos);
        back.cut(timeline.now() + nanos);
    }

    private void greet() {
        storeClock.forget();
        long rtt = 2 * settings.latency().medianNanos();
        storeClock.sample(
                clock.nanos() - rtt / 2, clock.nanos() + rtt / 2, store.clock().micros());
    }

    private void pump() {
        while (round == null && !waiting.isEmpty() && abandoned < MOST_ABANDONED && !breaker.isOpen()) {
            Round next = new Round(this, store, connection);
            long earliest = Long.MAX_VALUE;
            long now = clock.nanos();
            while (!waiting.isEmpty() && next.size() < MOST_ASKS) {
                Ask ask = waiting.poll();
                earliest = Math.min(earliest, ask.deadlineNanos - now);
                next.add(ask);
            }
            round = next;
            send(next, storeClock.at(now + earliest));
        }
    }

    private void send(Round next, long expiryMicros) {
        next.sentNanos = clock.nanos();
        next.expiryMicros = expiryMicros;
        timeline.at(out.arrival(timeline.now()), next);
    }

    void sendBack(Round done) {
        if (done.connection == connection && !closed) {
            timeline.at(back.arrival(timeline.now()), done);
        }
    }

    void replied(Round done) {
        if (done.connection != connection || closed) {
            return;
        }
        if (timeline.now() < host.pausedUntil()) {
            timeline.at(host.pausedUntil(), done);
            return;
        }
        storeClock.sample(done.sentNanos, clock.nanos(), done.storeMicros);
        if (done.size() == 0) {
            breaker.close();
            probeNanos = 0;
        } else if (done.abandoned) {
            abandoned--;
            pump();
        } else {
            round = null;
            note(false);
            if (done.expired) {
                tryAgain(done);
                pump();
            } else {
                pump();
                deliver(done);
            }
        }
    }

    private void deliver(Round done) {
        deliveredMicros = done.storeMicros;
        for (int i = 0; i < done.size(); i++) {
            Ask ask = done.waiter(i);
            if (ask != null) {
                ask.home.execute(ask::answered);
            }
        }
        deliveredMicros = 0;
    }

    /** Nothing was charged: who still has time goes first in the next round. */
    private void tryAgain(Round done) {
        long now = clock.nanos();
        for (int i = done.size() - 1; i >= 0; i--) {
            Ask ask = done.waiter(i);
            if (ask == null) {
                continue;
            }
            int tries = ask.notes instanceof Integer before ? before + 1 : 1;
            if (tries < MOST_TRIES && ask.deadlineNanos - now > 0) {
                ask.notes = tries;
                waiting.addFirst(ask);
            } else {
                fail(ask, StoreFailure.TIMEOUT);
            }
        }
    }

    private void wakeAt(long deadlineNanos) {
        long moment = timeline.now() + clock.realNanos(deadlineNanos - clock.nanos()) + MICROSECOND;
        if (moment < timerAt) {
            setTimer(moment);
        }
    }

    /** One timer counts, the one set last; others that fire do nothing. */
    private void setTimer(long moment) {
        timerAt = moment;
        timeline.at(moment, () -> {
            if (moment == timerAt && !closed) {
                sweep();
            }
        });
    }

    /** Fails what has reached its deadline. After a pause of our own, replies are read before this. */
    private void sweep() {
        if (timeline.now() < host.pausedUntil()) {
            setTimer(host.pausedUntil() + MICROSECOND);
            return;
        }
        timerAt = Long.MAX_VALUE;
        long now = clock.nanos();
        List<Ask> late = new ArrayList<>();
        waiting.removeIf(each -> isLate(each, now) && late.add(each));
        Round current = round;
        for (int i = 0; current != null && i < current.size(); i++) {
            Ask ask = current.waiter(i);
            if (ask != null && isLate(ask, now)) {
                current.leave(i);
                late.add(ask);
            }
        }
        if (current != null && !current.isWaited()) {
            current.abandoned = true;
            abandoned++;
            round = null;
            note(true);
        }
        pump();
        late.forEach(each -> fail(each, StoreFailure.TIMEOUT));
        wakeForTheNext();
    }

    private static boolean isLate(Ask ask, long now) {
        return ask.deadlineNanos - now <= 0;
    }

    private void wakeForTheNext() {
        long now = clock.nanos();
        long least = Long.MAX_VALUE;
        for (Ask ask : waiting) {
            least = Math.min(least, ask.deadlineNanos - now);
        }
        Round current = round;
        for (int i = 0; current != null && i < current.size(); i++) {
            Ask ask = current.waiter(i);
            least = ask == null ? least : Math.min(least, ask.deadlineNanos - now);
        }
        if (least != Long.MAX_VALUE) {
            wakeAt(now + least);
        }
    }

    private void note(boolean failure) {
        if (breaker.note(failure)) {
            probeNanos = FIRST_PROBE;
            timeline.after(probeNanos, this::probe);
            List<Ask> refused = new ArrayList<>(waiting);
            waiting.clear();
            refused.forEach(each -> fail(each, StoreFailure.OPEN));
        }
    }

    private void probe() {
        if (breaker.isOpen() && !closed) {
            send(new Round(this, store, connection), storeClock.at(clock.nanos() + probeNanos));
            probeNanos = Math.min(2 * probeNanos, LAST_PROBE);
            timeline.after(probeNanos, this::probe);
        }
    }

    private void fail(Ask ask, StoreFailure failure) {
        failures++;
        for (int i = 0; i < ask.checks.size(); i++) {
            Check check = ask.checks.get(i);
            check.failure = failure;
            check.granted = 0;
        }
        ask.home.execute(ask::answered);
    }
}
