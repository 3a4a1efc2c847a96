package dev.weir.simulation.scenario;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.grammar.RuleFile;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.simulation.fleet.FleetSettings;
import dev.weir.simulation.scenario.Scenario.Run;
import dev.weir.simulation.store.Latency;
import dev.weir.simulation.store.LinkSettings;
import dev.weir.simulation.traffic.FlowSettings;
import dev.weir.text.diagnostics.Diagnostic;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads a scenario file: its own fields here, its rules with the reader of rule files. */
public final class ScenarioReader {
    private static final List<String> ROOT =
            List.of("scenario", "measure", "seed", "duration", "fleet", "store", "traffic", "faults", "compare");
    private static final List<String> ALL =
            Stream.concat(ROOT.stream(), RuleFile.FIELDS.stream()).distinct().toList();
    private static final List<String> FLEET = List.of(
            "nodes", "clock_skew", "clock_drift", "deadline", "tier_counters", "regions", "home", "far", "far_p99");
    private static final List<String> OF_REGIONS = List.of("home", "far", "far_p99");
    private static final List<String> STORE = List.of("latency", "latency_p99", "loss", "replica_lag");
    private static final List<String> FAULT = List.of("at", "fault", "on", "for");
    private static final List<String> COMPARED = List.of("exact", "leased", "reported", "local", "naive_chunks");
    /**
     * The default size of a node's local tier: smaller than a real one, because one process may simulate hundreds of
     * nodes.
     */
    private static final int FEW_COUNTERS = 1 << 12;

    /** A simulated fleet has a single shared store. */
    private static final LoadOptions ONE_STORE = new LoadOptions(false, Set.of(Rule.DEFAULT_STORE));

    /** The fault that cuts a region off from all others. */
    private static final String ISOLATE = "isolate";

    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000_000;

    private final DiagnosticCollector problems;
    private final Fields root;

    private ScenarioReader(DiagnosticCollector problems, Fields root) {
        this.problems = problems;
        this.root = root;
    }

    /** The result of reading: a scenario, or errors; warnings either way. */
    public record Read(@Nullable Scenario scenario, List<Diagnostic> diagnostics) {
        public Read {
            diagnostics = List.copyOf(diagnostics);
        }
    }

    /** Reads the bytes of a file; diagnostics call it {@code fileName}. */
    public static Read read(String fileName, byte[] bytes) {
        DiagnosticCollector problems = new DiagnosticCollector(fileName);
        YamlNode node = YamlReader.read(bytes, problems);
        if (node == null && problems.errors() == 0) {
            problems.error(new Position(1, 1), "the file is empty", "expected: a scenario");
        }
        Fields file = node == null ? null : Fields.of(node, "the file", problems);
        if (file == null) {
            return new Read(null, problems.all());
        }
        Fields own = file.only(ScenarioReader::isOwn);
        own.allow(ALL, Map.of());
        EmbeddedRules rules =
                EmbeddedRules.in(file.entries(), new String(bytes, StandardCharsets.UTF_8), ScenarioReader::isOwn);
        ScenarioReader reader = new ScenarioReader(problems, own);
        Fields fleet = reader.child("fleet", FLEET);
        ScenarioRegions regions = ScenarioRegions.read(fleet, problems);
        LoadResult loaded = regions == null
                ? rules.load(fileName, null, ONE_STORE)
                : regions.load(
                        rules, fileName, null, ONE_STORE, regions.layout().home());
        Scenario scenario = reader.read(rules, loaded.rules(), fleet, regions);
        List<Diagnostic> all = new ArrayList<>(problems.all());
        all.addAll(loaded.diagnostics());
        boolean wrong = all.stream().anyMatch(Diagnostic::isError);
        return new Read(wrong ? null : scenario, all);
    }

    /**
     * Whether a field is the scenario's, or a misspelling of one; names closer to fields of rule files are left to
     * their reader.
     */
    private static boolean isOwn(String field) {
        if (ALL.contains(field)) {
            return ROOT.contains(field);
        }
        String meant = Suggestion.nearest(field, ALL);
        return meant == null || ROOT.contains(meant);
    }

    private static boolean limitsConcurrency(Rule rule) {
        Limit limit = rule.limit();
        return limit != null && limit.algorithm() == Algorithm.CONCURRENCY;
    }

