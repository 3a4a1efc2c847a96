package dev.weir.server.features;

import io.vertx.core.json.JsonObject;

/** The features of rules beside counting a rate. Each has a rule in {@link FeatureRules} that few requests pass. */
enum Feature {
    PERMITS("permits", "/v1/concurrency/acquire", 429, 1),
    LEASED_PERMITS("leased", "/v1/concurrency/acquire", 429, 1),
    CAPACITY("service:capacity%d", "/v1/ratelimit/check", 503, 19),
    QUEUE("queue", "/v1/ratelimit/check", 429, 1),
    TARPIT("tarpit", "/v1/ratelimit/check", 429, 1),
    REPUTATION("reputation", "/v1/ratelimit/check", 429, 2),
    LOAD("load", "/v1/ratelimit/check", 429, 2),
    HOLDS("holds", "/v1/ratelimit/reserve", 429, 1);

    /** The most callers. */
    static final int CALLERS = 200;

    private final String rule;
    final String path;
    /** The status of a denial. */
    final int denied;
    /** How many requests of one caller pass. */
    final int passes;

    Feature(String rule, String path, int denied, int passes) {
        this.rule = rule;
        this.path = path;
        this.denied = denied;
        this.passes = passes;
    }

    /** The name of the rule that a caller meets. Each has a service of its own: one that was overloaded sheds for a while. */
    String rule(int caller) {
        return rule.formatted(caller);
    }

    /** The request of a caller who meets this rule and no other. */
    JsonObject request(String domain, int caller) {
        JsonObject request = new JsonObject().put("domain", domain);
        attributes(caller).forEach(each -> request.put(each.getKey(), each.getValue()));
        return this == HOLDS ? request.put("costs", new JsonObject().put("tokens", 60)) : request;
    }

    /** The attributes of that request. */
    JsonObject attributes(int caller) {
        return new JsonObject()
                .put("feature", rule(caller).replace("service:", ""))
                .put("user_id", "u" + caller)
                .put("ip", "192.0.2." + caller);
    }
}
