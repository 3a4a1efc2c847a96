package dev.weir.internal.limiter;

import dev.weir.Hold;
import dev.weir.Hold.Settlement;
import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.check.HoldChecks;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.model.HeldHits;
import dev.weir.internal.model.HeldRequest;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Idempotency;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Reserves hits for calls whose cost is not known yet, and settles them once it is. A hold is settled once: a shared
 * store remembers its id in the step that settles it, and this process knows the open holds of its own counters.
 */
public final class Holds {
    public static final Duration DEFAULT_TTL = Hold.DEFAULT_TTL;
    public static final Duration SHORTEST_TTL = Duration.ofMillis(1);
    public static final Duration LONGEST_TTL = Duration.ofMinutes(10);

    /** How long a store remembers a settled hold after its expiry, for servers whose clocks differ. */
    private static final long MARGIN_MICROS = 60_000_000;

    /** How long before the end of its window a give-back must be sent, so that it surely arrives in it. */
    private static final long MOST_TRAVEL_MICROS = 200_000;

    private final Limiter limiter;
    private final TimeSource time;
    private final SecureRandom random = new SecureRandom();
    /** Tells the counters of this limiter's memory from those of another process. */
    private final long process = random.nextLong();

    private final OpenHolds open = new OpenHolds();

    Holds(Limiter limiter, TimeSource time) {
        this.limiter = limiter;
        this.time = time;
    }

    /**
     * A decision on a request, and the hold if it was allowed.
     *
     * @param partlyLocal whether some of its counters are in the memory of this process
     */
    public record Reserved(
            Request request,
            MutableDecision decision,
            @Nullable HeldRequest hold,
            boolean partlyLocal) {}

    /** There are too many open holds on the counters of this process. */
    public static final class TooManyHoldsException extends IllegalStateException {
        private static final long serialVersionUID = 1;

        /** {@code many} says how many, and whose. */
        TooManyHoldsException(String many) {
            super("open holds: " + many + " (expected: fewer; settle them, or let them expire)");
        }
    }

    /**
     * Decides {@code request} as a check does, and takes from each limit what the request asks for, at most what the
     * limit can hold. The stage completes as {@link Limiter#decideAsync} does.
     *
     * @throws IllegalArgumentException if the request gives hits back, or brings a limit of its own
     * @throws TooManyHoldsException if too many are open
     */
    public CompletionStage<Reserved> reserve(Request request, Duration ttl) {
        return reserve(request, ttl, "");
    }

    /** As above, for a peer that reserves for callers: no peer can take all holds. */
    public CompletionStage<Reserved> reserve(Request request, Duration ttl, String peer) {
        long now = time.wallMicros();
        OpenHolds.Owner owner = OpenHolds.Owner.of(request, peer);
        open.requireRoom(owner, now);
        return take(request, now, ttl).thenApply(reserved -> {
            HeldRequest hold = reserved.hold();
            if (hold != null && (hold.local() || reserved.partlyLocal())) {
                open.add(new OpenHolds.Id(hold.id0(), hold.id1()), hold.expiryMicros(), owner);
            }
            return reserved;
        });
    }

    /**
     * Reserves as above for a part of this process that settles each hold at most once itself, with {@link #settleOwned}.
     * It needs no room among the open holds, and no store remembers it.
     *
     * @throws IllegalArgumentException if the request gives hits back, or brings a limit of its own
     */
    public CompletionStage<Reserved> reserveOwned(Request request) {
        return take(request, time.wallMicros(), LONGEST_TTL);
    }

    private CompletionStage<Reserved> take(Request request, long now, Duration ttl) {
        requireReservable(request);
        Request kept = Request.to("").set(request).withoutPermits();
        HoldChecks checks = HoldChecks.reserving(now);
        return limiter.decideAsync(kept, null, checks).thenApply(decision -> {
            limiter.observer().reserved(decision.allowed());
            if (!decision.allowed()) {
                return new Reserved(kept, decision, null, false);
            }
            long expiry = now + ttl.toNanos() / 1_000;
            // A hold that took nothing can be settled anywhere, if there is a store that remembers it.
            boolean local = checks.isLocal()
                    && (limiter.stores().isEmpty() || !checks.held().isEmpty());
            HeldRequest hold =
                    new HeldRequest(random.nextLong(), random.nextLong(), process, local, expiry, kept, checks.held());
            return new Reserved(kept, decision, hold, checks.isPartlyLocal());
        });
    }

