package dev.weir.server.insight;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.model.Rule;
import dev.weir.internal.queue.RequestQueues;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.fleet.FleetDirectory;
import dev.weir.server.fleet.NodeLoad;
import dev.weir.server.history.History;
import dev.weir.server.load.LimitsUnderLoad;
import dev.weir.server.metrics.WaitMetrics;
import dev.weir.server.rlqs.QuotaPeer;
import dev.weir.server.rlqs.QuotaService;
import dev.weir.server.shedding.LoadShedding;
import dev.weir.server.shedding.LoadShedding.PortLoad;
import dev.weir.server.topkeys.TopKey;
import dev.weir.server.topkeys.TopKeys;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Supplier;

/** Shows how busy this server and the others of the fleet are. */
final class LoadView {
    private static final int MOST_PERMITS = 100;
    private static final int MOST_ENVOYS = 200;

    private final LoadShedding shedding;
    private final WaitMetrics waits;
    private final RequestQueues queues;
    private final LimitsUnderLoad loads;
    private final Supplier<RuleIndex> rules;
    private final TopKeys keys;
    private final KeyMask mask;
    private final History history;
    private final FleetDirectory fleet;
    private final QuotaService quotas;

    LoadView(
            LoadShedding shedding,
            WaitMetrics waits,
            RequestQueues queues,
            LimitsUnderLoad loads,
            Supplier<RuleIndex> rules,
            TopKeys keys,
            KeyMask mask,
            History history,
            FleetDirectory fleet,
            QuotaService quotas) {
        this.shedding = shedding;
        this.waits = waits;
        this.queues = queues;
        this.loads = loads;
        this.rules = rules;
        this.keys = keys;
        this.mask = mask;
        this.history = history;
        this.fleet = fleet;
        this.quotas = quotas;
    }

    /** {@code GET /admin/v1/load}; blocks for the places that the fleet shares. */
    JsonObject load(Question question) {
        FleetDirectory.Nodes known = fleet.read();
        return new JsonObject()
                .put("at", history.until())
                .put("on", shedding.isOn())
                .put("shedder", shedders())
                .put(
                        "queues",
                        new JsonObject()
                                .put("waiting", queues.waiting())
                                .put("tarpitted", queues.tarpitted())
                                .put("waits", new JsonObject(new LinkedHashMap<>(waits.results()))))
                .put("permits", permits(question.seesKeys()))
                .put("services", services())
                .put("envoys", envoys())
                .put("nodes", nodes(known.nodes()))
                .put("dropped", new JsonArray(known.unknown()));
    }

    private JsonArray shedders() {
        JsonArray array = new JsonArray();
        for (PortLoad each : shedding.ports()) {
            array.add(new JsonObject()
                    .put("port", each.port())
                    .put("in_flight", each.inFlight())
                    .put("limit", each.limit())
                    .put(
                            "baseline_us",
                            each.baseline().isZero() ? null : each.baseline().toNanos() / 1_000)
                    .put("shed", new JsonObject(new LinkedHashMap<>(each.shed()))));
        }
        return array;
    }

    /** The callers with the most permits in flight, of each rule that limits concurrency, as they were last seen. */
    private JsonArray permits(boolean plain) {
        JsonArray array = new JsonArray();
        for (Rule each : rules.get().rules()) {
            Limit limit = each.limit();
            if (limit == null || limit.algorithm() != Algorithm.CONCURRENCY || array.size() >= MOST_PERMITS) {
                continue;
            }
            for (TopKey key : keys.nearest(each.domain(), each.label(), 10)) {
                JsonObject json = new JsonObject().put("domain", key.domain()).put("rule", key.rule());
                array.add(
                        mask.key(key, plain, json).put("in_flight", key.used()).put("limit", key.limit()));
            }
        }
        return array;
    }

    private JsonArray services() {
        JsonArray array = new JsonArray();
        for (String each : rules.get().source().followedServices()) {
            double load = loads.load(each);
            array.add(new JsonObject().put("service", each).put("utilisation", Double.isNaN(load) ? null : load));
        }
        return array;
    }

    /** The Envoys that spend hits of this server by themselves. */
    private JsonArray envoys() {
        JsonArray array = new JsonArray();
        for (QuotaPeer each : quotas.peers(MOST_ENVOYS).toCompletableFuture().join()) {
            array.add(new JsonObject()
                    .put("envoy", each.envoy())
                    .put("domain", each.domain())
                    .put("buckets", each.buckets())
                    .put("held", each.held())
                    .put("opened", each.openedMicros() / 1_000_000)
                    .put("reported", each.reportedMicros() / 1_000_000));
        }
        return array;
    }

    private static JsonArray nodes(List<FleetDirectory.Node> nodes) {
        JsonArray array = new JsonArray();
        for (FleetDirectory.Node each : nodes) {
            JsonObject json = new JsonObject()
                    .put("node", each.name())
                    .put("self", each.self())
                    .put("verified", each.verified())
                    .put("silent", each.isSilent());
            JsonObject load = each.status().getValue("load") instanceof JsonObject told ? told : new JsonObject();
            for (String name : List.of(
                    "decisions_rate", "denied_share", "p99_us", "degraded_share", "shed_rate", "in_flight", "limit")) {
                json.put(name, load.getValue(name) instanceof Number number ? number : null);
            }
            array.add(json);
        }
        return array;
    }

    /** Tells how busy this server is. */
    static NodeLoad ofThisNode(History history, LoadShedding shedding) {
        return new NodeLoad() {
            @Override
            public long started() {
                return history.started();
            }

            @Override
            public void write(JsonGenerator out) throws IOException {
                int seconds = (int) Math.max(1, Math.min(10, history.until() - history.started()));
                long[] sums = history.lately(null, null, seconds);
                long requests = sums[0] + sums[1];
                out.writeNumberField("decisions_rate", requests / (double) seconds);
                out.writeNumberField("denied_share", requests == 0 ? 0 : sums[1] / (double) requests);
                out.writeNumberField("p99_us", history.latency(0.99));
                out.writeNumberField("degraded_share", requests == 0 ? 0 : Math.min(1, sums[3] / (double) requests));
                out.writeNumberField("shed_rate", sums[4] / (double) seconds);
                PortLoad http = shedding.ports().get(0);
                out.writeNumberField("in_flight", http.inFlight());
                out.writeNumberField("limit", http.limit());
            }
        };
    }
}
