package dev.weir.internal.limiter;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.check.HoldChecks;
import dev.weir.internal.model.Hold;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Idempotency;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Reserves hits for calls whose cost is not known yet, and settles them once it is. A hold is settled once: a shared
 * store remembers its id in the step that settles it, and this process knows the open holds of its own counters.
 */
public final class Holds {
    public static final Duration DEFAULT_TTL = Duration.ofSeconds(60);
    public static final Duration LONGEST_TTL = Duration.ofMinutes(10);

    /** The most open holds on the counters of this process alone. */
    private static final int MOST_OPEN = 100_000;

    /** How long a store remembers a settled hold after its expiry, for servers whose clocks differ. */
    private static final long MARGIN_MICROS = 60_000_000;

    /** A random id: two longs from a cryptographic generator, so that no caller can guess another's. */
    private record Id(long id0, long id1) {}

    private final Limiter limiter;
    private final TimeSource time;
    private final SecureRandom random = new SecureRandom();
    /** Tells the counters of this limiter's memory from those of another process. */
    private final long process = random.nextLong();
    /** The open holds on counters of this process alone, and when each expires. */
    private final Map<Id, Long> open = new ConcurrentHashMap<>();

    Holds(Limiter limiter, TimeSource time) {
        this.limiter = limiter;
        this.time = time;
    }

    /** A decision, and the hold if it was allowed. */
    public record Reserved(
            MutableDecision decision, @Nullable Hold hold) {}

    /** The result of a settlement. */
    public enum Settled {
        /** The difference was charged or given back. */
        DONE,
        /** It was settled before. Nothing was charged now. */
        BEFORE,
        /** It has expired: what was reserved stays charged. */
        EXPIRED,
        /** Its counters are in the memory of another process. */
        ELSEWHERE,
        /** A store did not answer, so it may not be settled; settling again charges once. */
        UNANSWERED
    }

    /** There are too many open holds on the counters of this process. */
    public static final class TooManyHoldsException extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooManyHoldsException() {
            super("open holds: " + MOST_OPEN + " (expected: fewer; settle them, or let them expire)");
        }
    }

    /**
     * Decides {@code request} as a check does, and takes from each limit what the request asks for, at most what the
     * limit can hold. The stage completes as {@link Limiter#decideAsync} does.
     *
     * @throws TooManyHoldsException if too many are open
     */
    public CompletionStage<Reserved> reserve(Request request, Duration ttl) {
        long now = time.wallMicros();
        if (open.size() >= MOST_OPEN) {
            open.values().removeIf(expiry -> expiry <= now);
            if (open.size() >= MOST_OPEN) {
                throw new TooManyHoldsException();
            }
        }
        Request kept = Request.to("").set(request).withoutPermits();
        HoldChecks checks = HoldChecks.reserving(now);
        return limiter.decideAsync(kept, null, checks).thenApply(decision -> {
            if (!decision.allowed()) {
                return new Reserved(decision, null);
            }
            long expiry = now + ttl.toNanos() / 1_000;
            Id id = new Id(random.nextLong(), random.nextLong());
            // A hold that took nothing can be settled anywhere, if there is a store that remembers it.
            boolean local = checks.isLocal()
                    && (limiter.stores().isEmpty() || !checks.held().isEmpty());
            if (local) {
                open.put(id, expiry);
            }
            Hold hold = new Hold(id.id0(), id.id1(), process, local, expiry, kept, checks.held());
            return new Reserved(decision, hold);
        });
    }

    /**
     * Settles {@code hold} for the hits of {@code costs}, by unit; a unit that it does not name costs 0, and requests 1.
     * Its domain and descriptors do not matter.
     */
    public CompletionStage<Settled> settle(Hold hold, Request costs) {
        long now = time.wallMicros();
        boolean sameProcess = hold.process() == process;
        if (now >= hold.expiryMicros()) {
            return done(Settled.EXPIRED);
        }
        if (hold.local() && !sameProcess) {
            return done(Settled.ELSEWHERE);
        }
        if (hold.local() && open.remove(new Id(hold.id0(), hold.id1())) == null) {
            return done(Settled.BEFORE);
        }
        Request request = Request.to("").set(hold.request()).withoutPermits().setHits(costs);
        for (Rule each : limiter.index().rules()) {
            boolean other = !each.unit().equals(Rule.REQUESTS) && each.domain().equals(request.domain());
            if (other && !request.names(each.unit())) {
                request.hits(each.unit(), 0); // so that what was reserved of it goes back
            }
        }
        HoldChecks checks = HoldChecks.settling(hold, sameProcess, now);
        return limiter.decideAsync(request, hold.local() ? null : once(hold, now), checks)
                .thenApply(decision -> decision.repeated() || decision.conflict()
                        ? Settled.BEFORE
                        : checks.hasFailed() ? Settled.UNANSWERED : Settled.DONE);
    }

    private static CompletionStage<Settled> done(Settled settled) {
        return CompletableFuture.completedFuture(settled);
    }

    /** The key under which a store remembers that the hold is settled: each hold is a caller of its own. */
    private static Idempotency once(Hold hold, long now) {
        byte[] id = ByteBuffer.allocate(Idempotency.HASH)
                .putLong(hold.id0())
                .putLong(hold.id1())
                .array();
        return new Idempotency(id, id, id, hold.expiryMicros() - now + MARGIN_MICROS, 1);
    }
}
