package dev.weir.simulation.scenario;

import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.simulation.fleet.FleetSettings;
import dev.weir.simulation.store.LinkSettings;
import dev.weir.simulation.traffic.FlowSettings;
import java.util.List;
import java.util.Map;

/**
 * An experiment.
 *
 * @param name what it shows, for people
 * @param measure what it measures
 * @param replicaLagNanos how far the store's replica is behind
 * @param runs the runs that are compared: each has the same traffic and the same faults
 */
public record Scenario(
        String name,
        Measure measure,
        long seed,
        long durationNanos,
        FleetSettings fleet,
        long replicaLagNanos,
        List<FlowSettings> traffic,
        List<Fault> faults,
        List<Run> runs) {

    private static final long MOST_SPREAD = 5;

    public Scenario {
        traffic = List.copyOf(traffic);
        faults = List.copyOf(faults);
        runs = List.copyOf(runs);
    }

    /** The kinds of measurement. */
    public enum Measure {
        /** A fleet: which requests pass, and at which cost. */
        FLEET,
        /** The sliding window counter against the exact log, for each entry of the traffic on its own. */
        SLIDING_WINDOW
    }

    /** A scenario of Weir alone with these rules, without faults. */
    public static Scenario of(
            WrittenRules rules, FleetSettings fleet, List<FlowSettings> traffic, long durationNanos, long seed) {
        Run weir = new Run("weir", FleetSettings.Kind.WEIR, rules);
        return new Scenario("weir", Measure.FLEET, seed, durationNanos, fleet, 0, traffic, List.of(), List.of(weir));
    }

    /** This scenario with other faults. */
    public Scenario with(List<Fault> others, long lagNanos) {
        return new Scenario(name, measure, seed, durationNanos, fleet, lagNanos, traffic, others, runs);
    }

    /**
     * One run of the comparison.
     *
     * @param byRegion the rules as the nodes of each region load them; empty if all load the same
     */
    public record Run(String name, FleetSettings.Kind kind, WrittenRules rules, Map<String, WrittenRules> byRegion) {
        public Run {
            byRegion = Map.copyOf(byRegion);
        }

        /** A run in which all nodes have the same rules. */
        public Run(String name, FleetSettings.Kind kind, WrittenRules rules) {
            this(name, kind, rules, Map.of());
        }
    }

    /**
     * Whether nothing goes wrong that concerns the server with this number: no node fails, no message is lost or takes many times what
     * others take, and neither the server nor its connections fail.
     */
    public boolean isCalm(int server) {
        LinkSettings link = linkTo(server);
        return link.loss() == 0
                && link.latency().p99Nanos() <= MOST_SPREAD * link.latency().medianNanos()
                && faults.stream().noneMatch(fault -> concerns(fault, server));
    }

    private static boolean concerns(Fault fault, int server) {
        boolean ofConnection = fault.kind() == Fault.Kind.CUT || fault.kind() == Fault.Kind.BREAK;
        return fault.server() == server
                || fault.server() == Fault.EVERY
                || (fault.node() != Fault.STORE && !ofConnection);
    }

    /** The way to the server with this number: those of all stores are numbered in their order. */
    private LinkSettings linkTo(int server) {
        int next = fleet.link().servers();
        if (server < next || fleet.regions() != null) {
            return fleet.link();
        }
        for (LinkSettings each : fleet.others().values()) {
            next += each.servers();
            if (server < next) {
                return each;
            }
        }
        throw new IllegalArgumentException("server: " + server + " (expected: below " + next + ")");
    }

    /** How many callers there are in all. */
    public long callers() {
        return traffic.stream().mapToLong(each -> each.callers().count()).sum();
    }

    /** This scenario with another seed. */
    public Scenario withSeed(long other) {
        return new Scenario(name, measure, other, durationNanos, fleet, replicaLagNanos, traffic, faults, runs);
    }
}
