package dev.weir.internal.lease;

import dev.weir.Limit;
import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.counter.CounterKey;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Check;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A shared counter that is busy in this process, with the leases held of it: the one being spent, and the next one if
 * it came early. At most one lease is requested at a time.
 *
 * <h2>Lost answers</h2>
 *
 * <p>If a lease was asked for and no answer came, the store may have taken its hits. The next sweeps ask for the
 * same grant again, until an answer comes or the store has forgotten the grant. Meanwhile no other lease is asked for.
 *
 * <h2>Concurrency</h2>
 *
 * <p>Spending is one compare-and-set in the {@link Lease}. Everything else (asking, answers, the sweep) happens once
 * per lease and takes the monitor; nothing is sent while it is held.
 */
public final class LeasedCounter extends CounterKey {
    /** A counter that spent nothing for this long is forgotten, nanoseconds. */
    private static final long IDLE = 5_000_000_000L;

    /** How long a store keeps a grant, nanoseconds; the script has the same number. */
    private static final long GRANT_KEPT = 10_000_000_000L;
    /** The time between two asks for a lost grant, nanoseconds; it doubles with each. */
    private static final long FIRST_RECALL = 50_000_000L;

    private final Leases leases;
    private final Rule rule;
    private final Meter meter;
    private final Limit limit;
    private final LeaseFetch fetch;
    private final SharedCounterView view;
    private final LeaseSize size;

    private final HeldLeases held = new HeldLeases();

    /** The hits of one request, as last seen; a lease is a multiple of it. */
    private volatile long unit = 1;
    /** Whether a lease is being requested; written under the monitor. */
    private volatile boolean asking;

    /** The number of the last grant that was asked for. */
    private long grant;
    /** Whether the answer to that ask was lost; then {@link #asking} is true. */
    private boolean unheard;

    private long unheardSince;
    /** How long after that the grant is asked for again, and {@link #FIRST_RECALL} more. */
    private long recallWait;
    /** Whether the grant is being asked for again. */
    private boolean recalling;

    private volatile boolean retired;
    /** Whether the store has forgotten the counter, so that unspent hits are lost. */
    private volatile boolean dropped;

    private long spentSwept;
    private long sweptAt;

    LeasedCounter(Leases leases, Check check, Rule rule, long now) {
        set(check.key0, check.key1);
        this.meter = Objects.requireNonNull(check.meter, "meter");
        this.leases = leases;
        this.rule = rule;
        this.limit = meter.limit();
        this.fetch = new LeaseFetch(leases, this, check);
        this.view = new SharedCounterView(limit);
        this.size = new LeaseSize(limit, rule, view);
        this.sweptAt = now;
    }

    /** The name under which the store keeps the grants of this counter. */
    long lessee() {
        return leases.lessee(fetch.check().key0);
    }

    Rule rule() {
        return rule;
    }

    /** Whether {@code check} has the limit and the store of this counter. */
    boolean isOf(Check check) {
        Meter asked = check.meter;
        return asked != null
                && check.store == fetch.check().store
                && asked.limit().equals(limit);
    }

    /**
     * Whether {@code hits} can be spent at {@code now}, when the wall clock shows {@code wall}; another thread may be
     * faster.
     */
    public boolean covers(long hits, long now, long wall) {
        return held.cover(Math.max(1, hits), now, wall);
    }

    /**
     * Takes {@code hits} at {@code now}, when the wall clock shows {@code wall}. Returns the lease, or null if none has
     * enough. 0 hits ask whether anything is left.
     */
    public @Nullable Lease take(long hits, long now, long wall) {
        return held.take(hits, now, wall);
    }

    /**
     * Whether the bucket is exhausted and not asked at {@code now}. Then {@code check}, which is not {@linkplain
     * #covers covered}, is denied, and its outcome says until when.
     */
    public boolean rests(Check check, long now) {
        boolean rests = wouldRest(check, now);
        if (rests) {
            leases.stats().denied.increment();
        }
        return rests;
    }

    /** The same, and counts no denial. */
    public boolean wouldRest(Check check, long now) {
        long left = size.rest(now);
        if (left <= 0) {
            return false;
        }
        Outcome out = check.outcome;
        out.allowed = false;
        out.remaining = 0;
        out.reset = view.reset(now);
        boolean never = check.hits > limit.capacity();
        out.retryAfter = never ? Outcome.NEVER : Math.max((left + 999) / 1_000, view.untilFit(check.hits, now));
        out.delay = 0;
        return true;
    }

    /** Microseconds after {@code now} until an exhausted counter is asked again. */
    public long restLeft(long now) {
        return Math.max(0, size.rest(now) + 999) / 1_000;
    }

    /** Writes the counter's state, as far as it is known here, into the outcome of a check that was paid. */
    public void tell(Outcome out, long now) {
        out.allowed = true;
        out.remaining = remaining();
        out.reset = view.reset(now);
        out.retryAfter = 0;
        out.delay = 0;
    }

    /** The hits left in the store, as last reported, and those held here. */
    public long remaining() {
        return Math.min(limit.capacity(), view.remaining() + held.left());
    }

    /** Puts back hits that were {@linkplain #take taken} but not spent. */
    public void putBack(Lease lease, long hits, long now) {
        if (!lease.putBack(hits)) {
            giveBack(lease, hits, now);
        }
    }

    /** Asks for the next lease if little is left. */
    public void refill(long now) {
        if (asking || !held.areLow()) {
            return;
        }
        long hits = ahead(0, now);
        if (hits > 0) {
            fetch.ready(hits, grant, now, leases.wall(), now + travel());
            leases.fetch(fetch);
        }
    }

