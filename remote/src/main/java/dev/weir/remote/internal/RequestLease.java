package dev.weir.remote.internal;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.lease.SpendRate;
import dev.weir.internal.model.MutableDecision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Pays for equal requests from hits that were taken before. While one grant is spent, half of it, the next is asked for in
 * the background; nobody waits for it. A request that finds no hit is asked as any other.
 *
 * <pre>
 *   size = hits spent here in an interval, and no more than a sixteenth of the hits left
 * </pre>
 *
 * So a limit that is nearly used up is asked hit by hit until it denies. Thread-safe.
 */
final class RequestLease {
    /** The largest share of the hits left, as a divisor: other clients want some, too. */
    private static final long OF_REMAINING = 16;

    private static final long MOST_HITS = 10_000;
    /** A grant lives for so many intervals, because traffic is bursty; but never for longer than a second. */
    private static final long INTERVALS = 4;

    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** How long a give-back may take to arrive: a call that is later is cancelled. */
    private static final long RETURN_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** The server, as leases use it. */
    interface Grantor {
        /** Whether it is worth asking. */
        boolean serves();

        /** Asks for the hits of {@code request}; {@code late} receives an answer that comes after the deadline. */
        CompletableFuture<ResponseMessage.ServerAnswer> askAhead(Request request, Consumer<MutableDecision> late);

        /** Gives the negative hits of {@code request} back, if that arrives. */
        void giveBack(Request request);
    }

    private final Grantor server;
    private final TimeSource time;
    private final Request request;
    private final LongAdder demand = new LongAdder();
    private final SpendRate rate = new SpendRate();
    private final AtomicBoolean asking = new AtomicBoolean();
    private volatile @Nullable LeasedHits held;
    private volatile @Nullable LeasedHits next;
    /** Until when nothing is asked for: too little is left, or too little is wanted. */
    private volatile long restUntil;

    private volatile long intervalNanos;
    private volatile long remaining;
    private volatile boolean closed;
    private long counted;
    private long idleSince;

    /** @param request takes one hit; this keeps it */
    RequestLease(Grantor server, TimeSource time, Request request) {
        long now = time.nanos();
        this.server = server;
        this.time = time;
        this.request = request;
        restUntil = now;
        idleSince = now;
    }

    /** Records that the server may grant hits ahead, for intervals of {@code interval}, and has {@code left}. */
    void allowed(long interval, long left) {
        intervalNanos = interval;
        remaining = left;
    }

    /** Pays for a request at {@code now}; null if there is no hit for it. */
    @Nullable
    LeasedHits spend(long now) {
        demand.increment();
        LeasedHits from = held;
        boolean paid = from != null && from.spend(now);
        if (!paid && next != null) {
            from = promote(from);
            paid = from != null && from.spend(now);
        }
        if ((!paid || from == null || from.isLow()) && next == null && now - restUntil >= 0) {
            ask(now);
        }
        return paid ? from : null;
    }

    private synchronized @Nullable LeasedHits promote(@Nullable LeasedHits ended) {
        LeasedHits now = held;
        if (now == ended) {
            if (ended != null) {
                giveBack(ended);
            }
            held = next;
            next = null;
        }
        return held;
    }

    private void ask(long now) {
        if (!server.serves() || !asking.compareAndSet(false, true)) {
            return;
        }
        long size = size(now);
        if (size < 2) {
            restUntil = now + intervalNanos / 4;
            asking.set(false);
            return;
        }
        long wall = time.wallMicros();
        long ttl = Math.min(LONGEST_NANOS, INTERVALS * intervalNanos);
        Request ahead = Request.to(request.domain()).set(request).hits(size);
        Consumer<MutableDecision> unwanted = answer -> {
            if (isGrant(answer)) {
                giveBack(new LeasedHits(time, answer, size, now, wall, ttl));
            }
        };
        var unused = server.askAhead(ahead, unwanted).whenComplete((answer, failure) -> {
            if (answer != null && answer.leaseMicros() > 0 && isGrant(answer.decision())) {
                allowed(TimeUnit.MICROSECONDS.toNanos(answer.leaseMicros()), remaining(answer.decision()));
                granted(new LeasedHits(time, answer.decision(), size, now, wall, ttl));
            } else {
                restUntil = time.nanos() + 2 * intervalNanos;
                if (answer != null) {
                    unwanted.accept(answer.decision()); // the rules have changed, so that hits may not be taken ahead
                }
            }
            asking.set(false);
        });
    }

    private static boolean isGrant(MutableDecision answer) {
        return answer.allowed() && !answer.degraded();
    }

    private synchronized long size(long now) {
        long sum = demand.sum();
        rate.add(sum - counted, now);
        counted = sum;
        return Math.min(Math.min(rate.in(intervalNanos, intervalNanos), remaining / OF_REMAINING), MOST_HITS);
    }

    private synchronized void granted(LeasedHits hits) {
        if (closed) {
            giveBack(hits);
        } else if (held == null) {
            held = hits;
        } else {
            next = hits;
        }
    }

    /** The fewest hits that any limit has left. */
    static long remaining(MutableDecision decision) {
        long fewest = Long.MAX_VALUE;
        for (int i = 0; i < decision.size(); i++) {
            if (decision.verdict(i).limit() != null) {
                fewest = Math.min(fewest, decision.verdict(i).remaining());
            }
        }
        return fewest;
    }

    /** Gives back what is left; returns whether anything was sent. */
    private boolean giveBack(LeasedHits hits) {
        boolean returns = hits.canReturn(time.nanos(), RETURN_NANOS);
        long unspent = hits.drain();
        if (unspent == 0 || !returns) {
            return false;
        }
        server.giveBack(Request.to(request.domain()).set(request).hits(-unspent));
        return true;
    }

    /** Gives expired hits back; returns whether nobody has asked for a while, so that this may be forgotten. */
    synchronized boolean isIdle(long now, long after) {
        LeasedHits first = held;
        if (first != null && first.isOver(now)) {
            var unused = promote(first);
        }
        if (demand.sum() != counted || held != null || asking.get()) {
            rate.add(demand.sum() - counted, now);
            counted = demand.sum();
            idleSince = now;
        }
        return now - idleSince > after;
    }

    /** Gives all hits back, and also those that are granted from now on; returns whether anything was sent. */
    synchronized boolean close() {
        closed = true;
        LeasedHits first = held;
        LeasedHits second = next;
        held = null;
        next = null;
        boolean sent = first != null && giveBack(first);
        return (second != null && giveBack(second)) || sent;
    }
}
