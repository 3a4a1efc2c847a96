package dev.weir.simulation;

import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.simulation.fleet.FleetSettings;
import dev.weir.simulation.fleet.FleetSettings.Kind;
import dev.weir.simulation.scenario.Fault;
import dev.weir.simulation.scenario.Scenario;
import dev.weir.simulation.store.Latency;
import dev.weir.simulation.store.LinkSettings;
import dev.weir.simulation.traffic.ArrivalProcess;
import dev.weir.simulation.traffic.CallerDistribution;
import dev.weir.simulation.traffic.FlowSettings;
import dev.weir.simulation.traffic.Placement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A small fleet whose requests meet several limits, in this process, in up to three stores and in the slots of each, with much going
 * wrong; all of it drawn from a seed.
 */
final class SeveralPlaces {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final List<Fault.Kind> FAULTS = List.of(Fault.Kind.values());
    private static final String[] KEYS = {"user_id", "fleet", "team", "region", "plan"};
    private static final String[] STORES = {"default", "a", "b"};
    private static final String[] ALGORITHMS = {
        "fixed_window", "fixed_window", "token_bucket", "gcra", "sliding_window", "sliding_window_log"
    };
    private static final String[] ON_FAIL = {"allow", "deny", "local"};

    private SeveralPlaces() {}