    /** Adds to {@code check}, which no lease covers at {@code now}, a request for the next lease if it is time. */
    public void askAhead(Check check, long now) {
        check.ahead = ahead(check.hits, now);
        if (check.ahead > 0) {
            check.lessee = lessee();
            check.grant = grant;
            check.again = false;
        }
    }

    /**
     * How many more hits to lease at {@code now}, together with a request for {@code hits} that this process cannot
     * cover; 0 for none. If more than 0, no other thread asks for a lease until {@link #answered}.
     */
    private long ahead(long hits, long now) {
        if (hits > 0 && unit != hits) {
            unit = hits;
        }
        HeldLeases.Closed done;
        long hitsAhead;
        long wall = leases.wall();
        synchronized (this) {
            done = held.rotate(unit, now, wall);
            boolean may = !asking && !retired && !held.hasNext() && !leases.isClosed() && size.rest(now) <= 0;
            hitsAhead = may ? size.next(held.spent(), Math.max(1, unit), now) : 0;
            if (hitsAhead > 0) {
                asking = true;
                grant = leases.nextGrant();
            }
        }
        if (done != null && done.lease().isExpired(now, wall)) {
            expired(done, now);
        } else {
            giveBack(done, now);
        }
        return hitsAhead;
    }

    /**
     * Records the store's answer to {@code check}, asked at {@code asked}: its own hits, of which {@code taken} count,
     * and the lease that came with it; {@code askedWall} is the wall clock then. The remaining hits in the outcome are
     * those of the store alone.
     */
    public void answered(Check check, long taken, long asked, long askedWall) {
        long now = leases.now();
        long wall = leases.wall();
        Lease over = null;
        long granted = 0;
        long lost = 0;
        synchronized (this) {
            if (check.ahead > 0) {
                heard(check, now);
            }
            if (check.failure == null) {
                granted = check.granted;
                held.spentElsewhere(taken);
                view.learn(taken + granted, check.outcome, asked);
                size.learn(check.outcome, Math.max(1, unit), asked);
                lost = held.closeBefore(meter.windowOf(check.outcome)); // the store's clock may have been set
                if (granted > 0) {
                    Lease lease = Lease.of(meter, granted, check.outcome, asked, askedWall, now, size.ttl());
                    over = retired || lease.isExpired(now, wall) ? lease : held.accept(lease);
                }
            }
        }
        leases.stats().stranded.add(lost);
        if (granted > 0) {
            leases.stats().taken.increment();
            leases.stats().hits.add(granted);
        }
        if (over != null) {
            giveBack(over, over.close(), now);
        }
    }

    /** Ends an ask for a lease, unless its answer was lost: then the grant may be asked for again. */
    private void heard(Check check, long now) {
        recalling &= !check.again;
        boolean isOver = check.failure == null || check.lessee == 0;
        boolean unsent = check.failure == StoreFailure.OPEN || check.failure == StoreFailure.OVERLOADED;
        if (isOver) {
            unheard = false;
        } else if (!unheard && !unsent) {
            unheard = true;
            unheardSince = now;
            recallWait = FIRST_RECALL;
        }
        asking = unheard;
    }

    /** Starts to ask again for a grant whose answer was lost, if it is time; gives it up once the store has. */
    private boolean recalls(long now) {
        if (!unheard || recalling || retired || now - unheardSince < recallWait - FIRST_RECALL) {
            return false;
        }
        recallWait *= 2;
        recalling = now - unheardSince < GRANT_KEPT;
        unheard = recalling;
        asking = recalling;
        return recalling;
    }

    /** Gives back leases that have expired by {@code now}; returns whether the counter is idle and may be forgotten. */
    boolean sweep(long now, long wall) {
        HeldLeases.Closed first;
        HeldLeases.Closed second;
        boolean idle;
        boolean recalls;
        synchronized (this) {
            first = held.closeCurrent(now, wall);
            second = held.closeNext(now, wall);
            long spent = held.spent();
            if (spent != spentSwept) {
                spentSwept = spent;
                sweptAt = now;
            }
            idle = !asking && now - sweptAt >= IDLE && held.areNone();
            retired |= idle;
            recalls = recalls(now);
        }
        if (recalls) {
            fetch.again(grant, now, wall, now + travel());
            leases.fetch(fetch);
        }
        expired(first, now);
        expired(second, now);
        return idle;
    }

    /** Ends the counter: leases are given back, and so is one in flight when it arrives. */
    void retire(long now) {
        HeldLeases.Closed first;
        HeldLeases.Closed second;
        synchronized (this) {
            retired = true;
            first = held.closeCurrent();
            second = held.closeNext();
        }
        giveBack(first, now);
        giveBack(second, now);
    }

    /** Ends the counter without giving anything back, neither held leases nor one in flight. */
    void drop(long now) {
        dropped = true;
        retire(now);
    }

    /** The hits that are held. */
    public long left() {
        return held.left();
    }

    private void expired(HeldLeases.@Nullable Closed closed, long now) {
        if (closed != null && closed.left() > 0) {
            leases.stats().expired.increment();
            giveBack(closed, now);
        }
    }

    private void giveBack(HeldLeases.@Nullable Closed closed, long now) {
        if (closed != null) {
            giveBack(closed.lease(), closed.left(), now);
        }
    }

    /** How long the store may take to answer, nanoseconds. */
    private long travel() {
        return rule.scope().isGlobal() ? Math.max(leases.travel(), rule.deadlineMicros() * 1_000) : leases.travel();
    }

    private void giveBack(Lease lease, long hits, long now) {
        if (hits > 0 && dropped) {
            leases.stats().stranded.add(hits);
        } else if (hits > 0 && leases.giveBack(fetch.check(), lease, hits, now, travel())) {
            synchronized (this) {
                view.returned(hits);
            }
        }
    }
}
