package dev.weir.server.insight;

import dev.weir.Request;
import dev.weir.internal.explain.RuleCompletion;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.counters.CounterAdmin;
import dev.weir.server.http.HttpProblemException;
import dev.weir.server.http.QueryParameters;
import dev.weir.server.request.UnknownNames;
import dev.weir.server.topkeys.TopKeys;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Shows everything that a caller meets: its counters, what is left, since when it is denied, and its last denials. */
final class CallerView {
    private static final long TIMEOUT_SECONDS = 3;
    private static final int MOST_COMPLETED = 16;
    private static final int MOST_DENIALS = 20;

    private final Limiter limiter;
    private final CounterAdmin counters;
    private final TopKeys keys;
    private final TopKeysView keysView;
    private final LongSupplier millis;

    CallerView(Limiter limiter, CounterAdmin counters, TopKeys keys, TopKeysView keysView, LongSupplier millis) {
        this.limiter = limiter;
        this.counters = counters;
        this.keys = keys;
        this.keysView = keysView;
        this.millis = millis;
    }

    /** {@code GET /admin/v1/caller}; blocks for the stores. */
    JsonObject caller(Question question) {
        Map<String, String> attributes = question.attributes();
        if (attributes.isEmpty()) {
            throw HttpProblemException.badRequest(
                    "attributes: missing (expected: at least one, such as ?domain=api&api_key=abc)");
        }
        RuleIndex rules = limiter.index();
        String domain = question.text("domain");
        if (domain != null && !rules.hasDomain(domain)) {
            throw HttpProblemException.notFound(UnknownNames.domain(domain, rules.domains()));
        }
        List<String> dropped = new ArrayList<>(keys.dropped());
        Map<String, JsonObject> found = new LinkedHashMap<>();
        JsonArray bans = new JsonArray();
        String tier = null;
        for (String each : domain == null ? rules.domains() : List.of(domain)) {
            Request request = request(each, attributes);
            String override = rules.tierOverride(request);
            tier = tier == null ? override : tier;
            add(each, request, "", rules, found, dropped);
            for (RuleCompletion more : rules.completions(request, MOST_COMPLETED)) {
                add(each, more.request(), more.rule().label(), rules, found, dropped);
            }
            Ban ban = limiter.ban(request);
            if (ban != null) {
                bans.add(new JsonObject()
                        .put("domain", each)
                        .put("kind", ban.kind().text())
                        .put("sentence", ban.sentence()));
            }
        }
        return new JsonObject()
                .put("at", millis.getAsLong() / 1_000)
                .put("attributes", new JsonObject(new LinkedHashMap<>(attributes)))
                .put("tier", tier)
                .put("counters", new JsonArray(List.copyOf(found.values())))
                .put("met_bans", bans)
                .put("denials", keysView.denials(domain, attributes, MOST_DENIALS, question.seesKeys()))
                .put("dropped", new JsonArray(dropped))
                .put("unread", dropped.size() > keys.dropped().size());
    }

    private static Request request(String domain, Map<String, String> attributes) {
        Request request = Request.to(domain).descriptor();
        attributes.forEach(request::with);
        return request;
    }

    /**
     * Adds the counters of {@code request}: all, or those of the rule that is named. A counter that several requests of
     * the caller meet is added once.
     */
    private void add(
            String domain,
            Request request,
            String rule,
            RuleIndex rules,
            Map<String, JsonObject> into,
            List<String> dropped) {
        List<Map.Entry<String, String>> parameters = new ArrayList<>();
        parameters.add(Map.entry("domain", domain));
        Map<String, String> attributes = new LinkedHashMap<>();
        for (int i = 0, end = request.descriptors() == 0 ? 0 : request.end(0); i < end; i++) {
            attributes.put(request.key(i), request.value(i));
        }
        attributes.forEach((name, value) -> parameters.add(Map.entry(name, value)));
        if (!rule.isEmpty()) {
            parameters.add(Map.entry(CounterAdmin.RULE, rule));
        }
        try {
            JsonArray found = counters.answer(new QueryParameters(parameters), false)
                    .toCompletableFuture()
                    .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                    .join()
                    .getJsonArray("counters");
            for (int i = 0; i < found.size(); i++) {
                JsonObject counter = complete(found.getJsonObject(i), domain, rules);
                if (!rule.isEmpty()) {
                    counter.put("attributes", new JsonObject(new LinkedHashMap<>(attributes)));
                }
                into.putIfAbsent(
                        String.join("\n", domain, counter.getString("rule"), counter.getString("bucket", "")), counter);
            }
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            dropped.add("The counters of domain " + domain + " could not be read: " + cause.getMessage());
        } catch (IllegalArgumentException e) {
            throw HttpProblemException.badRequest(String.valueOf(e.getMessage()));
        } catch (NoSuchElementException e) {
            // The rules have changed in between.
            dropped.add(String.valueOf(e.getMessage()));
        }
    }

    private JsonObject complete(JsonObject counter, String domain, RuleIndex rules) {
        String label = counter.getString("rule");
        Rule rule = rules.rules().stream()
                .filter(each -> each.domain().equals(domain) && each.label().equals(label))
                .findFirst()
                .orElse(null);
        long used = counter.getLong("used", 0L);
        long remaining = counter.getLong("remaining", 0L);
        JsonObject limit = counter.getJsonObject("limit", new JsonObject());
        String bucket = counter.getString("bucket", "");
        long since = bucket.isEmpty() ? 0 : keys.deniedSince(domain, label, bucket);
        return counter.put("domain", domain)
                .put("share", used + remaining <= 0 ? null : used / (double) (used + remaining))
                .put("shadow", rule != null && rule.shadow())
                .put("permits", "concurrency".equals(limit.getString("algorithm")))
                .put("denied_since", since == 0 ? null : since / 1_000);
    }
}
