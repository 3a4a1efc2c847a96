package dev.weir.simulation.scenario;

import dev.weir.simulation.traffic.ArrivalProcess;
import dev.weir.simulation.traffic.CallerDistribution;
import dev.weir.simulation.traffic.FlowSettings;
import dev.weir.simulation.traffic.Placement;
import dev.weir.simulation.traffic.Zipf;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.fields.Fields;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Scalar;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads one entry of {@code traffic}. */
final class FlowReader {
    private static final List<String> KNOWN = List.of(
            "name",
            "key",
            "with",
            "hits",
            "rate",
            "arrivals",
            "burst",
            "mean",
            "shape",
            "window",
            "width",
            "callers",
            "zipf",
            "placement",
            "nodes",
            "every",
            "skew",
            "shares",
            "then",
            "moves",
            "obeys_retry_after");
    private static final long MICRO = 1_000;
    private static final long SECOND = 1_000_000;

    private final Fields fields;
    private final @Nullable ScenarioRegions regions;

    private FlowReader(Fields fields, @Nullable ScenarioRegions regions) {
        this.fields = fields;
        this.regions = regions;
    }

    private enum Pattern {
        POISSON,
        STEADY,
        MMPP,
        ON_OFF,
        WINDOW_EDGE
    }

    private enum Place {
        SPREAD,
        STICK,
        WANDER,
        SKEWED,
        REGIONS
    }

    /** Reads {@code node}; {@code regions} are those of the fleet, null if it has none. */
    static @Nullable FlowSettings read(
            YamlNode node, String domain, @Nullable ScenarioRegions regions, DiagnosticCollector problems) {
        Fields fields = Fields.of(node, "traffic", problems);
        if (fields == null) {
            return null;
        }
        fields.allow(KNOWN, Map.of("limit", "it belongs to a rule", "keys", "did you mean callers?"));
        return new FlowReader(fields, regions).read(domain);
    }

    private FlowSettings read(String domain) {
        String name = fields.text("name");
        String key = fields.text("key");
        Long hits = fields.whole("hits", 0, 1_000_000);
        Map<String, String> attributes = new LinkedHashMap<>();
        YamlNode with = fields.node("with");
        Fields given = with == null ? null : Fields.of(with, "with", fields.problems());
        if (given != null) {
            given.entries().forEach(each -> {
                if (each.value() instanceof Scalar scalar) {
                    attributes.put(each.key().text(), scalar.text());
                }
            });
        }
        return new FlowSettings(
                name == null ? "caller" : name,
                domain,
                key == null ? "user_id" : key,
                attributes,
                hits == null ? 1 : hits,
                arrivals(),
                callers(),
                placement(),
                fields.flag("obeys_retry_after", false));
    }

    private ArrivalProcess arrivals() {
        double rate = Decimals.rate(fields, "rate");
        Pattern pattern = fields.oneOf("arrivals", Pattern.values());
        double burst = Decimals.read(fields, "burst", 10, 1.001, 1e6);
        long mean = nanos("mean", SECOND);
        return switch (pattern == null ? Pattern.POISSON : pattern) {
            case POISSON -> new ArrivalProcess.Poisson(rate);
            case STEADY -> new ArrivalProcess.Steady(rate);
            case MMPP -> new ArrivalProcess.Mmpp(rate, burst, mean);
            case ON_OFF -> new ArrivalProcess.OnOff(rate, burst, mean, Decimals.read(fields, "shape", 1.5, 1.01, 10));
            case WINDOW_EDGE ->
                new ArrivalProcess.WindowEdge(rate, nanos("window", 60 * SECOND), nanos("width", SECOND / 10));
        };
    }

    private CallerDistribution callers() {
        Long count = fields.whole("callers", 1, 100_000_000);
        int callers = count == null ? 1 : count.intValue();
        return fields.has("zipf")
                ? new Zipf(callers, Decimals.read(fields, "zipf", 1, 0.01, 10))
                : new CallerDistribution.Alike(callers);
    }

    private Placement placement() {
        Place place = fields.oneOf("placement", Place.values());
        Long width = fields.whole("nodes", 1, 100_000);
        return switch (place == null ? Place.SPREAD : place) {
            case SPREAD -> new Placement.Spread();
            case STICK -> new Placement.Stick();
            case WANDER -> new Placement.Wander(width == null ? 1 : width.intValue(), nanos("every", SECOND));
            case SKEWED -> new Placement.Skewed(Decimals.read(fields, "skew", 1, 0.01, 10));
            case REGIONS -> inRegions();
        };
    }

    private Placement inRegions() {
        if (regions == null) {
            fields.problems()
                    .error(
                            fields.at("placement"),
                            "placement: regions without regions",
                            "expected: fleet: { regions: { eu: 2, us: 2 } }, too");
            return new Placement.Spread();
        }
        return regions.placement(fields);
    }

    private long nanos(String name, long otherwiseMicros) {
        return VirtualDurations.micros(fields, name, otherwiseMicros) * MICRO;
    }
}