    private @Nullable Scenario read(
            EmbeddedRules text,
            @Nullable WrittenRules rules,
            @Nullable Fields fleetFields,
            @Nullable ScenarioRegions regions) {
        long duration = VirtualDurations.micros(root, "duration", 60 * MILLI) * MICRO;
        Long seed = root.whole("seed", 0, Long.MAX_VALUE);
        String name = root.text("scenario");
        Scenario.Measure measure = root.oneOf("measure", Scenario.Measure.values());
        Fields storeFields = child("store", STORE);
        FleetSettings fleet = fleet(fleetFields, link(storeFields));
        if (regions != null) {
            if (fleetFields != null && fleetFields.has("nodes")) {
                problems.error(fleetFields.at("nodes"), "nodes beside regions", "expected: the nodes of each region");
            }
            fleet = fleet.in(regions.layout());
        } else if (fleetFields != null) {
            OF_REGIONS.stream()
                    .filter(fleetFields::has)
                    .forEach(each -> problems.error(
                            fleetFields.at(each),
                            each + " without regions",
                            "expected: regions: { eu: 2, us: 2 }, too"));
        }
        List<FlowSettings> traffic = new ArrayList<>();
        List<YamlNode> flows = root.list("traffic");
        if (flows.isEmpty() && (root.has("traffic") || root.lacks("traffic"))) {
            problems.error(root.at("traffic"), "traffic: empty", "expected: a list of flows");
        }
        for (YamlNode each : flows) {
            FlowSettings flow = FlowReader.read(each, domainOf(rules), regions, problems);
            if (flow != null) {
                traffic.add(flow);
            }
        }
        List<Fault> faults = faults(fleet.nodes(), regions);
        if (rules != null && rules.rules().stream().anyMatch(ScenarioReader::limitsConcurrency)) {
            String hint = "expected: rates, because a simulated request has no end at which it gives a permit back";
            problems.error(root.at("rules"), "rules: one of them limits concurrency", hint);
        }
        if (rules == null || problems.errors() > 0) {
            return null;
        }
        long lag = storeFields == null ? 0 : VirtualDurations.micros(storeFields, "replica_lag", 0) * MICRO;
        return new Scenario(
                name == null ? problems.file() : name,
                measure == null ? Scenario.Measure.FLEET : measure,
                seed == null ? 1 : seed,
                duration,
                fleet,
                lag,
                traffic,
                faults,
                runs(text, rules, regions));
    }

    private static String domainOf(@Nullable WrittenRules rules) {
        return rules == null || rules.domains().isEmpty()
                ? "default"
                : rules.domains().iterator().next();
    }

    private @Nullable Fields child(String name, List<String> known) {
        YamlNode node = root.node(name);
        Fields fields = node == null ? null : Fields.of(node, name, problems);
        if (fields != null) {
            fields.allow(known, Map.of());
        }
        return fields;
    }

    private FleetSettings fleet(@Nullable Fields fields, LinkSettings link) {
        LimiterSettings limiter = LimiterSettings.defaults().withTierCounters(FEW_COUNTERS);
        if (fields == null) {
            return new FleetSettings(10, FleetSettings.Kind.WEIR, 0, 0, link, limiter);
        }
        Long nodes = fields.whole("nodes", 1, 100_000);
        Long counters = fields.whole("tier_counters", 1, 1 << 24);
        Long drift = fields.whole("clock_drift", 0, 1_000);
        return new FleetSettings(
                nodes == null ? 10 : nodes.intValue(),
                FleetSettings.Kind.WEIR,
                VirtualDurations.micros(fields, "clock_skew", 0),
                drift == null ? 0 : drift,
                link,
                limiter.withDeadlineMicros(VirtualDurations.micros(fields, "deadline", limiter.deadlineMicros()))
                        .withTierCounters(counters == null ? FEW_COUNTERS : counters.intValue()));
    }

    private LinkSettings link(@Nullable Fields fields) {
        LinkSettings good = LinkSettings.good();
        if (fields == null) {
            return good;
        }
        long median = VirtualDurations.micros(fields, "latency", good.latency().medianNanos() / MICRO) * MICRO;
        long p99 = VirtualDurations.micros(fields, "latency_p99", 4 * median / MICRO) * MICRO;
        if (p99 < median) {
            problems.error(fields.at("latency_p99"), "latency_p99 below latency", "expected: at least as long");
            p99 = median;
        }
        double loss = Decimals.read(fields, "loss", 0, 0, 0.5);
        return new LinkSettings(
                new Latency(median, p99), loss, good.resendNanos(), good.reconnectNanos(), good.slots());
    }

