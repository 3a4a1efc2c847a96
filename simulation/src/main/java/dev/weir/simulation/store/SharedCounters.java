package dev.weir.simulation.store;

import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import dev.weir.store.Ask;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The shared store as a machine: it has a clock of its own, decides one round after the other, can stop and go on, and can fail over to
 * a replica that lacks the last writes.
 */
public final class SharedCounters {
    private final Timeline timeline;
    private final Takings takings;
    private final Counters counters = new Counters();
    private final CheckDesk desk;
    private final List<Link> links = new ArrayList<>();
    private final ArrayDeque<Round> backlog = new ArrayDeque<>();
    private MachineClock clock;
    private long pausedUntil;
    private long downUntil;
    /** How far the replica is behind. */
    private long lagNanos;

    private long calls;
    private long checks;
    private long expiredCalls;

    public SharedCounters(Timeline timeline, MachineClock clock, Takings takings) {
        this.timeline = timeline;
        this.clock = clock;
        this.takings = takings;
        this.desk = new CheckDesk(counters, timeline, takings);
    }

    void add(Link link) {
        links.add(link);
    }

    public MachineClock clock() {
        return clock;
    }

    /** Calls of the script so far. */
    public long calls() {
        return calls;
    }

    /** Checks that these calls carried, those of one round on one counter being one. */
    public long checks() {
        return checks;
    }

    /** Calls that came too late and charged nothing. */
    public long expiredCalls() {
        return expiredCalls;
    }

    /** Counters that were ever used. */
    public int size() {
        return counters.size();
    }

    /** A replica follows, {@code nanos} behind: {@link #failOver} needs one. */
    public void replica(long nanos) {
        lagNanos = nanos;
        counters.remember(nanos);
    }

    /** Stops for {@code nanos}, as by SIGSTOP: what arrives waits. */
    public void pause(long nanos) {
        pausedUntil = Math.max(pausedUntil, timeline.now() + nanos);
        timeline.at(pausedUntil, this::resume);
    }

    /**
     * The replica takes over, with a clock of its own: what it had not heard of is lost, all connections break, and for {@code nanos}
     * nobody answers.
     */
    public void failOver(long nanos, MachineClock replica) {
        long moment = timeline.now() - lagNanos;
        counters.rollBack(moment);
        takings.forgot(moment);
        clock = replica;
        backlog.clear();
        pausedUntil = 0;
        downUntil = Math.max(downUntil, timeline.now() + nanos);
        links.forEach(Link::breakOff);
    }

    boolean isDown() {
        return timeline.now() < downUntil;
    }

    void receive(Round round) {
        if (round.connection != round.link().connection()) {
            return; // nobody reads what arrives on a connection that was closed before
        }
        if (timeline.now() < pausedUntil) {
            backlog.add(round);
            return;
        }
        serve(round);
    }

    private void resume() {
        while (timeline.now() >= pausedUntil && !backlog.isEmpty()) {
            serve(backlog.poll());
        }
    }

    private void serve(Round round) {
        long now = clock.micros();
        calls++;
        round.storeMicros = now;
        round.expired = now > round.expiryMicros;
        if (round.expired) {
            expiredCalls++;
        } else {
            int node = round.link().isClosed() ? Takings.NOBODY : round.link().node();
            takings.storeShows(now);
            for (int i = 0; i < round.size(); i++) {
                Ask ask = round.sent(i);
                desk.decide(node, ask.checks, ask.denied, now);
                checks += isFirst(round, i) ? ask.checks.size() : 0;
            }
        }
        round.back = true;
        round.link().sendBack(round);
    }

    /** Whether nobody before asked the same of the same counters: what many ask is one entry with a count. */
    private static boolean isFirst(Round round, int index) {
        Ask ask = round.sent(index);
        if (ask.checks.size() != 1) {
            return true;
        }
        for (int i = 0; i < index; i++) {
            Ask other = round.sent(i);
            if (other.checks.size() == 1
                    && other.checks.get(0).key0 == ask.checks.get(0).key0
                    && other.checks.get(0).hits == ask.checks.get(0).hits) {
                return false;
            }
        }
        return true;
    }
}
