package dev.weir.server;

import dev.weir.TimeSource;
import dev.weir.internal.escalation.Escalator;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.queue.RequestQueues;
import dev.weir.internal.queue.WaitTimer;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.server.bans.CrowdSecFeed;
import dev.weir.server.bans.ServerBans;
import dev.weir.server.counters.CounterAdmin;
import dev.weir.server.lifecycle.CloseStack;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.listener.ServerEventLoops;
import dev.weir.server.memory.MemoryBudget;
import dev.weir.server.memory.OutOfMemory;
import dev.weir.server.rlqs.QuotaService;
import dev.weir.server.rls.RequestCaps;
import dev.weir.server.settings.Settings;
import dev.weir.server.stores.ServerStores;
import dev.weir.server.warmup.ServerWarmUp;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The components that decide: event loops, stores, the limiter, bans, queues, and the quotas that Envoys spend. */
final class DecisionComponents {
    private static final Duration STORE_CONNECT_TIMEOUT = Duration.ofSeconds(1);

    final ServerEventLoops loops;
    final ServerStores stores;
    final Limiter limiter;
    final CounterAdmin counters;
    final ServerBans bans;
    final RequestQueues queues;
    final QuotaService quotas;
    /** The Redis through which servers tell each other of changes; null without one. */
    final @Nullable RedisSharedStore noteStore;

    final @Nullable FleetSecret secret;

    DecisionComponents(
            Settings settings,
            TimeSource time,
            MemoryBudget memory,
            DecisionObservers observers,
            PolicyComponents policy,
            RequestCaps caps,
            CloseStack opened)
            throws StartException {
        secret = settings.trust().fleetSecret();
        loops = opened.add(new ServerEventLoops(settings.eventLoops(), settings.network(), memory));
        stores = opened.add(new ServerStores(
                (int) settings.maxKeys(),
                settings.stores(),
                settings.regions(),
                secret,
                loops.group(),
                observers.ruleMetrics()::degraded,
                observers.ruleMetrics()::lastStoreFailure));
        Escalator escalator = new Escalator(
                stores.memory(),
                stores.shared(),
                time,
                settings.limiter(),
                policy.control.bans()::escalate,
                () -> ThreadLocalRandom.current().nextDouble());
        observers.escalateWith(escalator, policy.rules.all());
        limiter = new Limiter(
                policy.rules.all(), stores.memory(), stores.shared(), time, settings.limiter(), observers.observer());
        noteStore = stores.noteStore();
        counters = new CounterAdmin(limiter, stores.redis(), noteStore == null ? null : noteStore.resetNews(), secret);
        CrowdSecFeed crowdSec = opened.add(new CrowdSecFeed(settings.trust().crowdSec()));
        bans = new ServerBans(policy.control.bans(), policy.addressFiles, crowdSec, escalator, limiter);
        quotas = opened.add(new QuotaService(limiter, time, caps, new OutOfMemory(memory)::look));
        queues = new RequestQueues(limiter, time, observers.observer(), opened.add(new WaitTimer()));
    }

    /** Compiles the decision path and connects to the stores, so that the first request finds both ready. */
    void warmUp(Settings settings) {
        if (!settings.warmUp().isZero()) {
            ServerWarmUp.run(loops.vertx(), loops.group(), settings.stores(), stores, settings.warmUp());
        }
        long until = System.nanoTime() + STORE_CONNECT_TIMEOUT.toNanos();
        while (!(stores.allConnected() && stores.knowsHome()) && System.nanoTime() < until) {
            stores.compareEpochs();
            WeirServer.pause(Duration.ofMillis(5));
        }
        stores.logOutage();
    }
}
