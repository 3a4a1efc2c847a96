package dev.weir.simulation.fleet;

import dev.weir.limiter.Later;
import dev.weir.limiter.Limiter;
import dev.weir.limiter.LimiterObserver;
import dev.weir.limiter.LimiterSettings;
import dev.weir.limiter.SharedStores;
import dev.weir.match.RuleSet;
import dev.weir.model.Decision;
import dev.weir.model.Request;
import dev.weir.model.TimeSource;
import dev.weir.store.SharedStore;
import dev.weir.store.memory.MemoryStore;

/** Weir itself. */
final class WeirPeer implements Peer {
    /** Counters of the node's own: few, for most are shared. */
    private static final int LOCAL_KEYS = 1 << 16;

    private final Limiter limiter;

    WeirPeer(RuleSet rules, SharedStore store, TimeSource clock, LimiterSettings settings) {
        this.limiter = new Limiter(
                rules, new MemoryStore(LOCAL_KEYS), SharedStores.of(store), clock, settings, new LimiterObserver() {});
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
    public boolean decide(Request request, long nowMicros, Decision into, Later later) {
        return limiter.decide(request, nowMicros, into, later);
    }
}
