package dev.weir.server;

import dev.weir.internal.limiter.Limiter;
import dev.weir.server.health.Health;
import dev.weir.server.metrics.ServerMetrics;
import dev.weir.server.rules.WatchedRuleFiles;
import dev.weir.server.settings.Settings;
import dev.weir.server.stores.ServerStores;
import dev.weir.server.stores.StoreOutageLog;

/** What the server as a whole shows of itself. */
record ServerGauges(
        Settings settings,
        ServerStores stores,
        StoreOutageLog storeWatch,
        Limiter limiter,
        WatchedRuleFiles feed,
        Health health) {

    void addTo(ServerMetrics metrics) {
        metrics.gauge(
                        "ratelimit.keys",
                        "Counters in the memory store, expired ones among them.",
                        () -> stores.memory().size())
                .gauge("ratelimit.keys.max", "Counters that fit before the least used make room.", settings::maxKeys)
                .counter(
                        "ratelimit.evictions",
                        "Counters forgotten before they expired, for want of room.",
                        () -> stores.memory().evictions())
                .gauge(
                        "ratelimit.rules",
                        "Rules in force.",
                        () -> limiter.index().rules().size())
                .gauge("ratelimit.rules.age.seconds", "Since the rules in force were loaded.", feed::age)
                .gauge(
                        "ratelimit.rules.current",
                        "1 if the rules in force are those in the files, 0 if those do not load.",
                        () -> feed.isCurrent() ? 1 : 0)
                .counter("ratelimit.rules.reloads", "Times that changed rules came into force.", feed::reloads)
                .counter(
                        "ratelimit.rules.reload.failures",
                        "Times that changed rules did not load, and those of before stayed.",
                        feed::failures)
                .gauge(
                        "ratelimit.degraded",
                        "1 while a store is away, or was just now: rules follow their on_fail.",
                        () -> storeWatch.isDegraded() ? 1 : 0)
                .gauge(
                        "ratelimit.serving",
                        "1 while the server says that it is serving.",
                        () -> health.serving() ? 1 : 0);
    }
}
