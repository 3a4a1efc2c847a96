package dev.weir.simulation.scenario;

import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.regions.RegionNames;
import dev.weir.simulation.fleet.RegionLayout;
import dev.weir.simulation.store.Latency;
import dev.weir.simulation.store.LinkSettings;
import dev.weir.simulation.traffic.Placement;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Scalar;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the regions of a scenario, and what in traffic and faults refers to them. */
final class ScenarioRegions {
    private static final long MICRO = 1_000;
    private static final int PERCENT = 100;
    private static final int MOST_NODES = 10_000;

    private final DiagnosticCollector problems;
    private final RegionLayout layout;

    private ScenarioRegions(DiagnosticCollector problems, RegionLayout layout) {
        this.problems = problems;
        this.layout = layout;
    }

    /** The regions that {@code fleet} names; null if it names none. */
    static @Nullable ScenarioRegions read(@Nullable Fields fleet, DiagnosticCollector problems) {
        YamlNode node = fleet == null ? null : fleet.node("regions");
        Fields regions = node == null ? null : Fields.of(node, "regions", "{ eu: 2, us: 2 }", problems);
        if (fleet == null || regions == null) {
            return null;
        }
        Map<String, Integer> nodes = new LinkedHashMap<>();
        for (Entry each : regions.entries()) {
            nodes.put(each.key().text(), whole(each, "nodes", MOST_NODES, problems));
        }
        if (nodes.isEmpty()) {
            problems.error(regions.at(), "regions: empty", "expected: { eu: 2, us: 2 }, the nodes of each");
            return null;
        }
        String home = fleet.text("home");
        if (home != null && !nodes.containsKey(home)) {
            String hint = Suggestion.among(home, new TreeSet<>(nodes.keySet()));
            problems.error(fleet.at("home"), "home: unknown region '" + home + "'", hint);
            home = null;
        }
        long median = VirtualDurations.micros(fleet, "far", 50 * MICRO) * MICRO;
        long p99 = VirtualDurations.micros(fleet, "far_p99", median / MICRO * 6 / 5) * MICRO;
        LinkSettings good = LinkSettings.good();
        LinkSettings far = new LinkSettings(
                new Latency(median, Math.max(median, p99)), 0, good.resendNanos(), 3 * median, good.slots());
        String first = nodes.keySet().iterator().next();
        return new ScenarioRegions(problems, new RegionLayout(nodes, home == null ? first : home, far));
    }

    RegionLayout layout() {
        return layout;
    }

    private static int whole(Entry entry, String what, int most, DiagnosticCollector problems) {
        String text = entry.value() instanceof Scalar scalar
                ? scalar.text()
                : entry.value().kind();
        try {
            int number = Integer.parseInt(text);
            if (number >= 0 && number <= most) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // reported below
        }
        problems.error(entry.value().at(), what + ": '" + text + "'", "expected: a number from 0 to " + most);
        return 0;
    }

    /** Loads the rules of {@code text} as the nodes of {@code region} do. */
    LoadResult load(EmbeddedRules text, String file, @Nullable String consistency, LoadOptions options, String region) {
        Map<String, String> others = new TreeMap<>();
        layout.regions().stream()
                .filter(each -> !each.equals(region))
                .forEach(each -> others.put(each, RegionLayout.storeOf(each)));
        String home = layout.home();
        String homeStore = home.equals(region) ? "" : RegionLayout.storeOf(home);
        TreeSet<String> known = new TreeSet<>(layout.regions());
        return text.load(file, consistency, options.with(new RegionNames(known, region, home, homeStore, others)));
    }

    /** Loads the rules of all regions, which have no errors. */
    Map<String, WrittenRules> loadAll(
            EmbeddedRules text, String file, @Nullable String consistency, LoadOptions options) {
        Map<String, WrittenRules> byRegion = new LinkedHashMap<>();
        for (String each : layout.regions()) {
            byRegion.put(each, load(text, file, consistency, options, each).orThrow());
        }
        return byRegion;
    }

    /** The placement of a flow by {@code shares} of regions in percent, which change to {@code then} at {@code moves}. */
    Placement placement(Fields flow) {
        List<Integer> shares = shares(flow, "shares");
        boolean moves = flow.has("then");
        List<Integer> then = moves ? shares(flow, "then") : shares;
        long at = VirtualDurations.micros(flow, "moves", 0) * MICRO;
        if (moves != flow.has("moves")) {
            problems.error(flow.at(), "shares that change need then and moves", "expected: both, or neither");
        }
        return new Placement.Regions(List.copyOf(layout.nodes().values()), shares, then, moves ? at : Long.MAX_VALUE);
    }

    private List<Integer> shares(Fields flow, String name) {
        YamlNode node = flow.node(name);
        Fields given = node == null ? null : Fields.of(node, name, "{ eu: 80, us: 20 }", problems);
        Map<String, Integer> shares = new LinkedHashMap<>();
        layout.regions().forEach(each -> shares.put(each, 0));
        for (Entry each : given == null ? List.<Entry>of() : given.entries()) {
            String region = each.key().text();
            if (!shares.containsKey(region)) {
                String hint = Suggestion.among(region, new TreeSet<>(shares.keySet()));
                problems.error(each.key().at(), name + ": unknown region '" + region + "'", hint);
            }
            shares.put(region, whole(each, name, PERCENT, problems));
        }
        int sum = shares.values().stream().mapToInt(Integer::intValue).sum();
        if (given == null || sum != PERCENT) {
            problems.error(
                    given == null ? flow.at() : given.at(),
                    name + ": " + (given == null ? "missing" : sum + " in all"),
                    "expected: the percentage of each region, 100 in all");
        }
        return List.copyOf(shares.values());
    }

    /** The number of the store of {@code region}; -1 if it is unknown. */
    int storeOf(String region) {
        return layout.regions().indexOf(region);
    }

    /** Cuts {@code region} off from all others: its nodes from their stores, and their nodes from its store. */
    List<Fault> isolate(String region, long atNanos, long forNanos) {
        List<Fault> faults = new ArrayList<>();
        int own = storeOf(region);
        int nodes = layout.nodes().values().stream().mapToInt(Integer::intValue).sum();
        for (int node = 0; node < nodes; node++) {
            boolean inside = layout.regionOf(node).equals(region);
            for (int store = 0; store < layout.regions().size(); store++) {
                if (inside == (store != own)) {
                    faults.add(new Fault(atNanos, Fault.Kind.CUT, node, forNanos, store));
                }
            }
        }
        return faults;
    }
}
