package dev.weir;

import dev.weir.internal.library.LibraryLimiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.StoreDescription;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * A {@link RateLimiter} that counts in a shared store. It is a limiter by rules, with one rule for each kind of key.
 */
final class SharedRateLimiter implements RateLimiter {
    /** The domain of the limiter's rules; no domain in a rule file has this prefix. */
    private static final String DOMAIN = "weir#limiter";

    private static final String TEXT = "key";
    private static final String NUMBER = "number";

    private final String name;
    private final OnFail onFail;
    private final Consistency consistency;
    private final TimeSource time;
    private final Duration deadline;
    private final LibraryLimiter limiter;
    private volatile Limit limit;

    SharedRateLimiter(Builder builder, StoreDescription store) {
        this.name = builder.name;
        this.onFail = builder.onFail;
        this.consistency = builder.consistency;
        this.time = builder.time;
        this.deadline = builder.deadline;
        this.limit = builder.limit;
        this.limiter = new LibraryLimiter(
                rules(limit),
                new LibraryLimiter.Options(
                        Map.of(Rule.DEFAULT_STORE, store),
                        false,
                        deadline,
                        builder.warmUp,
                        builder.maxKeys,
                        EndpointForm.RAW,
                        time,
                        new LimiterObserver() {}));
    }

    /**
     * Builds one rule per kind of key, so that 42 and "42" are two keys, as in memory. A rule skips the other kind's
     * requests.
     */
    private WrittenRules rules(Limit of) {
        return WrittenRules.builder()
                .weir(DOMAIN, List.of(rule(name, of, TEXT), rule(name + "#", of, NUMBER)))
                .build();
    }

    private WeirRule rule(String id, Limit of, String attribute) {
        Rule rule = Rule.builder(DOMAIN, id)
                .name(name)
                .label(name)
                .limit(of)
                .onFail(onFail)
                .consistency(consistency)
                .build();
        return new WeirRule(rule, List.of(), KeyBy.of(attribute));
    }

    @Override
    public boolean tryAcquire(String key, long hits) {
        return check(key, hits).allowed();
    }

    @Override
    public boolean tryAcquire(long key, long hits) {
        return check(key, hits).allowed();
    }

    @Override
    public Verdict check(String key, long hits) {
        return verdict(limiter.decide(request(key).hits(Arguments.hits(0, hits))));
    }

    @Override
    public Verdict check(long key, long hits) {
        return verdict(limiter.decide(request(key).hits(Arguments.hits(0, hits))));
    }

    @Override
    public CompletionStage<Verdict> checkAsync(String key, long hits) {
        return limiter.decideAsync(request(key).hits(Arguments.hits(0, hits))).thenApply(SharedRateLimiter::verdict);
    }

    @Override
    public CompletionStage<Verdict> checkAsync(long key, long hits) {
        return limiter.decideAsync(request(key).hits(Arguments.hits(0, hits))).thenApply(SharedRateLimiter::verdict);
    }

    @Override
    public Verdict probe(String key, long hits) {
        return limiter.probe(request(key).hits(Arguments.hits(0, hits)));
    }

    @Override
    public Verdict probe(long key, long hits) {
        return limiter.probe(request(key).hits(Arguments.hits(0, hits)));
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
        var unused = limiter.decide(request(key).hits(-Arguments.hits(1, hits)));
    }

    @Override
    public void giveBack(long key, long hits) {
        var unused = limiter.decide(request(key).hits(-Arguments.hits(1, hits)));
    }

    @Override
    public Limit limit() {
        return limit;
    }

    @Override
    public synchronized void limit(Limit next) {
        limiter.rules(rules(next));
        limit = next;
    }

    @Override
    public void close() {
        limiter.close();
    }

    private static Request request(String key) {
        return Request.to(DOMAIN).with(TEXT, Arguments.text("key", key));
    }

    private static Request request(long key) {
        return Request.to(DOMAIN).with(NUMBER, Long.toString(key));
    }

    /** Returns the verdict of the only rule that applied: the one whose attribute the request has. */
    private static Verdict verdict(MutableDecision decision) {
        return decision.verdict(0);
    }
}
