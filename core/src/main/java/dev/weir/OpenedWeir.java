package dev.weir;

import dev.weir.internal.library.LibraryLimiter;
import dev.weir.internal.library.UnmatchedRequests;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.FormAwareRuleSource;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.StoreDescription;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Weir} on a limiter of this process. It follows its rule source, and warns about requests that no rule can
 * match.
 */
final class OpenedWeir implements Weir, RuleSource.Listener {
    /** The store that {@link Store#memory} returns. */
    enum ProcessMemory implements Store {
        INSTANCE;

        @Override
        public String toString() {
            return "memory";
        }
    }

    private static final System.Logger LOG = System.getLogger("dev.weir");

    private final WeirObserver observer;
    private volatile UnmatchedRequests unmatched = new UnmatchedRequests(WrittenRules.empty());
    /** Null until the source has delivered its first rules and they are in force. */
    private volatile @Nullable LibraryLimiter limiter;
    /** Rules that the source delivered while the stores were being opened; guarded by this. */
    private @Nullable WrittenRules waiting;

    private RuleSource.@Nullable Subscription subscription;

    private OpenedWeir(WeirObserver observer) {
        this.observer = observer;
    }

    static Weir open(Builder builder) {
        OpenedWeir opened = new OpenedWeir(builder.observer);
        opened.subscription = builder.rules instanceof FormAwareRuleSource source
                ? source.follow(opened, builder.endpointForm)
                : builder.rules.follow(opened);
        try {
            opened.start(builder);
        } catch (RuntimeException | Error e) {
            opened.close();
            throw e;
        }
        return opened;
    }

    private void start(Builder builder) {
        WrittenRules first;
        synchronized (this) {
            first = waiting;
        }
        if (first == null) {
            throw new IllegalStateException(
                    builder.rules + " brought no rules (expected: RuleSource.follow calls changed before it returns)");
        }
        LibraryLimiter started = new LibraryLimiter(first, options(builder, observer()));
        synchronized (this) {
            limiter = started;
            unmatched = new UnmatchedRequests(first);
            if (waiting != null && waiting != first) {
                putInForce(started, waiting);
            }
            waiting = null;
        }
    }

    static LibraryLimiter.Options options(Builder builder, LimiterObserver observer) {
        Map<String, StoreDescription> shared = new LinkedHashMap<>();
        builder.stores.forEach((name, store) -> {
            if (store instanceof StoreDescription described) {
                shared.put(name, described);
            } else if (store != Store.memory()) {
                throw new IllegalArgumentException(
                        "store: " + store + " (expected: Store.memory(), or a store of Weir's such as RedisStore)");
            }
        });
        boolean memory = shared.isEmpty() || builder.stores.get(Rule.DEFAULT_STORE) == Store.memory();
        return new LibraryLimiter.Options(
                shared,
                memory,
                builder.deadline,
                builder.warmUp,
                builder.maxKeys,
                builder.endpointForm,
                builder.maxRequestCost,
                builder.time,
                observer);
    }

    private LimiterObserver observer() {
        return new LimiterObserver() {
            @Override
            public void decided(Request request, MutableDecision decision) {
                if (decision.size() == 0 && request.onlyRules() == null) {
                    unmatched.look(request);
                }
                observer.decided(request, decision);
            }

            @Override
            public void storeFailed(StoreFailure failure) {
                observer.storeFailed(failure);
            }
        };
    }

    @Override
    public Decision decide(Request request) {
        return limiter().decide(request);
    }

    @Override
    @SuppressWarnings("unchecked") // whoever completes it completes it with a decision
    public CompletionStage<Decision> decideAsync(Request request) {
        CompletableFuture<? extends Decision> decided = limiter().decideAsync(request);
        return (CompletionStage<Decision>) decided;
    }

    @Override
    public Hold reserve(Request request, Duration ttl) {
        return limiter().reserve(request, ttl);
    }

    @Override
    public CompletionStage<Hold> reserveAsync(Request request, Duration ttl) {
        return limiter().reserveAsync(request, ttl);
    }

    @Override
    public RuleSet rules() {
        return limiter().limiter().rules();
    }

    @Override
    public boolean serves() {
        return limiter().serves();
    }

    @Override
    public synchronized void changed(RuleSet rules) {
        if (!(rules instanceof WrittenRules next)) {
            throw new IllegalArgumentException(
                    "rules: " + rules + " (expected: rules of RuleSet.builder or dev.weir.rules.Rules)");
        }
        LibraryLimiter current = limiter;
        if (current == null) {
            waiting = next;
        } else {
            putInForce(current, next);
        }
    }

    private void putInForce(LibraryLimiter current, WrittenRules next) {
        try {
            current.rules(next);
        } catch (IllegalArgumentException e) {
            rejected(String.valueOf(e.getMessage()));
            return;
        }
        unmatched = new UnmatchedRequests(next);
        LOG.log(Level.INFO, "rules changed: " + next.rules().size() + " rules in force");
        observer.rulesChanged(next);
    }

    @Override
    public void rejected(String errors) {
        LOG.log(Level.ERROR, "rules rejected, the last good ones stay in force:\n" + errors);
        observer.rulesRejected(errors);
    }

    @Override
    public void close() {
        if (subscription != null) {
            subscription.close();
        }
        LibraryLimiter current = limiter;
        if (current != null) {
            current.close();
        }
    }

    private LibraryLimiter limiter() {
        LibraryLimiter current = limiter;
        if (current == null) {
            throw new IllegalStateException("not open yet");
        }
        return current;
    }
}
