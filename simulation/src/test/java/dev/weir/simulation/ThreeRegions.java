package dev.weir.simulation;

import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.RuleDocument;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.rules.internal.regions.RegionNames;
import dev.weir.simulation.fleet.FleetSettings;
import dev.weir.simulation.fleet.RegionLayout;
import dev.weir.simulation.scenario.Fault;
import dev.weir.simulation.scenario.Scenario;
import dev.weir.simulation.store.Latency;
import dev.weir.simulation.store.LinkSettings;
import dev.weir.simulation.traffic.FlowSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Three regions, of which the first is home. */
final class ThreeRegions {
    static final long MILLI = 1_000_000;
    static final long SECOND = 1_000 * MILLI;
    /** The number of the home region's store. */
    static final int HOME = 0;

    private static final List<String> NAMES = List.of("eu", "us", "ap");

    private ThreeRegions() {}

    /** The regions, with so many nodes in each, whose messages to home take {@code oneWayNanos}. */
    static RegionLayout layout(int nodesInEach, long oneWayNanos) {
        Map<String, Integer> nodes = new LinkedHashMap<>();
        NAMES.forEach(each -> nodes.put(each, nodesInEach));
        LinkSettings good = LinkSettings.good();
        Latency far = new Latency(oneWayNanos, oneWayNanos + oneWayNanos / 5);
        return new RegionLayout(
                nodes, NAMES.get(HOME), new LinkSettings(far, 0, 200 * MILLI, 3 * oneWayNanos, good.slots()));
    }

    /** The rules of {@code file} as the nodes of each region load them. */
    static Scenario.Run run(String file) {
        Map<String, WrittenRules> byRegion = new LinkedHashMap<>();
        for (String each : NAMES) {
            String home = NAMES.get(HOME);
            RegionNames known = new RegionNames(
                    Set.copyOf(NAMES), each, home, each.equals(home) ? "" : "region:" + home, others(each));
            byRegion.put(
                    each,
                    RuleLoader.load(
                                    List.of(new RuleDocument("rules.yaml", file.getBytes(StandardCharsets.UTF_8))),
                                    LoadOptions.DEFAULT.with(known))
                            .orThrow());
        }
        return new Scenario.Run(
                "weir",
                FleetSettings.Kind.WEIR,
                RuleLoader.parse("rules.yaml", file).orThrow(),
                byRegion);
    }

    private static Map<String, String> others(String region) {
        return NAMES.stream()
                .filter(each -> !each.equals(region))
                .collect(Collectors.toMap(each -> each, RegionLayout::storeOf));
    }

    static Scenario scenario(
            Scenario.Run run,
            FleetSettings fleet,
            List<FlowSettings> traffic,
            List<Fault> faults,
            long durationNanos,
            long lagNanos,
            long seed) {
        return new Scenario(
                "regions", Scenario.Measure.FLEET, seed, durationNanos, fleet, lagNanos, traffic, faults, List.of(run));
    }

    /** Cuts {@code region} off from all others: its nodes from their stores, and their nodes from its store. */
    static List<Fault> isolate(int region, int nodesInEach, long atNanos, long forNanos) {
        List<Fault> faults = new ArrayList<>();
        for (int i = 0; i < NAMES.size() * nodesInEach; i++) {
            for (int store = 0; store < NAMES.size(); store++) {
                boolean inside = i / nodesInEach == region;
                if (inside ? store != region : store == region) {
                    faults.add(new Fault(atNanos, Fault.Kind.CUT, i, forNanos, store));
                }
            }
        }
        return faults;
    }

    /** Cuts all nodes of {@code region} off from home. */
    static List<Fault> cutOff(int region, int nodesInEach, long atNanos, long forNanos) {
        List<Fault> faults = new ArrayList<>();
        for (int i = 0; i < nodesInEach; i++) {
            faults.add(new Fault(atNanos, Fault.Kind.CUT, region * nodesInEach + i, forNanos, HOME));
        }
        return faults;
    }
}
