package dev.weir.simulation.fleet;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.store.SharedStore;
import dev.weir.internal.store.memory.MemoryStore;
import java.util.Map;

/** Runs the real limiter of Weir on a node. */
final class WeirNodeLimiter implements NodeLimiter {
    /** The size of the node's own table: small, because most counters are shared. */
    private static final int LOCAL_KEYS = 1 << 16;

    private final Limiter limiter;

    WeirNodeLimiter(RuleIndex rules, Map<String, SharedStore> stores, TimeSource clock, LimiterSettings settings) {
        this.limiter = new Limiter(
                rules, new MemoryStore(LOCAL_KEYS), SharedStores.of(stores), clock, settings, new LimiterObserver() {});
    }

    @Override
    public void tick() {
        limiter.tick();
    }

    @Override
    public void stop() {
        limiter.returnLeases();
    }

    @Override
    public boolean decide(Request request, long nowMicros, MutableDecision into, WaiterSupplier later) {
        return limiter.decide(request, nowMicros, into, later);
    }
}
