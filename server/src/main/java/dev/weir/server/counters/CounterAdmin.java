package dev.weir.server.counters;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.RuleCounter;
import dev.weir.internal.match.keyby.CounterLabel;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.runtime.RejectedNotes;
import dev.weir.internal.store.Check;
import dev.weir.redis.internal.inspection.CounterState;
import dev.weir.redis.internal.notes.ResetStream;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.server.http.QueryParameters;
import dev.weir.server.request.UnknownNames;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Shows and resets the counters that a request would use. They are found as a decision finds them, by the rules in
 * force. Looking takes nothing from them.
 */
public final class CounterAdmin {
    private static final System.Logger LOG = System.getLogger(CounterAdmin.class.getName());
    private static final int MAX_ATTRIBUTES = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Limiter limiter;
    private final Map<String, ? extends RedisSharedStore> redis;
    private final SharedResets resets;
    private final AtomicBoolean reading = new AtomicBoolean();

    /**
     * Finds counters of {@code limiter} in {@code redis}. Servers announce resets to each other through {@code stream},
     * signed with {@code secret} if there is one.
     */
    public CounterAdmin(
            Limiter limiter,
            Map<String, ? extends RedisSharedStore> redis,
            @Nullable ResetStream stream,
            @Nullable FleetSecret secret) {
        this.limiter = limiter;
        this.redis = redis;
        this.resets = new SharedResets(stream, secret, System::currentTimeMillis);
    }

    /** Counts the resets of other servers that were ignored. */
    public RejectedNotes rejectedNotes() {
        return resets.rejectedNotes();
    }

    /** Forgets counters that other servers have reset; to be called about once a second. */
    public void applyRemoteResets() {
        if (reading.compareAndSet(false, true)) {
            var unused = resets.remoteResets()
                    .thenAccept(queries -> queries.forEach(this::forgetHere))
                    .whenComplete((done, failure) -> reading.set(false));
        }
    }

    private void forgetHere(QueryParameters query) {
        try {
            limiter.counters(request(query)).stream()
                    .filter(each -> resets.areVerified() || store(each) != null)
                    .forEach(limiter::forget);
        } catch (IllegalArgumentException | NoSuchElementException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "another server reset a counter of rules that this server does not have",
                    e);
        }
    }

    /**
     * The counters of the request that {@code query} describes; if {@code reset}, resets them first.
     *
     * @throws IllegalArgumentException if it describes no request
     * @throws NoSuchElementException if there is no such domain
     */
    public CompletionStage<JsonObject> answer(QueryParameters query, boolean reset) {
        Request request = request(query);
        List<RuleCounter> counters = limiter.counters(request);
        CompletableFuture<?>[] all = new CompletableFuture<?>[counters.size()];
        JsonObject[] shown = new JsonObject[counters.size()];
        for (int i = 0; i < shown.length; i++) {
            int index = i;
            RuleCounter each = counters.get(i);
            all[i] = (reset ? forget(each) : look(each))
                    .thenAccept(found -> shown[index] = found)
                    .toCompletableFuture();
        }
        return CompletableFuture.allOf(all)
                .thenCompose(done -> reset ? resets.announce(query) : CompletableFuture.completedFuture(null))
                .thenCompose(announced -> limiter.probeCounters(request, PATIENCE))
                .thenApply(probed -> {
                    JsonArray list = new JsonArray();
                    for (int i = 0; i < shown.length; i++) {
                        list.add(complete(shown[i], counters.get(i), request, probed.decision()));
                    }
                    return new JsonObject().put("domain", request.domain()).put("counters", list);
                });
    }

    private Request request(QueryParameters query) {
        String domain = query.get("domain");
        List<String> domains = limiter.index().domains();
        if (domain == null) {
            throw new IllegalArgumentException("domain: missing (expected: " + UnknownNames.oneOf(domains) + ")");
        }
        if (!domains.contains(domain)) {
            throw new NoSuchElementException(UnknownNames.domain(domain, domains));
        }
        Request request = Request.to(domain);
        request.descriptor();
        int entries = 0;
        for (Map.Entry<String, String> each : query.parameters()) {
            if (!each.getKey().equals("domain")) {
                if (++entries > MAX_ATTRIBUTES) {
                    throw new IllegalArgumentException(
                            "attributes: too many (expected: at most " + MAX_ATTRIBUTES + ")");
                }
                request.with(each.getKey(), each.getValue());
            }
        }
        return request;
    }

    private CompletionStage<JsonObject> look(RuleCounter counted) {
        Check check = counted.check();
        RedisSharedStore store = store(counted);
        JsonObject shown = new JsonObject();
        if (store == null) {
            return CompletableFuture.completedFuture(shown);
        }
        return store.inspect(check.name).thenApply(found -> {
            shown.put("name", check.name.toString());
            found.ifPresent(state -> shown.put("key", state.key()));
            found.filter(state -> state.used() >= 0).ifPresent(state -> shown.put("used", state.used()));
            found.map(CounterState::forgottenIn).ifPresent(left -> shown.put("expires_in", left.toMillis() / 1_000.0));
            return shown;
        });
    }

    private CompletionStage<JsonObject> forget(RuleCounter counted) {
        Check check = counted.check();
        RedisSharedStore store = store(counted);
        if (store == null) {
            return CompletableFuture.completedFuture(new JsonObject().put("existed", limiter.forget(counted)));
        }
        return store.reset(check.name).thenApply(existed -> {
            limiter.forget(counted);
            return new JsonObject().put("name", check.name.toString()).put("existed", existed);
        });
    }

    /** Adds what the store of the counter says of it; without an answer, {@code used} is the last value written. */
    private JsonObject complete(JsonObject shown, RuleCounter counted, Request request, MutableDecision decision) {
        Rule rule = Objects.requireNonNull(counted.rule(), "rule");
        JsonObject counter = new JsonObject().put("rule", rule.label());
        MutableVerdict verdict = verdictOn(counted, decision);
        if (verdict == null) {
            return counter.mergeIn(shown); // the rules have changed in between
        }
        CounterLabel found = limiter.index().counter(request, verdict);
        counter.put("counter", found == null ? "" : found.text())
                .put("store", store(counted) == null ? "memory" : rule.store())
                .put("limit", CounterJson.limit(rule, limit(counted.check())))
                .mergeIn(shown);
        if (verdict.degraded()) {
            counter.put("degraded", true);
        }
        CounterJson.state(verdict, counter);
        return counter;
    }

    private static @Nullable MutableVerdict verdictOn(RuleCounter counted, MutableDecision decision) {
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            if (verdict.rule() == counted.rule() && verdict.counter() == counted.check().key0) {
                return verdict;
            }
        }
        return null;
    }

    private static Limit limit(Check check) {
        return Objects.requireNonNull(check.meter, "meter").limit();
    }

    /** The shared store of a counter; null if this process counts it. */
    private @Nullable RedisSharedStore store(RuleCounter counted) {
        Rule rule = counted.rule();
        return rule == null || counted.check().store == Check.LOCAL ? null : redis.get(rule.store());
    }
}
