package dev.weir.server.counters;

import dev.weir.internal.counter.CounterKey;
import dev.weir.internal.lease.LeasedCounter;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.model.Rule;
import dev.weir.internal.region.RegionView;
import dev.weir.internal.store.Check;
import dev.weir.internal.tier.LocalTier;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/**
 * Writes what this server knows of each region's part in a counter that regions share, and what it holds of a global one.
 */
public final class RegionJson {
    private RegionJson() {}

    /** Adds it for the counter of {@code check}; nothing if the rule counts in one region, or if it is not in use here. */
    public static void add(Limiter limiter, Rule rule, Check check, JsonObject into) {
        LocalTier tier = limiter.tier();
        LeasedCounter leased =
                tier == null || !rule.scope().isGlobal() ? null : tier.leases().peek(check, new CounterKey());
        if (leased != null) {
            into.put("held", leased.left());
        }
        String own = rule.scope().own();
        if (tier == null || own == null || !rule.scope().isShared()) {
            return;
        }
        JsonArray regions = new JsonArray();
        for (RegionView each : tier.regions().view(check, own)) {
            JsonObject region = new JsonObject().put("region", each.region()).put("used", each.used());
            if (each.ageMicros() >= 0) {
                region.put("age", each.ageMicros() / 1e6);
            }
            regions.add(region.put("silent", each.silent()));
        }
        if (!regions.isEmpty()) {
            into.put("regions", regions).put("here_at_most", tier.regions().allowed(check));
        }
    }
}
