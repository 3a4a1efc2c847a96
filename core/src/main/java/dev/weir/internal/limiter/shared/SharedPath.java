package dev.weir.internal.limiter.shared;

import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.CapacityChecks;
import dev.weir.internal.limiter.check.CheckWriter;
import dev.weir.internal.limiter.check.HoldChecks;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.MeteredRules;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.limiter.check.VerdictWriter;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.limiter.idempotency.IdempotencyGuard;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.place.CheckStates;
import dev.weir.internal.place.MultiPlaceDecision;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.DeadlineExtension;
import dev.weir.internal.store.Idempotency;
import dev.weir.internal.store.LocalStore;
import dev.weir.internal.store.RequestCost;
import dev.weir.internal.store.RequestTooCostlyException;
import dev.weir.internal.store.SharedStore;
import dev.weir.internal.tier.LocalTier;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The way of a request whose counters other processes count in too: what is known to be denied is denied at once; what was paid
 * for before passes at once; the rest asks its place, or {@linkplain MultiPlaceDecision several}; and what a store does not answer, the rule's failure policy does.
 */
public final class SharedPath {
    /** Results of {@link #route} other than the index of the only store. */
    private static final int HERE = Check.LOCAL;

    private static final int SEVERAL = -2;

    private final LocalStore local;
    private final SharedStores stores;
    private final TimeSource time;
    private final LimiterSettings settings;
    private final LimiterObserver observer;
    private final CheckWriter checkWriter;
    private final VerdictWriter verdictWriter;
    private final LocalTier tier;
    private final IdempotencyGuard keys;
    private final DecisionCompletion settlement;

    public SharedPath(
            LocalStore local,
            SharedStores stores,
            TimeSource time,
            LimiterSettings settings,
            LimiterObserver observer,
            CheckWriter checkWriter,
            VerdictWriter verdictWriter) {
        this.local = local;
        this.stores = stores;
        this.time = time;
        this.settings = settings;
        this.observer = observer;
        this.checkWriter = checkWriter;
        this.verdictWriter = verdictWriter;
        this.tier = new LocalTier(
                local, stores::at, time, settings.deadlineMicros(), settings.tierCounters(), settings.cacheDenials());
        this.keys = new IdempotencyGuard(settings, observer);
        this.settlement = new DecisionCompletion(time, settings, observer, tier, keys, checkWriter, verdictWriter);
    }

    public LocalTier tier() {
        return tier;
    }

    SharedStores stores() {
        return stores;
    }

    LocalStore local() {
        return local;
    }

    TimeSource time() {
        return time;
    }

    DecisionCompletion settlement() {
        return settlement;
    }

    LimiterSettings settings() {
        return settings;
    }

    /** The only place that was asked has answered. */
    void answered(InFlightDecision pending) {
        settlement.settle(pending, pending, null, pending.sentNanos);
        settlement.finish(pending);
    }

