package dev.weir.lease;

import dev.weir.algorithm.Meter;
import dev.weir.algorithm.Outcome;
import dev.weir.model.Limit;
import dev.weir.model.Rule;
import dev.weir.store.Check;
import dev.weir.store.CounterKey;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A shared counter that is busy here, with what this process holds of it: the lease that is being spent, and the next one if it
 * came early. At most one lease is being asked for at a time.
 *
 * <h2>Concurrency</h2>
 *
 * Spending is one compare-and-set in the {@link Lease}. Everything else (asking, answers, the sweep) happens once a lease and takes
 * the monitor; nothing is sent while it is held.
 */
public final class LeasedCounter extends CounterKey {
    /** The next lease is asked for when a quarter is left. */
    private static final long LOW_WATER = 4;
    /** Forgotten when nothing was spent for so long. */
    private static final long IDLE = 5_000_000_000L;

    private final Leases leases;
    private final Rule rule;
    private final Limit limit;
    private final LeaseFetch fetch;
    private final SharedView view;
    private final LeaseSize size;

    private volatile Lease current = Lease.NONE;
    private volatile @Nullable Lease next;
    /** What one request takes, as last seen: a lease is a multiple of it. */
    private volatile long unit = 1;
    /** Whether a lease is being asked for; written under the monitor. */
    private volatile boolean asking;

    private volatile boolean retired;
    /** Whether the store has forgotten what hits were taken from: what is not spent is lost. */
    private volatile boolean dropped;

    /** Hits spent outside of the leases that are open. */
    private long spentBefore;

    private long spentSwept;
    private long sweptAt;

    LeasedCounter(Leases leases, Check check, Rule rule, long now) {
        set(check.key0, check.key1);
        Meter meter = Objects.requireNonNull(check.meter, "meter");
        this.leases = leases;
        this.rule = rule;
        this.limit = meter.limit();
        this.fetch = new LeaseFetch(leases, this, check);
        this.view = new SharedView(limit);
        this.size = new LeaseSize(limit, rule.leaseIntervalMicros(), view);
        this.sweptAt = now;
    }

    Rule rule() {
        return rule;
    }

    /** Whether {@code check} is about what this leases: the same limit in the same store. */
    boolean isOf(Check check) {
        Meter meter = check.meter;
        return meter != null
                && check.store == fetch.check().store
                && meter.limit().equals(limit);
    }

    /** Whether {@code hits} are here to be spent at {@code now}; somebody else may be faster. */
    public boolean covers(long hits, long now) {
        Lease first = current;
        Lease second = next;
        return (!first.isExpired(now) && first.left() >= Math.max(1, hits))
                || (second != null && !second.isExpired(now) && second.left() >= Math.max(1, hits));
    }

    /** Takes {@code hits} at {@code now}: from which lease, or null if none has as many. 0 hits ask whether anything is left. */
    public @Nullable Lease take(long hits, long now) {
        Lease first = current;
        if (first.take(hits, now)) {
            return first;
        }
        Lease second = next;
        return second != null && second.take(hits, now) ? second : null;
    }

    /**
     * Whether the counter has run dry and is not asked at {@code now}, so that {@code check}, which is not {@linkplain #covers covered},
     * is denied; its outcome says so then, and until when.
     */
    public boolean rests(Check check, long now) {
        long left = size.rest(now);
        if (left <= 0) {
            return false;
        }
        Outcome out = check.outcome;
        out.allowed = false;
        out.remaining = 0;
        out.reset = view.reset(now);
        out.retryAfter = check.hits > limit.capacity() ? Outcome.NEVER : (left + 999) / 1_000;
        out.delay = 0;
        leases.stats().denied.increment();
        return true;
    }

    /** How long after {@code now} the counter is asked again if it has run dry, microseconds. */
    public long restLeft(long now) {
        return Math.max(0, size.rest(now) + 999) / 1_000;
    }

    /** Tells whoever spent a hit how things stand, as far as is known here. */
    public void tell(Outcome out, long now) {
        out.allowed = true;
        out.remaining = remaining();
        out.reset = view.reset(now);
        out.retryAfter = 0;
        out.delay = 0;
    }

    /** The room in the store as last told, and what is held here. */
    public long remaining() {
        return Math.min(limit.capacity(), view.remaining() + left());
    }

    /** Puts back what was {@linkplain #take taken} and is not spent after all. */
    public void putBack(Lease lease, long hits, long now) {
        if (!lease.putBack(hits)) {
            giveBack(lease, hits, now);
        }
    }

    /** Asks for the next lease if little is left. */
    public void refill(long now) {
        if (asking) {
            return;
        }
        Lease first = current;
        Lease second = next;
        if (first.left() * LOW_WATER > first.hits() || (second != null && second.left() * LOW_WATER > second.hits())) {
            return;
        }
        long hits = ahead(0, now);
        if (hits > 0) {
            fetch.ready(hits, now, leases.deadline(now));
            leases.fetch(fetch);
        }
    }

