package dev.weir.server.counters;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.algorithm.PermitLevels;
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
import dev.weir.redis.internal.notes.NewsStream;
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
import java.util.Optional;
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
    /** The parameter that narrows a request's counters to those of one rule. No attribute has this prefix. */
    public static final String RULE = "weir.rule";

    /** The parameter of a reset that only shows the counters. */
    public static final String DRY_RUN = "weir.dry_run";

    private static final String RESERVED = "weir.";
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
            @Nullable NewsStream stream,
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
            counters(query, request(query)).stream()
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
     * @throws NoSuchElementException if there is no such domain, or if the rule that it names does not count the request
     */
    public CompletionStage<JsonObject> answer(QueryParameters query, boolean reset) {
        Request request = request(query);
        List<RuleCounter> counters = counters(query, request);
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

    /** The counters of {@code request}: all of them, or those of the rule that {@code query} names. */
    private List<RuleCounter> counters(QueryParameters query, Request request) {
        List<RuleCounter> all = limiter.counters(request);
        String rule = query.get(RULE);
        if (rule == null) {
            return all;
        }
        List<RuleCounter> ofRule = all.stream()
                .filter(each ->
                        ruleOf(each).label().equals(rule) || ruleOf(each).id().equals(rule))
                .toList();
        if (ofRule.isEmpty()) {
            throw new NoSuchElementException("rule \"" + rule + "\" does not count this request (expected: "
                    + UnknownNames.oneOf(all.stream()
                            .map(each -> ruleOf(each).label())
                            .distinct()
                            .toList())
                    + ")");
        }
        return ofRule;
    }

    private static Rule ruleOf(RuleCounter counter) {
        return Objects.requireNonNull(counter.rule(), "rule");
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
        for (Rule each : limiter.index().rules()) {
            if (each.domain().equals(domain) && !each.unit().equals(Rule.REQUESTS)) {
                request.hits(each.unit(), 1);
            }
        }
        request.descriptor();
        int entries = 0;
        for (Map.Entry<String, String> each : query.parameters()) {
            String name = each.getKey();
            if (name.startsWith(RESERVED) && !name.equals(RULE) && !name.equals(DRY_RUN)) {
                throw new IllegalArgumentException(name + " (expected: " + RULE + " or " + DRY_RUN + ")");
            }
            if (!name.equals("domain") && !name.startsWith(RESERVED)) {
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
        return stateOf(check, store).thenApply(found -> {
            shown.put("name", check.name.toString());
            found.ifPresent(state -> shown.put("key", state.key()));
            found.filter(state -> state.used() >= 0).ifPresent(state -> shown.put("used", state.used()));
            found.map(CounterState::forgottenIn).ifPresent(left -> shown.put("expires_in", left.toMillis() / 1_000.0));
            return shown;
        });
    }

    private static CompletionStage<Optional<CounterState>> stateOf(Check check, RedisSharedStore store) {
        if (check.meter instanceof PermitLevels) {
            return store.inspectLevels(check.name);
        }
        boolean permits = limit(check).algorithm() == Algorithm.CONCURRENCY;
        return permits ? store.inspectPermits(check.name) : store.inspect(check.name);
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
        Rule rule = ruleOf(counted);
        JsonObject counter = new JsonObject().put("rule", rule.label());
        MutableVerdict verdict = verdictOn(counted, decision);
        if (verdict == null) {
            return counter.mergeIn(shown); // the rules have changed in between
        }
        CounterLabel found = limiter.index().counter(request, verdict);
        counter.put("counter", found == null ? "" : found.text())
                .put("bucket", found == null ? "" : found.bucket())
                .put("store", store(counted) == null ? "memory" : rule.store())
                .put("limit", CounterJson.limit(rule, limit(counted.check())))
                .mergeIn(shown);
        if (verdict.degraded()) {
            counter.put("degraded", true);
        }
        CounterJson.state(verdict, counter);
        RegionJson.add(limiter, rule, counted.check(), counter);
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
