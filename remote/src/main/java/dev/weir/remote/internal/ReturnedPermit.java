package dev.weir.remote.internal;

import dev.weir.Permit;
import dev.weir.Request;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** The permits of one decision. They are given back as Envoy does it: by a request with as many negative hits. */
final class ReturnedPermit implements Permit {
    private final RemoteLimiter limiter;
    private final Request giveBack;
    private final AtomicBoolean closed = new AtomicBoolean();

    ReturnedPermit(RemoteLimiter limiter, Request giveBack) {
        this.limiter = limiter;
        this.giveBack = giveBack;
    }

    @Override
    public boolean isHeld() {
        return !closed.get();
    }

    /** The protocol cannot say which permit: it ends after the rule's {@code permit_ttl}. */
    @Override
    public CompletionStage<Boolean> renew() {
        return CompletableFuture.completedFuture(false);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            limiter.giveBack(giveBack);
        }
    }
}
