package dev.weir;

import dev.weir.Verdict.Reason;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.store.LocalStore;
import dev.weir.internal.store.memory.MemoryStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RateLimiter} that counts in this process. No call but {@code acquire} blocks; {@code tryAcquire} allocates
 * nothing.
 */
final class MemoryRateLimiter implements RateLimiter {
    private final LocalStore store;
    private final TimeSource time;
    private volatile MeteredLimit limit;

    MemoryRateLimiter(Builder builder) {
        this.limit = new MeteredLimit(builder.limit);
        this.time = builder.time;
        this.store = new MemoryStore(builder.maxKeys);
    }

    @Override
    public boolean tryAcquire(String key, long hits) {
        return decide(scratch(key), Arguments.hits(0, hits));
    }

    @Override
    public boolean tryAcquire(long key, long hits) {
        return decide(RateLimiterScratch.of(limit, key), Arguments.hits(0, hits));
    }

    @Override
    public Verdict check(String key, long hits) {
        return verdict(scratch(key), Arguments.hits(0, hits));
    }

    @Override
    public Verdict check(long key, long hits) {
        return verdict(RateLimiterScratch.of(limit, key), Arguments.hits(0, hits));
    }

    @Override
    public CompletionStage<Verdict> checkAsync(String key, long hits) {
        return CompletableFuture.completedFuture(check(key, hits));
    }

    @Override
    public CompletionStage<Verdict> checkAsync(long key, long hits) {
        return CompletableFuture.completedFuture(check(key, hits));
    }

    @Override
    public Verdict probe(String key, long hits) {
        return verdict(scratch(key).denied(), Arguments.hits(0, hits));
    }

    @Override
    public Verdict probe(long key, long hits) {
        return verdict(RateLimiterScratch.of(limit, key).denied(), Arguments.hits(0, hits));
    }

    @Override
    public boolean acquire(String key, long hits, Duration atMost) throws InterruptedException {
        return Acquiring.acquire(() -> check(key, hits), () -> giveBack(key, hits), time, atMost);
    }

    @Override
    public boolean acquire(long key, long hits, Duration atMost) throws InterruptedException {
        return Acquiring.acquire(() -> check(key, hits), () -> giveBack(key, hits), time, atMost);
    }

    @Override
    public void giveBack(String key, long hits) {
        decide(scratch(key), -Arguments.hits(1, hits));
    }

    @Override
    public void giveBack(long key, long hits) {
        decide(RateLimiterScratch.of(limit, key), -Arguments.hits(1, hits));
    }

    @Override
    public Limit limit() {
        return limit.limit();
    }

    @Override
    public void limit(Limit next) {
        limit = new MeteredLimit(next);
    }

    /** Does nothing: there is no connection to close, and later calls still decide. */
    @Override
    public void close() {}

    private RateLimiterScratch scratch(@Nullable String key) {
        return RateLimiterScratch.of(limit, Arguments.text("key", key));
    }

    private boolean decide(RateLimiterScratch scratch, long hits) {
        scratch.checks.get(0).hits = hits;
        return store.decide(scratch.checks, time.micros());
    }

    private Verdict verdict(RateLimiterScratch scratch, long hits) {
        decide(scratch, hits);
        Outcome out = scratch.checks.get(0).outcome;
        Reason reason =
                out.allowed ? Reason.WITHIN_LIMIT : out.retryAfter == Outcome.NEVER ? Reason.NEVER : Reason.OVER_LIMIT;
        return new MutableVerdict()
                .set(null, scratch.limit(), 0, hits, reason, out.remaining, out.reset, out.retryAfter, out.delay)
                .credit(scratch.limit().credit(), out.remaining, out.debt);
    }
}
