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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** A small fleet with much going wrong, all of it drawn from a seed. */
final class RandomScenario {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final Map<String, WrittenRules> RULES = new HashMap<>();
    private static final List<Fault.Kind> FAULTS = List.of(Fault.Kind.values());
    private static final String[] ALGORITHMS = {
        "fixed_window", "token_bucket", "gcra", "sliding_window", "sliding_window, sub_windows: 5", "sliding_window_log"
    };

    private static final String[] CONSISTENCIES = {
        "exact",
        "leased",
        "leased",
        "leased",
        "reported, report_interval: 20ms",
        "reported, report_interval: 100ms",
        "reported"
    };

    private RandomScenario() {}

    static Scenario of(long seed) {
        SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + 1);
        int nodes = random.nextInt(2, 6);
        long duration = random.nextLong(2, 6) * SECOND;
        LinkSettings link = new LinkSettings(
                new Latency(random.nextLong(50, 800) * 1_000, random.nextLong(1, 8) * MILLI),
                random.nextInt(4) == 0 ? 0.01 : 0,
                random.nextLong(20, 200) * MILLI,
                random.nextLong(1, 60) * MILLI,
                16);
        FleetSettings fleet = new FleetSettings(
                nodes,
                Kind.WEIR,
                random.nextLong(0, 200_000),
                random.nextInt(3) == 0 ? 100 : 0,
                link,
                LimiterSettings.defaults().withTierCounters(64).withDeadlineMicros(random.nextLong(5_000, 20_000)));
        WrittenRules rules = rules(random);
        List<FlowSettings> traffic = new ArrayList<>();
        for (int i = random.nextInt(1, 3); i > 0; i--) {
            traffic.add(flow(random, nodes));
        }
        List<Fault> faults = new ArrayList<>();
        for (int i = random.nextInt(0, 8); i > 0; i--) {
            faults.add(fault(random, nodes, duration));
        }
        long lag = random.nextInt(2) == 0 ? 0 : random.nextLong(1, 300) * MILLI;
        return Scenario.of(rules, fleet, traffic, duration, seed).with(faults, lag);
    }

    private static WrittenRules rules(SplittableRandom random) {
        String limit = limit(random);
        String consistency = CONSISTENCIES[random.nextInt(CONSISTENCIES.length)];
        String text =
                "rules:\n  - { name: r, key_by: user_id, limit: " + limit + ", consistency: " + consistency + " }\n";
        if (consistency.equals("exact")) {
            text += "  - { name: all, key_by: fleet, limit: " + limit(random) + " }\n";
        }
        return parsed(text);
    }

    private static String limit(SplittableRandom random) {
        String algorithm = ALGORITHMS[random.nextInt(ALGORITHMS.length)];
        long requests = new long[] {5, 20, 100, 300}[random.nextInt(4)];
        String window = new String[] {"500ms", "1s", "2s"}[random.nextInt(3)];
        // A third of the buckets lend credit. It takes nothing from the random numbers, so that seeds keep their
        // faults.
        boolean lends = window.equals("1s") && (algorithm.equals("token_bucket") || algorithm.equals("gcra"));
        String credit = lends ? ", burst_credit: " + requests / 5 : "";
        return "{ requests: " + requests + ", window: " + window + ", algorithm: " + algorithm + credit + " }";
    }

    private static WrittenRules parsed(String text) {
        return RULES.computeIfAbsent(
                text, each -> RuleLoader.parse("rules.yaml", each).orThrow());
    }

    private static FlowSettings flow(SplittableRandom random, int nodes) {
        double rate = random.nextLong(50, 400);
        ArrivalProcess arrivals = switch (random.nextInt(5)) {
            case 0 -> new ArrivalProcess.Steady(rate);
            case 1 -> new ArrivalProcess.Mmpp(rate, 10, 200 * MILLI);
            case 2 -> new ArrivalProcess.OnOff(rate, 5, 100 * MILLI, 1.5);
            case 3 -> new ArrivalProcess.WindowEdge(rate, SECOND, 50 * MILLI);
            default -> new ArrivalProcess.Poisson(rate);
        };
        Placement placement = switch (random.nextInt(4)) {
            case 0 -> new Placement.Stick();
            case 1 -> new Placement.Wander(random.nextInt(1, nodes), random.nextLong(50, 800) * MILLI);
            case 2 -> new Placement.Skewed(1);
            default -> new Placement.Spread();
        };
        CallerDistribution callers = new CallerDistribution.Alike(random.nextInt(1, 4));
        boolean obeying = random.nextInt(3) == 0;
        return new FlowSettings(
                "c", "default", "user_id", Map.of("fleet", "f"), 1, arrivals, callers, placement, obeying);
    }

    private static Fault fault(SplittableRandom random, int nodes, long duration) {
        Fault.Kind kind = FAULTS.get(random.nextInt(FAULTS.size()));
        boolean ofStore = kind == Fault.Kind.FAIL_OVER || (kind == Fault.Kind.PAUSE && random.nextBoolean());
        return new Fault(
                random.nextLong(duration),
                kind,
                ofStore ? Fault.STORE : random.nextInt(nodes),
                random.nextLong(1, 1_500) * MILLI);
    }
}
