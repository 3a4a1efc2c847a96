package dev.weir.server.metrics;

import dev.weir.StoreFailure;
import dev.weir.redis.internal.node.NodeHealth;
import dev.weir.redis.internal.node.RedisStats;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.server.metrics.MetricReading.Reading;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/** Writes the counts of the shared stores and the state of each of their servers. */
public final class StoreMetrics {
    /** The most servers of a store with series of their own; a cluster has at most a thousand. */
    private static final int MAX_NODES = 1_000;

    private final Map<String, RedisSharedStore> stores;

    public StoreMetrics(Map<String, RedisSharedStore> stores) {
        this.stores = new TreeMap<>(stores);
    }

    void write(Exposition out) {
        counter(out, "asks", "Requests that asked the store.", RedisStats::asks);
        counter(out, "batches", "Script calls sent; asks divided by batches is the batch size.", RedisStats::batches);
        counter(out, "answered", "Asks that a script call decided.", RedisStats::answered);
        counter(
                out,
                "expired",
                "Script calls that reached Redis after their deadline and charged nothing.",
                RedisStats::expired);
        counter(out, "late", "Replies that came after the deadline.", RedisStats::late);
        counter(out, "noscript", "Script calls sent again with the text of the script.", RedisStats::noScript);
        counter(out, "redirects", "Script calls that a cluster redirected.", RedisStats::redirects);
        counter(out, "give_backs", "Charges that were given back because another slot denied.", RedisStats::giveBacks);
        counter(
                out,
                "mismatches",
                "Script calls on which script and server disagree (must stay 0).",
                RedisStats::mismatches);
        counter(out, "connects", "Connections opened.", RedisStats::connects);
        out.metric("ratelimit_redis_errors_total", "counter", "Asks without an answer from their store, by reason.");
        stores.forEach((name, store) -> {
            for (StoreFailure each : StoreFailure.values()) {
                out.sample(
                        "ratelimit_redis_errors_total",
                        Exposition.labels("store", name, "reason", each.label()),
                        store.stats().failures(each));
            }
        });
        out.metric("ratelimit_redis_error_replies_total", "counter", "Error replies to script calls, by error code.");
        stores.forEach((name, store) -> store.stats()
                .errors()
                .forEach((code, count) -> out.sample(
                        "ratelimit_redis_error_replies_total", Exposition.labels("store", name, "code", code), count)));
        nodes(
                out,
                "ratelimit_redis_up",
                "1 if there is a connection to the server.",
                each -> each.down() == null ? 1 : 0);
        nodes(
                out,
                "ratelimit_circuit_state",
                "State of the circuit breaker: 0 closed, 1 open (the server is not asked).",
                each -> each.open() ? 1 : 0);
        nodes(out, "ratelimit_redis_waiting", "Asks that are queued for the server or in flight.", NodeHealth::waiting);
    }

    /** The most important of these numbers without text, for exporters. */
    List<MetricReading> readings() {
        return List.of(
                count("asks", "{ask}", "Requests that asked the store.", RedisStats::asks),
                count("batches", "{call}", "Script calls sent.", RedisStats::batches),
                count("late", "{call}", "Replies that came after the deadline.", RedisStats::late),
                count("connects", "{connection}", "Connections opened.", RedisStats::connects),
                MetricReading.counter(
                        "weir.store.errors", "{ask}", "Asks without an answer from their store, by reason.", errors()),
                MetricReading.gauge(
                        "weir.store.circuit_open",
                        "",
                        "1 while the breaker of a server of the store is open.",
                        nodes(each -> each.open() ? 1 : 0)),
                MetricReading.gauge(
                        "weir.store.up",
                        "",
                        "1 if there is a connection to a server of the store.",
                        nodes(each -> each.down() == null ? 1 : 0)));
    }

    private MetricReading count(String what, String unit, String help, ToLongFunction<RedisStats> count) {
        List<Reading> readings = new ArrayList<>();
        stores.forEach((name, store) -> readings.add(Reading.of(count.applyAsLong(store.stats()), "store", name)));
        return MetricReading.counter("weir.store." + what, unit, help, readings);
    }

    private List<Reading> errors() {
        List<Reading> readings = new ArrayList<>();
        stores.forEach((name, store) -> {
            for (StoreFailure each : StoreFailure.values()) {
                readings.add(Reading.of(store.stats().failures(each), "store", name, "reason", each.label()));
            }
        });
        return readings;
    }

    private List<Reading> nodes(ToIntFunction<NodeHealth> value) {
        List<Reading> readings = new ArrayList<>();
        stores.forEach((name, store) -> {
            List<NodeHealth> nodes = store.health();
            for (NodeHealth each : nodes.subList(0, Math.min(MAX_NODES, nodes.size()))) {
                readings.add(Reading.of(value.applyAsInt(each), "store", name, "node", each.node()));
            }
        });
        return readings;
    }

    private void counter(Exposition out, String what, String help, ToLongFunction<RedisStats> count) {
        String metric = "ratelimit_redis_" + what + "_total";
        out.metric(metric, "counter", help);
        stores.forEach((name, store) ->
                out.sample(metric, Exposition.labels("store", name), count.applyAsLong(store.stats())));
    }

    private void nodes(Exposition out, String metric, String help, ToIntFunction<NodeHealth> value) {
        out.metric(metric, "gauge", help);
        stores.forEach((name, store) -> {
            List<NodeHealth> nodes = store.health();
            for (NodeHealth each : nodes.subList(0, Math.min(MAX_NODES, nodes.size()))) {
                out.sample(
                        metric, Exposition.labels("store", name, "node", each.node()), (long) value.applyAsInt(each));
            }
        });
    }
}
