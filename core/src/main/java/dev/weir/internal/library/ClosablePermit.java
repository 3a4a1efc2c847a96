package dev.weir.internal.library;

import dev.weir.Permit;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.shared.PermitAnswer;
import dev.weir.internal.model.HeldPermit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** The permits of one decision, which its caller releases. */
final class ClosablePermit implements Permit {
    private final Limiter limiter;
    private final List<HeldPermit> held;
    private final AtomicBoolean closed = new AtomicBoolean();

    ClosablePermit(Limiter limiter, List<HeldPermit> held) {
        this.limiter = limiter;
        this.held = held;
    }

    @Override
    public boolean isHeld() {
        return !closed.get();
    }

    @Override
    public CompletionStage<Boolean> renew() {
        return closed.get()
                ? CompletableFuture.completedFuture(false)
                : limiter.permits().renew(held).thenApply(answer -> answer == PermitAnswer.DONE);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            var unused = limiter.permits().release(held);
        }
    }
}