    static Scenario of(long seed) {
        SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + 2);
        int nodes = random.nextInt(1, 5);
        long duration = random.nextLong(2, 5) * SECOND;
        boolean good = random.nextInt(3) > 0;
        int stores = random.nextInt(1, STORES.length + 1);
        LinkSettings link = link(random, good);
        Map<String, LinkSettings> others = new LinkedHashMap<>();
        int servers = link.servers();
        for (int i = 1; i < stores; i++) {
            LinkSettings next = link(random, good);
            others.put(STORES[i], next);
            servers += next.servers();
        }
        FleetSettings fleet = new FleetSettings(
                nodes,
                Kind.WEIR,
                random.nextLong(0, 200_000),
                random.nextInt(3) == 0 ? 100 : 0,
                link,
                LimiterSettings.defaults().withTierCounters(64).withDeadlineMicros(random.nextLong(5_000, 20_000)),
                others);
        List<FlowSettings> traffic = new ArrayList<>();
        for (int i = random.nextInt(1, 3); i > 0; i--) {
            traffic.add(flow(random));
        }
        List<Fault> faults = new ArrayList<>();
        boolean ofStoresOnly = random.nextBoolean();
        for (int i = random.nextInt(0, 7); i > 0; i--) {
            faults.add(fault(random, nodes, servers, duration, ofStoresOnly));
        }
        long lag = random.nextInt(2) == 0 ? 0 : random.nextLong(1, 300) * MILLI;
        return Scenario.of(rules(random, stores), fleet, traffic, duration, seed)
                .with(faults, lag);
    }

    private static LinkSettings link(SplittableRandom random, boolean good) {
        long median = random.nextLong(50, 800) * 1_000;
        int slots = random.nextInt(3) == 0 ? 1 : 16;
        return new LinkSettings(
                new Latency(median, good ? 3 * median : Math.max(median, random.nextLong(1, 8) * MILLI)),
                good || random.nextBoolean() ? 0 : 0.01,
                random.nextLong(20, 200) * MILLI,
                random.nextLong(1, 60) * MILLI,
                slots,
                slots == 1 ? 1 : random.nextInt(1, 4));
    }

    private static WrittenRules rules(SplittableRandom random, int stores) {
        String text = random.nextInt(3) == 0 ? envoyRules(random, stores) : weirRules(random, stores);
        return RuleLoader.parse("rules.yaml", text).orThrow();
    }

    /** Envoy's format: fixed windows count when denied, and some rules are quotas. */
    private static String envoyRules(SplittableRandom random, int stores) {
        StringBuilder text = new StringBuilder("domain: default\ndescriptors:\n");
        int rules = random.nextInt(2, KEYS.length + 1);
        for (int i = 0; i < rules; i++) {
            text.append("  - key: ").append(KEYS[i]);
            text.append("\n    quota_mode: ").append(random.nextInt(3) == 0);
            text.append("\n    rate_limit: { unit: ").append(random.nextBoolean() ? "second" : "minute");
            text.append(", requests_per_unit: ").append(random.nextInt(20, 500));
            text.append(", algorithm: ").append(ALGORITHMS[random.nextInt(3)]);
            text.append(", on_fail: ").append(ON_FAIL[random.nextInt(ON_FAIL.length)]);
            text.append(random.nextInt(8) == 0 ? ", consistency: local" : ", store: " + STORES[random.nextInt(stores)]);
            text.append(" }\n");
        }
        return text.toString();
    }

    private static String weirRules(SplittableRandom random, int stores) {
        StringBuilder text = new StringBuilder("rules:\n");
        int rules = random.nextInt(2, KEYS.length + 1);
        int tight = random.nextInt(rules);
        for (int i = 0; i < rules; i++) {
            text.append("  - { name: r")
                    .append(i)
                    .append(", key_by: ")
                    .append(KEYS[i])
                    .append(", limit: ")
                    .append(limit(random, i == tight))
                    .append(", on_fail: ")
                    .append(ON_FAIL[random.nextInt(ON_FAIL.length)]);
            int kind = random.nextInt(10);
            if (kind == 0) {
                text.append(", consistency: local");
            } else {
                text.append(kind == 1 ? ", consistency: leased" : kind == 2 ? ", shadow: true" : "")
                        .append(", store: ")
                        .append(STORES[random.nextInt(stores)]);
            }
            text.append(" }\n");
        }
        return text.toString();
    }

    private static String limit(SplittableRandom random, boolean tight) {
        String algorithm = ALGORITHMS[random.nextInt(ALGORITHMS.length)];
        long requests = new long[] {10, 50, 200, 1_000, 3_000}[tight ? random.nextInt(3) : random.nextInt(1, 5)];
        String window = new String[] {"500ms", "1s", "2s", "5s"}[random.nextInt(4)];
        return "{ requests: " + requests + ", window: " + window + ", algorithm: " + algorithm + " }";
    }

    private static FlowSettings flow(SplittableRandom random) {
        double rate = random.nextLong(30, 300);
        ArrivalProcess arrivals = switch (random.nextInt(3)) {
            case 0 -> new ArrivalProcess.WindowEdge(rate, SECOND, 50 * MILLI);
            case 1 -> new ArrivalProcess.Mmpp(rate, 10, 200 * MILLI);
            default -> new ArrivalProcess.Poisson(rate);
        };
        Map<String, String> attributes = new LinkedHashMap<>();
        for (int i = 1; i < KEYS.length; i++) {
            attributes.put(KEYS[i], KEYS[i] + random.nextInt(2));
        }
        return new FlowSettings(
                "c",
                "default",
                KEYS[0],
                attributes,
                random.nextInt(1, 4),
                arrivals,
                new CallerDistribution.Alike(random.nextInt(1, 8)),
                new Placement.Spread(),
                false);
    }

    private static Fault fault(SplittableRandom random, int nodes, int servers, long duration, boolean ofStoresOnly) {
        Fault.Kind kind = FAULTS.get(random.nextInt(FAULTS.size()));
        boolean ofConnection = kind == Fault.Kind.CUT || kind == Fault.Kind.BREAK;
        if (ofStoresOnly && !ofConnection && kind != Fault.Kind.FAIL_OVER) {
            kind = Fault.Kind.PAUSE;
        }
        boolean ofStore =
                kind == Fault.Kind.FAIL_OVER || (kind == Fault.Kind.PAUSE && (ofStoresOnly || random.nextBoolean()));
        int server = ofConnection && random.nextInt(4) == 0 ? Fault.EVERY : random.nextInt(servers);
        return new Fault(
                random.nextLong(duration),
                kind,
                ofStore ? Fault.STORE : random.nextInt(nodes),
                random.nextLong(1, 1_500) * MILLI,
                ofStore || ofConnection ? server : Fault.EVERY);
    }
}