    private List<Fault> faults(int nodes, @Nullable ScenarioRegions regions) {
        List<Fault> faults = new ArrayList<>();
        for (YamlNode each : root.list("faults")) {
            Fields fields = Fields.of(each, "a fault", problems);
            if (fields == null) {
                continue;
            }
            fields.allow(FAULT, Map.of());
            if (regions != null && addOfRegion(fields, regions, faults)) {
                continue;
            }
            Fault.Kind kind = fields.oneOf("fault", Fault.Kind.values());
            if (kind == null) {
                if (!fields.has("fault")) {
                    problems.error(
                            fields.at(),
                            "fault: missing",
                            "expected: pause, suspend, kill, stop, cut, break or fail_over");
                }
                continue;
            }
            boolean ofStore = "store".equals(fields.text("on")) || kind == Fault.Kind.FAIL_OVER;
            Long node = ofStore ? null : fields.whole("on", 0, nodes - 1L);
            if (!ofStore && node == null && !fields.has("on")) {
                problems.error(fields.at(), "on: missing", "expected: store, or the number of a node");
            }
            if (ofStore && kind != Fault.Kind.PAUSE && kind != Fault.Kind.FAIL_OVER) {
                problems.error(fields.at("on"), "on: store", "expected: a node; the store can pause or fail_over");
            }
            faults.add(new Fault(
                    VirtualDurations.micros(fields, "at", 0) * MICRO,
                    kind,
                    node == null ? Fault.STORE : node.intValue(),
                    VirtualDurations.micros(fields, "for", MILLI) * MICRO));
        }
        return faults;
    }

    /** Adds the fault if it is one of a region: a partition, or a store that stops. */
    private boolean addOfRegion(Fields fields, ScenarioRegions regions, List<Fault> into) {
        String on = fields.text("on");
        boolean cut = ISOLATE.equals(fields.text("fault"));
        int store = on == null ? -1 : regions.storeOf(on);
        if (cut && store < 0) {
            String hint =
                    "expected: one of " + String.join(", ", regions.layout().regions());
            problems.error(fields.at(), "isolate: " + (on == null ? "no region" : "on '" + on + "'"), hint);
        }
        if (!cut && store < 0) {
            return false;
        }
        long at = VirtualDurations.micros(fields, "at", 0) * MICRO;
        long lasts = VirtualDurations.micros(fields, "for", MILLI) * MICRO;
        if (cut && store >= 0 && on != null) {
            into.addAll(regions.isolate(on, at, lasts));
        } else if (!cut) {
            Fault.Kind kind = fields.oneOf("fault", Fault.Kind.values());
            if (kind == Fault.Kind.PAUSE || kind == Fault.Kind.FAIL_OVER) {
                into.add(new Fault(at, kind, Fault.STORE, lasts, store));
            } else if (kind != null) {
                problems.error(
                        fields.at("on"), "on: " + on, "expected: a node; the store of a region can pause or fail_over");
            }
        }
        return true;
    }

    private List<Run> runs(EmbeddedRules text, WrittenRules rules, @Nullable ScenarioRegions regions) {
        List<Run> runs = new ArrayList<>();
        runs.add(run(text, "weir", null, rules, regions));
        for (YamlNode each : root.list("compare")) {
            String name = each instanceof Scalar scalar ? scalar.text() : "";
            if (!COMPARED.contains(name)) {
                problems.error(each.at(), "compare: '" + name + "'", Suggestion.among(name, COMPARED));
            } else if (regions != null && name.equals("naive_chunks")) {
                problems.error(each.at(), "compare: naive_chunks with regions", "expected: a consistency");
            } else if (name.equals("naive_chunks")) {
                runs.add(new Run("naive chunks", FleetSettings.Kind.NAIVE_CHUNKS, rules));
            } else {
                runs.add(run(text, name, name, null, regions));
            }
        }
        return runs;
    }

    /** A run of the real limiter; {@code consistency} and {@code loaded} may be null. */
    private Run run(
            EmbeddedRules text,
            String name,
            @Nullable String consistency,
            @Nullable WrittenRules loaded,
            @Nullable ScenarioRegions regions) {
        if (regions == null) {
            WrittenRules rules = loaded != null
                    ? loaded
                    : text.load(problems.file(), consistency, ONE_STORE).orThrow();
            return new Run(name, FleetSettings.Kind.WEIR, rules);
        }
        Map<String, WrittenRules> byRegion = regions.loadAll(text, problems.file(), consistency, ONE_STORE);
        String home = regions.layout().home();
        return new Run(name, FleetSettings.Kind.WEIR, Objects.requireNonNull(byRegion.get(home)), byRegion);
    }
}
