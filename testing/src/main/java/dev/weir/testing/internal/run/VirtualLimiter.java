package dev.weir.testing.internal.run;

import dev.weir.Consistency;
import dev.weir.Request;
import dev.weir.internal.ban.BanSet;
import dev.weir.internal.ban.BanTable;
import dev.weir.internal.escalation.Escalator;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.load.LoadShares;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.match.override.OverrideLookup;
import dev.weir.internal.match.override.ReputationLookup;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.model.LoadCurve;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.queue.RequestQueues;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.store.HitObserver;
import dev.weir.simulation.store.Host;
import dev.weir.simulation.store.Latency;
import dev.weir.simulation.store.LinkSettings;
import dev.weir.simulation.store.SimulatedStore;
import dev.weir.simulation.store.StoreLinks;
import dev.weir.testing.internal.policy.PolicyStep;
import dev.weir.testing.internal.policy.PolicyTest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The limiter of one server on virtual time, with what stands around it in a server: queues, bans, escalation and load. */
final class VirtualLimiter {
    private static final long MILLI = 1_000_000;
    /** How often limits follow load, as in a server. */
    private static final long FOLLOW_NANOS = 500 * MILLI;
    /** Messages take no time, so that the answers of a test are those of its moments. */
    private static final LinkSettings LINK = new LinkSettings(new Latency(0, 0), 0, 200 * MILLI, 50 * MILLI, 1);

    private static final int LEAST_KEYS = 1 << 12;
    private static final int MOST_KEYS = 1 << 22;

    private static final Host SERVER = new Host() {
        @Override
        public int number() {
            return 0;
        }

        @Override
        public long pausedUntil() {
            return 0;
        }
    };

    private final Timeline timeline;
    private final MachineClock clock;
    private final WrittenRules rules;
    private final OverrideLookup quotas;
    private final Map<String, StoreLinks> stores = new LinkedHashMap<>();
    private final Map<String, Integer> storeNumbers = new HashMap<>();
    private final Limiter limiter;
    private final RequestQueues queues;
    private final Escalator escalator;
    private final List<Ban> bans = new ArrayList<>();
    private final List<Ban> escalated = new ArrayList<>();
    private final Map<String, Double> loads = new HashMap<>();
    private final LoadShares shares = new LoadShares();
    private final Set<LoadCurve> curves;
    private boolean follows;

    /**
     * Creates the limiter of {@code test}.
     *
     * @param index the rules of the test, compiled without quotas
     * @param requests how many requests there will be, from which follows how many counters
     */
    VirtualLimiter(Timeline timeline, PolicyTest test, RuleIndex index, long requests) {
        this.timeline = timeline;
        this.clock = new MachineClock(timeline, 0, 0, 0);
        this.rules = test.rules();
        Map<String, CallerOverrides> given = test.quotas();
        this.quotas = given.isEmpty() ? OverrideLookup.NONE : given::get;
        this.curves = rules.rules().stream()
                .map(Rule::follows)
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
        if (test.shared()) {
            openStores();
        }
        long counters = requests * Math.max(1, rules.rules().size());
        MemoryStore memory = new MemoryStore((int) Math.min(MOST_KEYS, Math.max(LEAST_KEYS, counters)));
        SharedStores shared = stores.isEmpty() ? SharedStores.none() : SharedStores.of(stores);
        LimiterSettings settings = LimiterSettings.defaults().withTierCounters(LEAST_KEYS);
        this.escalator = new Escalator(memory, shared, clock, settings, this::escalated, () -> 0);
        LimiterObserver observer = new LimiterObserver() {
            @Override
            public void decided(Request request, MutableDecision decision) {
                if (escalator.isActive()) {
                    escalator.decided(request, decision);
                }
            }
        };
        this.limiter = new Limiter(given.isEmpty() ? index : compiled(), memory, shared, clock, settings, observer);
        this.queues = new RequestQueues(limiter, clock, observer, this::later);
        escalator.exempt(request -> {
            Ban found = limiter.ban(request);
            return found != null && found.kind() == BanKind.ALLOW;
        });
        escalator.rules(limiter.index());
        boolean ticks = rules.rules().stream()
                .anyMatch(
                        rule -> rule.consistency() == Consistency.LEASED || rule.consistency() == Consistency.REPORTED);
        if (ticks && !stores.isEmpty()) {
            tick();
        }
    }

    private void openStores() {
        Set<String> names = new TreeSet<>();
        names.add(Rule.DEFAULT_STORE);
        rules.rules().forEach(each -> names.add(each.store()));
        SplittableRandom random = new SplittableRandom(1);
        for (String each : names) {
            int number = stores.size();
            SimulatedStore server = new SimulatedStore(number, timeline, clock, HitObserver.NONE);
            stores.put(each, new StoreLinks(timeline, SERVER, clock, List.of(server), LINK, random.split()));
            storeNumbers.put(each, number);
        }
    }

    private RuleIndex compiled() {
        Map<LoadCurve, Integer> inForce = shares.all();
        return RuleIndex.of(
                rules,
                quotas,
                RuleSwitches.NONE,
                EndpointForm.NORMAL,
                rule -> LoadShares.apply(rule, inForce),
                ReputationLookup.NONE);
    }

    private Runnable later(Runnable task, long micros) {
        boolean[] cancelled = new boolean[1];
        timeline.after(micros * 1_000, () -> {
            if (!cancelled[0]) {
                task.run();
            }
        });
        return () -> cancelled[0] = true;
    }

    private void tick() {
        limiter.tick();
        timeline.after(Limiter.TICK_MILLIS * MILLI, this::tick);
    }

    long micros() {
        return clock.micros();
    }

    Limiter limiter() {
        return limiter;
    }

    RequestQueues queues() {
        return queues;
    }

    void load(PolicyStep.Load step) {
        loads.put(step.service(), step.utilisation());
        update();
        if (!follows) {
            follows = true;
            timeline.after(FOLLOW_NANOS, this::follow);
        }
    }

    private void follow() {
        update();
        timeline.after(FOLLOW_NANOS, this::follow);
    }

    private void update() {
        if (shares.update(curves, service -> loads.getOrDefault(service, Double.NaN), clock.nanos())) {
            limiter.index(compiled());
            escalator.rules(limiter.index());
        }
    }

    void ban(PolicyStep.Banned step) {
        long until = step.forMicros() == 0 ? Ban.FOREVER : clock.micros() + step.forMicros();
        bans.add(new Ban(
                step.kind(), step.attribute(), step.value(), step.domain(), until, step.reason(), "the test", false));
        publish();
    }

    void lift(PolicyStep.Lifted step) {
        bans.removeIf(each -> isOf(each, step));
        escalated.removeIf(each -> isOf(each, step));
        publish();
    }

    private static boolean isOf(Ban ban, PolicyStep.Lifted step) {
        return ban.attribute().equals(step.attribute()) && ban.value().equals(step.value());
    }

    private void escalated(Ban ban) {
        escalated.removeIf(each -> !each.holdsAt(clock.micros()));
        escalated.add(ban);
        publish();
    }

    private void publish() {
        limiter.bans(new BanTable(List.of(BanSet.of(bans, false), BanSet.of(escalated, true))));
    }

    void cut(PolicyStep.Unreachable step) {
        StoreLinks links = stores.get(step.store());
        Integer number = storeNumbers.get(step.store());
        if (links != null && number != null) {
            links.cut(number, step.forMicros() * 1_000);
        }
    }
}