    private static void requireReservable(Request request) {
        for (int i = 0; i < request.descriptors(); i++) {
            if (request.override(i) != null) {
                throw new IllegalArgumentException("override: not for reserve (expected: a limit of a rule)");
            }
        }
        if (request.givesBack()) {
            throw new IllegalArgumentException("hits: negative (expected: >= 0; a hold is given back by settling it)");
        }
    }

    /** The number of open holds on counters of this process. Those that expired count until their room is needed. */
    public int open() {
        return open.size();
    }

    /**
     * Settles {@code hold} for the hits of {@code costs}, by unit; a unit that it does not name costs 0, and requests 1.
     * Its domain and descriptors do not matter.
     */
    public CompletionStage<Settlement> settle(HeldRequest hold, Request costs) {
        long now = time.wallMicros();
        boolean sameProcess = hold.process() == process;
        if (now >= hold.expiryMicros()) {
            return done(Settlement.EXPIRED);
        }
        if (hold.local() && !sameProcess) {
            return done(Settlement.ELSEWHERE);
        }
        boolean openHere = sameProcess && open.remove(new OpenHolds.Id(hold.id0(), hold.id1()));
        if (hold.local() && !openHere) {
            return done(Settlement.BEFORE);
        }
        return settle(hold, costs, openHere, hold.local() ? null : once(hold, now), now);
    }

    /** Settles a hold of {@link #reserveOwned} for the hits of {@code costs}; the caller does so once. */
    public CompletionStage<Settlement> settleOwned(HeldRequest hold, Request costs) {
        long now = time.wallMicros();
        return now >= hold.expiryMicros() ? done(Settlement.EXPIRED) : settle(hold, costs, true, null, now);
    }

    private CompletionStage<Settlement> settle(
            HeldRequest hold, Request costs, boolean here, @Nullable Idempotency once, long now) {
        boolean pretended = hold.held().isEmpty() && limiter.enforcedBan(hold.request()) == BanKind.SHADOW;
        Request charged = pretended ? Request.to("").hits(0) : costs; // a shadow banned caller is charged nothing
        Request request = Request.to("").set(hold.request()).withoutPermits().setHits(charged);
        for (Rule each : limiter.index().rules()) {
            boolean other = !each.unit().equals(Rule.REQUESTS) && each.domain().equals(request.domain());
            if (other && !request.names(each.unit())) {
                request.hits(each.unit(), 0); // so that what was reserved of it goes back
            }
        }
        HoldChecks checks = HoldChecks.settling(hold, here, now);
        return limiter.decideAsync(request, once, checks).thenApply(decision -> {
            Settlement result = decision.repeated() || decision.conflict()
                    ? Settlement.BEFORE
                    : checks.hasFailed() ? Settlement.UNANSWERED : Settlement.DONE;
            limiter.observer().settled(result, checks.isDebt());
            return result;
        });
    }

    /**
     * Gives back what {@code decision} took for {@code request}, because its caller has left. What a store did not answer,
     * and what may arrive in a later window, stays charged.
     */
    public void abandon(Request request, MutableDecision decision) {
        long now = time.wallMicros();
        Request back = Request.to("").set(request).withoutPermits();
        List<HeldHits> held = new ArrayList<>();
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            Rule rule = verdict.rule();
            if (rule != null) {
                boolean taken = verdict.allowed() && verdict.hits() > 0 && !verdict.degraded();
                long until = now + verdict.resetMicros() - MOST_TRAVEL_MICROS;
                long hits = taken ? verdict.hits() : HeldHits.UNKNOWN;
                held.add(new HeldHits(rule.id(), verdict.descriptor(), hits, 0, until));
                if (!rule.unit().equals(Rule.REQUESTS)) {
                    back.hits(rule.unit(), 0);
                }
            }
        }
        HeldRequest hold = new HeldRequest(0, 0, process, false, now, back, held);
        for (int i = 0; i < back.descriptors(); i++) {
            back.descriptorHits(i, 0);
        }
        var unused = limiter.decideAsync(back.hits(0), null, HoldChecks.settling(hold, true, now));
    }

    private CompletionStage<Settlement> done(Settlement settled) {
        limiter.observer().settled(settled, false);
        return CompletableFuture.completedFuture(settled);
    }

    /** The key under which a store remembers that the hold is settled: each hold is a caller of its own. */
    private static Idempotency once(HeldRequest hold, long now) {
        byte[] id = ByteBuffer.allocate(Idempotency.HASH)
                .putLong(hold.id0())
                .putLong(hold.id1())
                .array();
        return new Idempotency(id, id, id, hold.expiryMicros() - now + MARGIN_MICROS, 1);
    }
}
