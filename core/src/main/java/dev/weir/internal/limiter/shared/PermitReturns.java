package dev.weir.internal.limiter.shared;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.TimeSource;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.algorithm.PermitSet;
import dev.weir.internal.lease.LeasedPermits;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.model.HeldPermit;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.LocalStore;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Releases and renews permits in the stores that count them. It needs nothing but the permits: the rules may have changed
 * since, and another process may have taken them.
 */
public final class PermitReturns {
    /** How long a store may take. It can be long, because no decision waits for it. */
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LocalStore local;
    private final SharedStores stores;
    private final TimeSource time;
    private final @Nullable LeasedPermits leased;

    /** Creates it for {@code leased}, the permits that this process counts by itself; null if it has no shared store. */
    public PermitReturns(LocalStore local, SharedStores stores, TimeSource time, @Nullable LeasedPermits leased) {
        this.leased = leased;
        this.local = local;
        this.stores = stores;
        this.time = time;
    }

    /** Releases {@code permits}; it is {@link PermitAnswer#DONE} if any of them was in flight. */
    public CompletionStage<PermitAnswer> release(List<HeldPermit> permits) {
        return each(permits, false, PermitReturns::anyDone);
    }

    /** Renews {@code permits}; it is {@link PermitAnswer#GONE} if any of them was not in flight any more. */
    public CompletionStage<PermitAnswer> renew(List<HeldPermit> permits) {
        return each(permits, true, PermitReturns::allDone);
    }

    private CompletionStage<PermitAnswer> each(List<HeldPermit> permits, boolean renews, Merge merge) {
        CompletionStage<PermitAnswer> all = null;
        for (HeldPermit each : permits) {
            CompletionStage<PermitAnswer> one = one(each, renews);
            all = all == null ? one : all.thenCombine(one, merge::of);
        }
        return all == null ? CompletableFuture.completedFuture(PermitAnswer.DONE) : all;
    }

    /** Merges two answers. */
    private interface Merge {
        PermitAnswer of(PermitAnswer one, PermitAnswer other);
    }

    private static PermitAnswer anyDone(PermitAnswer one, PermitAnswer other) {
        if (one == PermitAnswer.UNANSWERED || other == PermitAnswer.UNANSWERED) {
            return PermitAnswer.UNANSWERED;
        }
        return one == PermitAnswer.DONE ? one : other;
    }

    private static PermitAnswer allDone(PermitAnswer one, PermitAnswer other) {
        if (one == PermitAnswer.GONE || other == PermitAnswer.GONE) {
            return PermitAnswer.GONE;
        }
        return one == PermitAnswer.UNANSWERED ? one : other;
    }

    private CompletionStage<PermitAnswer> one(HeldPermit permit, boolean renews) {
        if (permit.node() != 0) {
            return leased(permit, renews);
        }
        if (permit.store() == Check.LOCAL) {
            Checks checks = new Checks();
            fill(checks.add(), permit, renews);
            local.decide(checks, time.micros());
            return CompletableFuture.completedFuture(answer(checks.get(0)));
        }
        Return ask = new Return();
        fill(ask.checks.add(), permit, renews);
        ask.deadlineNanos = time.nanos() + MOST_NANOS;
        ask.patienceNanos = MOST_NANOS;
        ask.givesBack = !renews;
        stores.at(permit.store()).decide(ask);
        return ask.answer;
    }

    private CompletionStage<PermitAnswer> leased(HeldPermit permit, boolean renews) {
        LeasedPermits here = leased;
        if (here == null) {
            return CompletableFuture.completedFuture(PermitAnswer.UNANSWERED);
        }
        if (!renews) {
            return CompletableFuture.completedFuture(here.release(permit) ? PermitAnswer.DONE : PermitAnswer.GONE);
        }
        CompletableFuture<PermitAnswer> answer = new CompletableFuture<>();
        here.whenRenewable(permit, () -> answer.complete(renewed(here, permit)));
        return answer;
    }

    private static PermitAnswer renewed(LeasedPermits here, HeldPermit permit) {
        if (!here.canRenew(permit)) {
            return PermitAnswer.UNANSWERED;
        }
        return here.renew(permit) ? PermitAnswer.DONE : PermitAnswer.GONE;
    }

    /** Nothing but its number of permits and their time to live matters of the limit that they were taken from. */
    private static void fill(Check check, HeldPermit permit, boolean renews) {
        Limit limit = new Limit(Algorithm.CONCURRENCY, permit.count(), permit.ttlMicros(), permit.count(), 1);
        PermitSet permits = (PermitSet) Meters.of(limit);
        check.key0 = permit.key0();
        check.key1 = permit.key1();
        check.meter = renews
                ? permits.renewing(permit.firstId(), permit.count())
                : permits.holding(permit.firstId(), permit.count());
        check.hits = renews ? permit.count() : -permit.count();
        check.countsDenied = false;
        check.role = Check.Role.SHADOW;
        check.name.clear();
        check.name.append(permit.name().getBytes(StandardCharsets.US_ASCII));
        check.name.subject(permit.subject());
        check.store = permit.store();
        check.failure = null;
    }

    private static PermitAnswer answer(Check check) {
        if (check.failure != null) {
            return PermitAnswer.UNANSWERED;
        }
        return check.outcome.allowed ? PermitAnswer.DONE : PermitAnswer.GONE;
    }

    /** Carries one permit to its store. */
    private static final class Return extends Ask {
        final CompletableFuture<PermitAnswer> answer = new CompletableFuture<>();

        @Override
        public void answered() {
            answer.complete(PermitReturns.answer(checks.get(0)));
        }
    }
}
