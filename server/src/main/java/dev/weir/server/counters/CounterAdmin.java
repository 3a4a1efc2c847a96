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
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
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
        } catch (IllegalArgumentException e) {
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
     */
    public CompletionStage<JsonObject> answer(QueryParameters query, boolean reset) {
        Request request = request(query);
        List<RuleCounter> counters = limiter.counters(request);
        JsonArray list = new JsonArray();
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
                .thenCompose(announced -> limiter.decideAsync(request))
                .thenCompose(decision -> {
                    for (int i = 0; i < shown.length; i++) {
                        JsonObject counter = complete(shown[i], counters.get(i), request, decision);
                        list.add(counter);
                        all[i] = count(counter, counters.get(i));
                    }
                    return CompletableFuture.allOf(all);
                })
                .thenApply(
                        done -> new JsonObject().put("domain", request.domain()).put("counters", list));
    }

    private Request request(QueryParameters query) {
        String domain = query.get("domain");
        if (domain == null || !limiter.index().domains().contains(domain)) {
            throw new IllegalArgumentException("domain: " + (domain == null ? "missing" : "\"" + domain + "\"")
                    + " (expected: one of " + String.join(", ", limiter.index().domains()) + ")");
        }
        Request request = Request.to(domain).hits(0L);
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

    /** Reads the current count from the counter's store. The counts of local counters are already set. */
    private CompletableFuture<?> count(JsonObject counter, RuleCounter counted) {
        RedisSharedStore store = store(counted);
        if (store == null) {
            return CompletableFuture.completedFuture(null);
        }
        return StoredCount.of(counted.check(), store).thenAccept(count -> {
            if (count.failure == null) {
                numbers(counter, counted.check(), count.outcome.remaining, count.outcome.reset);
            } else {
                counter.put("degraded", true); // the store did not answer in time: "used" is the last value written
            }
        });
    }

    private static void numbers(JsonObject counter, Check check, long remaining, long resetMicros) {
        counter.put("used", Math.max(0, limit(check).capacity() - remaining));
        counter.put("remaining", remaining);
        counter.put("reset_in", resetMicros / 1e6);
    }

    private JsonObject complete(JsonObject shown, RuleCounter counted, Request request, MutableDecision decision) {
        Rule rule = Objects.requireNonNull(counted.rule(), "rule");
        JsonObject counter = new JsonObject().put("rule", rule.label());
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict verdict = decision.verdict(i);
            if (verdict.rule() == rule) {
                CounterLabel found = limiter.index().counter(request, verdict);
                counter.put("counter", found == null ? "" : found.text());
                counter.put("store", store(counted) == null ? "memory" : rule.store());
                counter.put("limit", limit(counted.check()).capacity());
                if (store(counted) == null) {
                    numbers(counter, counted.check(), verdict.remaining(), verdict.resetMicros());
                }
            }
        }
        return counter.mergeIn(shown);
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
