package dev.weir.remote.internal;

import dev.weir.Decision;
import dev.weir.Hold;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The hits that one request took as an estimate. The protocol knows no holds, so settling charges the difference: what is
 * missing in full, and what was not used is given back. Hits of a fixed window that has ended are not given back, because
 * they would go to the next one.
 */
final class CorrectedHold implements Hold {
    private enum State {
        HELD,
        SETTLED,
        RELEASED
    }

    private final RemoteLimiter limiter;
    private final MutableDecision decision;
    private final Request request;
    private final long decidedNanos;
    private final long ttlNanos;
    private final Instant expiry;
    private final AtomicReference<State> state;

    CorrectedHold(RemoteLimiter limiter, MutableDecision decision, Request request, long ttlNanos) {
        this.limiter = limiter;
        this.decision = decision;
        this.request = request;
        this.decidedNanos = System.nanoTime();
        this.ttlNanos = ttlNanos;
        this.expiry = Instant.EPOCH.plusNanos(decision.nowMicros() * 1_000).plusNanos(ttlNanos);
        // What on_fail decided took nothing that is known.
        this.state = new AtomicReference<>(decision.allowed() && !decision.degraded() ? State.HELD : State.RELEASED);
    }

    @Override
    public Decision decision() {
        return decision;
    }

    @Override
    public boolean isHeld() {
        return state.get() == State.HELD;
    }

    @Override
    public @Nullable Instant expiresAt() {
        return decision.allowed() && !decision.degraded() ? expiry : null;
    }

    @Override
    public CompletionStage<Settlement> settle(Map<String, Long> used) {
        used.forEach((unit, hits) -> {
            if (hits < 0) {
                throw new IllegalArgumentException(unit + ": " + hits + " (expected: >= 0)");
            }
        });
        if (!state.compareAndSet(State.HELD, State.SETTLED)) {
            return CompletableFuture.completedFuture(Settlement.BEFORE);
        }
        return correct(used, 1);
    }

    @Override
    public void close() {
        if (state.compareAndSet(State.HELD, State.RELEASED)) {
            var unused = correct(Map.of(), 0);
        }
    }

    private CompletionStage<Settlement> correct(Map<String, Long> used, long requests) {
        long elapsed = System.nanoTime() - decidedNanos;
        if (elapsed > ttlNanos) {
            return CompletableFuture.completedFuture(Settlement.EXPIRED);
        }
        Request correction = Request.to(request.domain()).withoutPermits();
        if (request.isAttributes()) {
            correction.asAttributes();
        }
        Set<String> units = new TreeSet<>(request.units());
        units.addAll(used.keySet());
        units.add(Rule.REQUESTS);
        if (units.size() == 1) {
            correction.chargeInFull(); // also by rules that know no units
        }
        for (String unit : units) {
            long usual = unit.equals(Rule.REQUESTS) ? requests : 0;
            for (int i = 0; i < request.descriptors(); i++) {
                long reserved = unit.equals(Rule.REQUESTS) ? request.hitsOf(i) : request.hitsOf(unit);
                long difference = used.getOrDefault(unit, usual) - reserved;
                if (difference > 0 || (difference < 0 && counts(unit, i, elapsed))) {
                    add(correction, i, unit, difference);
                }
            }
        }
        return correction.descriptors() == 0
                ? CompletableFuture.completedFuture(Settlement.DONE)
                : limiter.correct(correction).thenApply(done -> done ? Settlement.DONE : Settlement.UNANSWERED);
    }

    /** Whether every counter of {@code unit} still is the one that the hits were taken from. */
    private boolean counts(String unit, int descriptor, long elapsedNanos) {
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            Limit limit = verdict.limit();
            Rule rule = verdict.rule();
            boolean window = limit != null
                    && !limit.algorithm().isBucket()
                    && !limit.algorithm().slides();
            if (window
                    && verdict.descriptor() == descriptor
                    && rule != null
                    && rule.unit().equals(unit)
                    && elapsedNanos >= TimeUnit.MICROSECONDS.toNanos(verdict.resetMicros())) {
                return false;
            }
        }
        return true;
    }

    private void add(Request correction, int descriptor, String unit, long difference) {
        correction.descriptor();
        for (int entry = request.start(descriptor); entry < request.end(descriptor); entry++) {
            correction.with(request.key(entry), request.value(entry));
        }
        correction.with(Attributes.UNIT, unit);
        if (difference > 0) {
            correction.with(Attributes.REPORT, "true");
        }
        correction.descriptorHits(difference);
    }

    /** Formats the hold for logs. */
    @Override
    public String toString() {
        return state.get() + " until " + expiresAt() + ": " + decision;
    }
}