    /**
     * As {@link Limiter#decide(Request, long, MutableDecision, WaiterSupplier, Idempotency)}; unless {@code isLast}, the
     * observer is not told of a denial.
     */
    public boolean decide(
            MeteredRules rules,
            Request request,
            long now,
            MutableDecision into,
            WaiterSupplier later,
            @Nullable Idempotency idempotency,
            boolean isLast,
            @Nullable HoldChecks hold) {
        InFlightDecision pending = InFlightDecisionPool.ofThread().request();
        pending.begin(this, rules, now);
        pending.idempotency = idempotency;
        pending.isLast = isLast;
        pending.hold = hold;
        pending.settles = hold != null && !hold.isReserving();
        writeChecks(pending, request);
        pending.places.begin();
        boolean apart = pending.matches.apart;
        int over = -1;
        if (rules.anyReported() && hold == null) {
            pending.reported.find(pending, tier.reports(), now);
            over = apart ? -1 : pending.reported.denied(pending, now);
        }
        int route = route(pending.checks);
        if (over >= 0) {
            if (route == HERE || !looksUpKey(pending, now)) {
                allowBut(pending.checks, over);
                return decideDenied(pending, request, now, into);
            }
            pending.states.settled(over);
        }
        boolean anyKnown = apart && settleReported(pending, now);
        if (route == HERE && !anyKnown) {
            Checks checks = pending.checks;
            boolean allowed = checks.size() == 0 ? checks.allowed() : local.decide(checks, now);
            pending.reported.decided(pending, allowed, now);
            if (hold != null) {
                hold.decided(pending.matches, checks);
            }
            into.begin(now);
            verdictWriter.write(request, pending.matches, checks, into);
            return decided(pending, request, into, allowed);
        }
        boolean leased = idempotency == null && hold == null && rules.anyLeased();
        boolean held = false;
        if (leased) {
            pending.askedNanos = time.nanos();
            held = pending.leased.find(pending, tier.leases(), pending.askedNanos);
            pending.askedWall = held ? time.wallMicros() : 0;
        }
        boolean permits = rules.anyLeasedPermits() && pending.permits.find(pending, tier.permits());
        if (permits) {
            pending.askedNanos = time.nanos();
            pending.askedWall = time.wallMicros();
            anyKnown |= refuseUncounted(pending);
        }
        if (apart) {
            anyKnown |= settleKnown(pending, now);
            probeHere(pending, route);
        } else if (isDenied(pending, route, now)) {
            return decideDenied(pending, request, now, into);
        }
        boolean denied = (held || permits) && pending.states.denied();
        boolean spends = held && !denied;
        boolean paid = held && pending.leased.take(pending, pending.askedNanos, denied);
        if (permits && !denied) {
            paid |= pending.permits.take(pending, idempotency == null && hold == null);
        }
        if (paid || anyKnown) {
            if (isPaidFor(pending)) {
                return decideWithoutStores(pending, request, now, into, paid);
            }
            route = SEVERAL;
        }
        if (permits) {
            pending.permits.ask(pending);
        }
        Waiter waiter = waiter(pending, later);
        pending.waiter(waiter, request);
        if (spends) {
            pending.leased.askAhead(pending, pending.askedNanos);
        }
        if (idempotency != null && hold == null) { // the number of holds is bounded by what they charge
            pending.keyTaken = keys.asked(pending, idempotency, now);
        }
        long deadline = checkWriter.deadlineMicros(pending.matches, pending.checks);
        long patience = Math.min(deadline, waiter.patienceMicros());
        pending.sentNanos = time.nanos();
        pending.deadlineNanos = pending.sentNanos + patience * 1_000;
        pending.patienceNanos = patience * 1_000;
        pending.graceNanos = DeadlineExtension.allowance(
                pending.patienceNanos, TimeUnit.MICROSECONDS.toNanos(waiter.patienceMicros()));
        if (route == SEVERAL) {
            pending.places.start(pending, false);
        } else {
            stores.at(route).decide(pending);
        }
        return false;
    }

    /** Matches the request and writes its checks; refuses it if they cost too much. */
    private void writeChecks(InFlightDecision pending, Request request) {
        try {
            pending.rules().index().match(request, pending.matches);
            if (pending.rules().anyCapacity() && !pending.settles) {
                CapacityChecks.shed(pending.rules(), request, pending.matches);
            }
            checkWriter.write(pending.rules(), request, pending.matches, pending.checks, pending.hold);
            if (pending.rules().anyRegional()) {
                pending.regional.narrow(pending.rules(), pending.matches, pending.checks, tier.regions());
            }
            if (pending.checks.cost > RequestCost.MAX_PART) {
                requireOneStep(pending);
            }
        } catch (RuntimeException e) {
            InFlightDecisionPool.ofThread().release(pending);
            throw e;
        }
    }

    /**
     * Requires that a shared store can take, in one step, the checks that are taken all or none. The others, which count
     * denied hits, are split over several calls.
     */
    private static void requireOneStep(InFlightDecision pending) {
        long cost = pending.idempotency == null ? 0 : RequestCost.OF_IDEMPOTENCY_KEY;
        for (int i = 0; i < pending.checks.size(); i++) {
            Check check = pending.checks.get(i);
            cost += check.store == Check.LOCAL || CheckStates.counts(check) ? 0 : RequestCost.of(check);
        }
        if (cost > RequestCost.MAX_STEP) {
            throw RequestTooCostlyException.aboveStep(cost);
        }
    }

