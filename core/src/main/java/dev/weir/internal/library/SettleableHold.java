package dev.weir.internal.library;

import dev.weir.Decision;
import dev.weir.Hold;
import dev.weir.Hold.Settlement;
import dev.weir.Request;
import dev.weir.internal.limiter.Holds;
import dev.weir.internal.model.HeldRequest;
import dev.weir.internal.model.Rule;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The hits that one request reserved, which its caller settles or releases. */
final class SettleableHold implements Hold {
    private enum State {
        HELD,
        SETTLED,
        RELEASED
    }

    private final Holds holds;
    private final Decision decision;
    private final @Nullable HeldRequest held;
    private final AtomicReference<State> state;

    SettleableHold(Holds holds, Holds.Reserved reserved) {
        this.holds = holds;
        this.decision = reserved.decision();
        this.held = reserved.hold();
        this.state = new AtomicReference<>(held == null ? State.RELEASED : State.HELD);
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
        return held == null ? null : Instant.ofEpochMilli(held.expiryMicros() / 1_000);
    }

    @Override
    public CompletionStage<Settlement> settle(Map<String, Long> used) {
        Request costs = Request.to("");
        used.forEach((unit, hits) -> {
            if (hits < 0) {
                throw new IllegalArgumentException(unit + ": " + hits + " (expected: >= 0)");
            }
            costs.hits(unit, hits);
        });
        boolean released = state.updateAndGet(was -> was == State.HELD ? State.SETTLED : was) == State.RELEASED;
        return held == null || released
                ? CompletableFuture.completedFuture(Settlement.BEFORE)
                : holds.settle(held, costs);
    }

    @Override
    public void close() {
        if (held != null && state.compareAndSet(State.HELD, State.RELEASED)) {
            var unused = holds.settle(held, Request.to("").hits(Rule.REQUESTS, 0));
        }
    }

    /** Formats the hold for logs. */
    @Override
    public String toString() {
        return state.get() + " until " + expiresAt() + ": " + decision;
    }
}
