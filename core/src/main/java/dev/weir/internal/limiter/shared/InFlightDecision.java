package dev.weir.internal.limiter.shared;

import dev.weir.Request;
import dev.weir.internal.limiter.check.HoldChecks;
import dev.weir.internal.limiter.check.MeteredRules;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.limiter.idempotency.IdempotencyGuard;
import dev.weir.internal.match.Matches;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.place.CheckStates;
import dev.weir.internal.place.MultiPlaceDecision;
import dev.weir.internal.store.Ask;
import org.jspecify.annotations.Nullable;

/**
 * A request on its way to shared stores and back, with the buffers of its decision. It is taken from a thread's pool
 * and returned on the thread that called its waiter. If one store has all checks, this object itself is the ask.
 */
final class InFlightDecision extends Ask {
    final Request request = Request.to("");
    final Matches matches = Matches.named();
    final MutableDecision decision = new MutableDecision();
    final MultiPlaceDecision places = new MultiPlaceDecision(new RequestPlaces(this));
    final CheckStates states = places.states();
    final LeasedChecks leased = new LeasedChecks();
    final LeasedPermitChecks permits = new LeasedPermitChecks();
    final ReportedChecks reported = new ReportedChecks();
    final RegionalChecks regional = new RegionalChecks();

    private @Nullable SharedPath path;
    private @Nullable MeteredRules rules;
    private @Nullable Waiter waiter;
    /** When the stores were asked, by the limiter's clock. */
    long askedMicros;
    /** The same by the monotonic clock, for leases. */
    long askedNanos;
    /** The same by the wall clock, microseconds, if a counter of the request is leased. */
    long askedWall;
    /** When it was sent, if a single place is asked. */
    long sentNanos;

    /** The amount that {@link IdempotencyGuard#asked} took for its key. */
    long keyTaken;

    /** Whether the stores are asked for its key although a denial is known. */
    boolean looksUpKey;

    /** Whether the observer is told of a denial; otherwise the request may be decided again. */
    boolean isLast;

    /** If set, the request reserves or settles a hold. */
    @Nullable
    HoldChecks hold;

    /** The exception or error thrown while completing, if any. */
    @Nullable
    Throwable fault;

    void begin(SharedPath path, MeteredRules rules, long nowMicros) {
        this.path = path;
        this.rules = rules;
        this.askedMicros = nowMicros;
        denied = false;
        lookOnly = false;
        repeated = false;
        conflict = false;
        storeMicros = 0;
        keyTaken = 0;
        looksUpKey = false;
        fault = null;
    }

    /** Sets the waiter for the decision on {@code request}. */
    void waiter(Waiter waiter, Request request) {
        this.waiter = waiter;
        this.home = waiter.home();
        this.request.set(request);
    }

    Waiter waiter() {
        return inUse(waiter);
    }

    SharedPath path() {
        return inUse(path);
    }

    MeteredRules rules() {
        return inUse(rules);
    }

    void throwFault() {
        if (fault instanceof Error error) {
            throw error;
        }
        if (fault instanceof RuntimeException exception) {
            throw exception;
        }
    }

    /** Releases references to objects of others. What its rules have no use for is not touched: it was never filled. */
    void end() {
        MeteredRules used = rules;
        if (used != null && used.anyLeased()) {
            leased.end();
        }
        if (used != null && used.anyLeasedPermits()) {
            permits.end();
        }
        if (used != null && used.anyReported()) {
            reported.end();
        }
        path = null;
        rules = null;
        idempotency = null;
        hold = null;
        places.end();
        if (waiter != null) {
            waiter = null;
            home = Runnable::run;
            request.clear("");
        }
        matches.end();
    }

    @Override
    public void answered() {
        path().answered(this);
    }

    private static <T> T inUse(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("answered twice");
        }
        return part;
    }
}