    /** Gets the waiter; if that fails, first puts leased hits back. */
    private static Waiter waiter(InFlightDecision pending, WaiterSupplier later) {
        try {
            return later.waiter();
        } catch (RuntimeException | Error e) {
            pending.leased.putBack(pending, pending.askedNanos, true);
            pending.permits.putBack(pending.askedNanos);
            InFlightDecisionPool.ofThread().release(pending);
            throw e;
        }
    }

    private boolean decideDenied(InFlightDecision pending, Request request, long now, MutableDecision into) {
        into.begin(now);
        verdictWriter.writeDenials(request, pending.matches, pending.checks, into);
        return decided(pending, request, into, false);
    }

    /** Has {@code on_fail} decide checks of permits that this process has no memory to count; returns whether any. */
    private boolean refuseUncounted(InFlightDecision pending) {
        boolean any = false;
        for (int i = 0; i < pending.checks.size(); i++) {
            if (pending.permits.isUncounted(i, pending.checks.get(i))) {
                settlement.fail(pending, i, StoreFailure.OVERLOADED);
                any = true;
            }
        }
        return any;
    }

    /** Whether no store has to be asked any more. */
    private static boolean isPaidFor(InFlightDecision pending) {
        Checks checks = pending.checks;
        for (int i = 0; i < checks.size(); i++) {
            if (checks.get(i).store != Check.LOCAL && pending.states.isOpen(i)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Decides a request whose shared checks are all paid by leases or known to be denied; the checks in this process's
     * memory decide the rest.
     */
    private boolean decideWithoutStores(
            InFlightDecision pending, Request request, long now, MutableDecision into, boolean paid) {
        pending.places.takeHere();
        boolean allowed = pending.checks.allowed();
        pending.reported.decided(pending, allowed, now);
        if (!allowed) {
            pending.leased.putBack(pending, pending.askedNanos, false);
            pending.permits.putBack(pending.askedNanos);
        }
        into.begin(now);
        verdictWriter.write(request, pending.matches, pending.checks, into);
        pending.leased.refill(pending.askedNanos);
        pending.permits.refill(tier.permits(), pending.askedNanos);
        if (paid) {
            tier.leases().stats().decided();
        }
        return decided(pending, request, into, allowed);
    }

    private boolean decided(InFlightDecision pending, Request request, MutableDecision into, boolean allowed) {
        VerdictWriter.end(pending.matches, pending.checks, into, allowed, settings.shadow());
        boolean told = !pending.settles && (pending.isLast || into.allowed());
        if (told && pending.rules().anyCapacity()) {
            CapacityChecks.decided(pending.rules(), pending.matches, pending.checks, into, pending.askedMicros);
        }
        InFlightDecisionPool.ofThread().release(pending);
        if (told) {
            observer.decided(request, into);
        }
        return true;
    }

    /**
     * The store that has all the checks in one slot, if one call can take them; else whether there are several places, or
     * none but this process.
     */
    private int route(Checks checks) {
        boolean anyLocal = false;
        Check first = null;
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            if (check.store == Check.LOCAL) {
                anyLocal = true;
            } else if (first == null) {
                first = check;
            } else if (check.store != first.store || isInAnotherSlot(check, first)) {
                return SEVERAL;
            }
        }
        if (first == null) {
            return HERE;
        }
        return anyLocal || checks.cost > RequestCost.MAX_PART ? SEVERAL : first.store;
    }

    /** Whether {@code check} lives in another slot than {@code other}, which is of the same store. */
    private boolean isInAnotherSlot(Check check, Check other) {
        SharedStore store = stores.at(check.store);
        return check.name.subject() != other.name.subject() && store.slot(check) != store.slot(other);
    }

    /**
     * Whether the request is denied whatever the stores say: a denial is cached, or a local counter denies. Then no
     * store is asked, and the checks that did not deny have no verdict. Not for requests whose descriptors are charged
     * and reported apart: see {@link #settleKnown}.
     *
     * <p>A repeat of an admitted request must be recognised even if the limit is used up by now, and another process may
     * have admitted it since this one denied it. So with an idempotency key the store is asked, unless it was asked for
     * too many keys of this caller.
     */
    private boolean isDenied(InFlightDecision pending, int route, long now) {
        Checks checks = pending.checks;
        boolean hasKey = pending.idempotency != null;
        boolean countsDenied = false;
        boolean anyDue = false;
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            if (check.store != Check.LOCAL) {
                countsDenied |= check.countsDenied;
                check.outcome.allowed = true;
                // Re-validation happens once a second; do not spend it if another check already denies. So due checks
                // are looked at only if no other denies.
                boolean due = checks.size() > 1 && isDue(check, now);
                anyDue |= due;
                if (!due && isKnown(pending, i, now)) {
                    return true;
                }
            }
        }
        for (int i = 0; anyDue && i < checks.size(); i++) {
            if (checks.get(i).store != Check.LOCAL && isDue(checks.get(i), now) && isKnown(pending, i, now)) {
                return true;
            }
        }
        probeHere(pending, route);
        boolean denied = !hasKey && !countsDenied && pending.states.denied();
        if (denied) {
            pending.reported.decided(pending, false, now);
        }
        return denied;
    }

    /** Lets the checks of this process deny before stores are asked, unless the request may be a repeat. */
    private static void probeHere(InFlightDecision pending, int route) {
        if (route == SEVERAL && pending.idempotency == null) {
            pending.places.probeHere();
        }
    }

    /**
     * Settles the checks of which a denial is known, each by itself: the others are still asked, charged and reported.
     * Returns whether there are any.
     */
    private boolean settleKnown(InFlightDecision pending, long now) {
        boolean any = false;
        for (int i = 0; i < pending.checks.size(); i++) {
            if (pending.checks.get(i).store != Check.LOCAL && knows(pending, i, now)) {
                pending.states.settled(i);
                any = true;
            }
        }
        return any;
    }

    /** Settles the checks that are denied because the nodes together have admitted too much, each by itself. */
    private static boolean settleReported(InFlightDecision pending, long now) {
        boolean any = false;
        for (int i = 0; i < pending.checks.size(); i++) {
            if (pending.reported.denies(pending, i, now)) {
                pending.states.settled(i);
                any = true;
            }
        }
        return any;
    }

    /** Whether a cached denial of {@code check}, if there is one, is due for re-validation. */
    private boolean isDue(Check check, long now) {
        return now - tier.deniedSince(check) >= LocalTier.BELIEVED_MICROS;
    }

    /** Whether the check at {@code index} is known to deny the request; then its outcome alone is a denial. */
    private boolean isKnown(InFlightDecision pending, int index, long now) {
        boolean known = knows(pending, index, now);
        if (known) {
            allowBut(pending.checks, index);
        }
        return known;
    }

    /** Whether the check at {@code index} is known to be denied; then its outcome is written. */
    private boolean knows(InFlightDecision pending, int index, long now) {
        Check check = pending.checks.get(index);
        return check.role == Check.Role.ENFORCE
                && check.hits > 0
                && !pending.leased.covers(index, check, pending)
                && (tier.denies(check, now)
                        || pending.leased.rests(index, check, pending.askedNanos)
                        || pending.permits.rests(index, check, pending))
                && !looksUpKey(pending, now);
    }

    /** Whether a store is asked for the key of a request that is known to be denied. Each request counts once. */
    private boolean looksUpKey(InFlightDecision pending, long now) {
        Idempotency idempotency = pending.idempotency;
        pending.looksUpKey |= idempotency != null && !pending.looksUpKey && keys.mayLookUp(idempotency, now);
        return pending.looksUpKey;
    }

    private static void allowBut(Checks checks, int index) {
        for (int i = 0; i < checks.size(); i++) {
            checks.get(i).outcome.allowed = i != index;
        }
    }
}
