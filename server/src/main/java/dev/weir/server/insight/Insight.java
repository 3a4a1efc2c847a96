package dev.weir.server.insight;

import dev.weir.control.ControlPlane;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.queue.RequestQueues;
import dev.weir.server.counters.CounterAdmin;
import dev.weir.server.fleet.FleetDirectory;
import dev.weir.server.fleet.FleetTopKeys;
import dev.weir.server.fleet.NodeLoad;
import dev.weir.server.fleet.NodeStatus;
import dev.weir.server.health.Health;
import dev.weir.server.history.History;
import dev.weir.server.load.LimitsUnderLoad;
import dev.weir.server.metrics.RuleMetrics;
import dev.weir.server.rlqs.QuotaService;
import dev.weir.server.shedding.LoadShedding;
import dev.weir.server.topkeys.TopKeys;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Answers the questions of the dashboard. Some answers wait for a store, so never ask on an event loop. */
public final class Insight {
    private final NowView now;
    private final RulesView rules;
    private final TopKeysView keys;
    private final CallerView callers;
    private final LoadView load;

    /**
     * Creates it from everything that knows something.
     *
     * @param stores the names of the shared stores
     */
    public Insight(
            Health health,
            NodeStatus status,
            FleetDirectory fleet,
            FleetTopKeys fleetKeys,
            @Nullable ControlPlane control,
            Set<String> stores,
            Limiter limiter,
            CounterAdmin counters,
            RuleMetrics metrics,
            RequestQueues queues,
            LimitsUnderLoad loads,
            LoadShedding shedding,
            History history,
            TopKeys topKeys,
            QuotaService quotas) {
        KeyMask mask = new KeyMask();
        this.keys = new TopKeysView(topKeys, fleetKeys, mask, System::currentTimeMillis);
        this.rules = new RulesView(limiter::index, metrics, history, topKeys, mask);
        this.now = new NowView(
                health,
                status,
                fleet,
                control,
                stores,
                limiter::index,
                history,
                rules,
                keys,
                System::currentTimeMillis);
        this.callers = new CallerView(limiter, counters, topKeys, keys, System::currentTimeMillis);
        this.load = new LoadView(
                shedding, metrics.waits(), queues, loads, limiter::index, topKeys, mask, history, fleet, quotas);
    }

    /** Tells how busy this server is. */
    public static NodeLoad loadOfThisNode(History history, LoadShedding shedding) {
        return LoadView.ofThisNode(history, shedding);
    }

    /** Notes since when problems exist; to be called about once a second. */
    public void observe() {
        now.observe();
    }

    public JsonObject now(Question question) {
        return now.now(question);
    }

    public JsonObject live(Question question) {
        return rules.live(question);
    }

    public JsonObject history(Question question) {
        return rules.history(question);
    }

    public JsonObject top(Question question) {
        return keys.top(question);
    }

    public JsonObject denials(Question question) {
        return keys.denials(question);
    }

    public JsonObject caller(Question question) {
        return callers.caller(question);
    }

    public JsonObject load(Question question) {
        return load.load(question);
    }
}