    /**
     * How many hits to ask for ahead at {@code now}, with a request for {@code hits} that this process cannot cover; 0 for none. If
     * it is more than that, nobody else asks ahead until {@link #answered}.
     */
    public long ahead(long hits, long now) {
        if (hits > 0 && unit != hits) {
            unit = hits;
        }
        long owed;
        long hitsAhead;
        Lease done;
        synchronized (this) {
            done = rotate(now);
            owed = done == null ? 0 : close(done);
            boolean may = !asking && !retired && next == null && !leases.isClosed() && size.rest(now) <= 0;
            hitsAhead = may ? size.next(spent(), Math.max(1, unit), now) : 0;
            if (hitsAhead > 0) {
                asking = true;
            }
        }
        if (done != null && done.isExpired(now)) {
            expired(done, owed, now);
        } else if (done != null) {
            giveBack(done, owed, now);
        }
        return hitsAhead;
    }

    /**
     * Takes in what the store answered to {@code check}, asked at {@code asked}: its own hits, of which {@code taken} count, and the
     * lease that came with it. Whatever it says of what remains is for the store alone.
     */
    public void answered(Check check, long taken, long asked) {
        long now = leases.now();
        Lease over = null;
        long granted = 0;
        synchronized (this) {
            if (check.ahead > 0) {
                asking = false;
            }
            if (check.failure == null) {
                granted = check.granted;
                spentBefore += taken;
                view.learn(taken + granted, check.outcome, asked);
                size.learn(check.outcome, Math.max(1, unit), asked);
                if (granted > 0) {
                    over = accept(Lease.of(limit, granted, check.outcome, asked, now, size.ttl()), now);
                }
            }
        }
        if (granted > 0) {
            leases.stats().taken.increment();
            leases.stats().hits.add(granted);
        }
        if (over != null) {
            giveBack(over, over.close(), now);
        }
    }

    /** Puts the lease in use; which one is not, any more or at all. */
    private @Nullable Lease accept(Lease lease, long now) {
        if (retired || lease.isExpired(now)) {
            return lease;
        }
        Lease before = current;
        if (before.left() > 0) {
            next = lease;
            return null;
        }
        spentBefore += before.hits();
        current = lease;
        return before;
    }

    /** Gives back what has expired by {@code now}; whether nothing was spent for so long that the counter may go. */
    boolean sweep(long now) {
        Lease first = null;
        Lease second = null;
        long firstOwed = 0;
        long secondOwed = 0;
        boolean idle;
        synchronized (this) {
            if (current.isExpired(now) && current != Lease.NONE) {
                first = current;
                firstOwed = close(first);
                current = Lease.NONE;
            }
            if (next != null && next.isExpired(now)) {
                second = next;
                secondOwed = close(second);
                next = null;
            }
            long spent = spent();
            if (spent != spentSwept) {
                spentSwept = spent;
                sweptAt = now;
            }
            idle = !asking && now - sweptAt >= IDLE && current == Lease.NONE && next == null;
            retired |= idle;
        }
        if (first != null) {
            expired(first, firstOwed, now);
        }
        if (second != null) {
            expired(second, secondOwed, now);
        }
        return idle;
    }

    /** Ends it: leases are given back, and so is one that is still under way when it comes. */
    void retire(long now) {
        Lease first;
        Lease second;
        long firstOwed;
        long secondOwed;
        synchronized (this) {
            retired = true;
            first = current;
            second = next;
            firstOwed = close(first);
            secondOwed = second == null ? 0 : close(second);
            current = Lease.NONE;
            next = null;
        }
        giveBack(first, firstOwed, now);
        if (second != null) {
            giveBack(second, secondOwed, now);
        }
    }

    /** Ends it, and nothing goes back: neither what is held nor what is still under way. */
    void drop(long now) {
        dropped = true;
        retire(now);
    }

    /** If the current lease is of no use any more, the next one takes its place, and this is the one to give back. */
    private @Nullable Lease rotate(long now) {
        Lease first = current;
        boolean useless = first.left() == 0 || first.isExpired(now) || (next != null && first.left() < unit);
        if (!useless || (first == Lease.NONE && next == null)) {
            return null;
        }
        current = next == null ? Lease.NONE : next;
        next = null;
        return first;
    }

    /** What was left of it; the rest is spent. */
    private long close(Lease lease) {
        long left = lease.close();
        spentBefore += lease.hits() - left;
        return left;
    }

    private long spent() {
        Lease first = current;
        Lease second = next;
        long open = first.hits() - first.left();
        return spentBefore + open + (second == null ? 0 : second.hits() - second.left());
    }

    /** Hits that are held. */
    long left() {
        Lease second = next;
        return current.left() + (second == null ? 0 : second.left());
    }

    private void expired(Lease lease, long owed, long now) {
        if (owed > 0) {
            leases.stats().expired.increment();
            giveBack(lease, owed, now);
        }
    }

    private void giveBack(Lease lease, long hits, long now) {
        if (hits > 0 && dropped) {
            leases.stats().stranded.add(hits);
        } else if (hits > 0 && leases.giveBack(fetch.check(), lease, hits, now)) {
            synchronized (this) {
                view.returned(hits);
            }
        }
    }
}
