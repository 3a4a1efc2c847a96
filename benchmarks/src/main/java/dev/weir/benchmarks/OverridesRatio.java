package dev.weir.benchmarks;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.match.override.LimitOverride;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.rules.internal.load.RuleLoader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Measures what 100,000 loaded overrides, all different, cost the decisions of a thousand callers: callers without an
 * override, and callers with one each; and also what it costs a caller to get one. No request is denied. Both sides run
 * in one JVM, in turns, in CPU time of the one thread.
 */
public final class OverridesRatio {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int OVERRIDES = 100_000;
    private static final int FEW = 1_000;
    private static final int REQUESTS = 1 << 16;
    private static final int DECISIONS = 200_000;
    private static final int WARM_UP = 10;
    private static final String RULES = """
            domain: api
            key_by: api_key
            rules:
              - { name: orders, match: { endpoint: "POST /api/v1/orders" }, limit: { requests: 1000000, window: 1m } }
            """;

    private OverridesRatio() {}

    public static void main(String[] args) {
        int turns = args.length > 0 ? Integer.parseInt(args[0]) : 30;
        Map<String, CallerOverrides> quotas = new ConcurrentHashMap<>();
        for (int i = 0; i < OVERRIDES; i++) {
            LimitOverride override = new LimitOverride("endpoint:POST /api/v1/orders", 1_000_000 + i, 60_000_000, null);
            quotas.put("key-" + i, new CallerOverrides(null, List.of(override)));
        }
        Map<String, CallerOverrides> few = new ConcurrentHashMap<>(quotas);
        few.keySet().removeIf(key -> Integer.parseInt(key.substring("key-".length())) >= FEW);
        Side none = new Side(Map.of());
        Side some = new Side(few);
        Side all = new Side(quotas);
        compare("callers without an override, none loaded", turns, none, all, requests("other-", FEW));
        compare("callers with an override each, only theirs loaded", turns, some, all, requests("key-", FEW));
        compare("callers that get an override each, none loaded", turns, none, all, requests("key-", FEW));
    }

    private static Request[] requests(String prefix, int asking) {
        Random random = new Random(42);
        Request[] requests = new Request[REQUESTS];
        for (int i = 0; i < REQUESTS; i++) {
            requests[i] = Request.to("api")
                    .descriptor()
                    .with("api_key", prefix + random.nextInt(asking))
                    .with("endpoint", "POST /api/v1/orders");
        }
        return requests;
    }

    private record Turn(double nanos) {}

    private static void compare(String whom, int turns, Side few, Side many, Request[] requests) {
        List<Turn> without = new ArrayList<>();
        List<Turn> with = new ArrayList<>();
        for (int turn = -WARM_UP; turn < turns; turn++) {
            double first = few.decide(requests);
            double second = many.decide(requests);
            if (turn >= 0) {
                without.add(new Turn(first));
                with.add(new Turn(second));
            }
        }
        System.out.printf(
                "%,d %s: %.0f ns a decision; %.0f ns with %,d loaded: %.2f times (medians of %d turns)%n",
                FEW,
                whom,
                Median.of(without, Turn::nanos),
                Median.of(with, Turn::nanos),
                OVERRIDES,
                Median.ofRatios(with, without, Turn::nanos),
                turns);
    }

    /** A limiter with its counters and its requests. */
    private static final class Side {
        private final Limiter limiter;
        private final MutableDecision decision = new MutableDecision();
        private long now = 1_800_000_000_000_000L;
        private int next;

        Side(Map<String, CallerOverrides> quotas) {
            WrittenRules rules =
                    Objects.requireNonNull(RuleLoader.parse("rules.yaml", RULES).rules());
            limiter = new Limiter(
                    RuleIndex.of(rules, quotas::get, RuleSwitches.NONE),
                    new MemoryStore(1 << 20),
                    SharedStores.none(),
                    TimeSource.system(),
                    LimiterSettings.defaults(),
                    new LimiterObserver() {});
        }

        double decide(Request[] requests) {
            long before = THREADS.getCurrentThreadCpuTime();
            for (int i = 0; i < DECISIONS; i++) {
                limiter.decide(requests[next++ & REQUESTS - 1], now += 10, decision);
            }
            return (double) (THREADS.getCurrentThreadCpuTime() - before) / DECISIONS;
        }
    }
}
