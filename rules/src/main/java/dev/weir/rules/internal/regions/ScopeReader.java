package dev.weir.rules.internal.regions;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.model.RegionScope;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Scalar;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@code scope}: over which regions a limit holds. */
public final class ScopeReader {
    public static final String NAME = "scope";

    private static final String EXAMPLE = "scope: { slices: { eu: 0.6, us: 0.4 } }";
    private static final List<String> WORDS = List.of("region", "global", "shared");
    private static final Pattern SHARE = Pattern.compile("[01](\\.[0-9]{1,6})?");
    private static final String IN_SETTINGS = "; regions are defined in weir.yaml";

    private final DiagnosticCollector problems;
    private final RegionNames regions;

    private ScopeReader(DiagnosticCollector problems, RegionNames regions) {
        this.problems = problems;
        this.regions = regions;
    }

    /** Returns the scope that {@code fields} give; {@code otherwise} if they give none, or an invalid one. */
    public static RegionScope read(Fields fields, RegionNames regions, RegionScope otherwise) {
        YamlNode node = fields.node(NAME);
        if (node == null) {
            return otherwise;
        }
        RegionScope read = new ScopeReader(fields.problems(), regions).read(node);
        return read == null ? otherwise : read;
    }

    private @Nullable RegionScope read(YamlNode node) {
        if (!(node instanceof Scalar word)) {
            Fields members = Fields.of(node, NAME, "{ slices: { eu: 0.6, us: 0.4 } }", problems);
            return members == null ? null : slices(members);
        }
        switch (word.text()) {
            case "region" -> {
                return RegionScope.REGION;
            }
            case "global" -> {
                return global(word.at());
            }
            case "shared" -> {
                return shared(word.at());
            }
            case "slices" -> problems.error(word.at(), "scope: slices without parts", "expected: " + EXAMPLE);
            default ->
                problems.error(
                        word.at(),
                        "unknown scope " + quote(word.text()),
                        Suggestion.among(word.text(), WORDS) + ", or " + EXAMPLE);
        }
        return null;
    }

    private @Nullable RegionScope global(Position at) {
        if (regions.known() != null && regions.home() == null) {
            String what = regions.known().isEmpty() ? "scope: global without regions" : "scope: global without a home";
            problems.error(at, what, "expected: region, regions and home in weir.yaml");
            return null;
        }
        return RegionScope.GLOBAL;
    }

    private @Nullable RegionScope shared(Position at) {
        if (regions.known() != null && regions.others().isEmpty()) {
            String what =
                    regions.known().isEmpty() ? "scope: shared without regions" : "scope: shared without share_counts";
            problems.error(at, what, "expected: region, regions with a store each, and share_counts in weir.yaml");
            return null;
        }
        return RegionScope.shared(regions.own(), regions.others());
    }

    private @Nullable RegionScope slices(Fields members) {
        int before = problems.errors();
        members.allow(List.of("slices"), Map.of());
        YamlNode node = members.node("slices");
        Fields slices = node == null ? null : Fields.of(node, "slices", "{ eu: 0.6, us: 0.4 }", problems);
        if (node == null && members.lacks("slices")) {
            problems.error(members.at(), "scope without slices", "expected: " + EXAMPLE);
        }
        if (slices == null) {
            return null;
        }
        Map<String, Integer> parts = new TreeMap<>();
        for (Entry each : slices.entries()) {
            add(each, parts);
        }
        if (problems.errors() > before) {
            return null;
        }
        checkSum(slices.at(), parts);
        Set<String> known = regions.known();
        if (known != null && known.isEmpty()) {
            problems.error(slices.at(), "slices without regions", "expected: region and regions in weir.yaml");
        } else if (known != null) {
            known.stream().filter(each -> !parts.containsKey(each)).forEach(each -> warnOfNone(slices.at(), each));
        }
        return problems.errors() > before ? null : RegionScope.slices(parts, regions.own());
    }

    private void add(Entry entry, Map<String, Integer> parts) {
        String region = entry.key().text();
        Set<String> known = regions.known();
        if (known != null && !known.isEmpty() && !known.contains(region)) {
            String hint = Suggestion.among(region, new TreeSet<>(known)) + IN_SETTINGS;
            problems.error(entry.key().at(), "unknown region " + quote(region), hint);
            return;
        }
        String share = entry.value() instanceof Scalar scalar
                ? scalar.text()
                : entry.value().kind();
        int millionths = SHARE.matcher(share).matches()
                ? new BigDecimal(share).movePointRight(6).intValueExact()
                : -1;
        if (millionths < 0 || millionths > RegionScope.WHOLE) {
            problems.error(entry.value().at(), "slice: " + quote(share), "expected: a share from 0 to 1, like 0.25");
            return;
        }
        parts.put(region, millionths);
        if (millionths == 0) {
            warnOfNone(entry.value().at(), region);
        }
    }

    private void warnOfNone(Position at, String region) {
        problems.warning(at, "region " + quote(region) + " has no slice", "the rule denies every request there");
    }

    private void checkSum(Position at, Map<String, Integer> parts) {
        int sum = parts.values().stream().mapToInt(Integer::intValue).sum();
        if (sum != RegionScope.WHOLE) {
            String all = BigDecimal.valueOf(sum, 6).stripTrailingZeros().toPlainString();
            problems.error(at, "slices: " + all + " in all", "expected: shares that add up to 1");
        }
    }

    /** Reports slices of {@code limit} that cannot be counted, or that no request of {@code cost} hits would pass. */
    public static void check(Fields fields, RegionScope scope, Limit limit, long cost) {
        Position at = fields.has(NAME) ? fields.at(NAME) : fields.at();
        scope.slices().forEach((region, share) -> {
            Limit part = scope.partOf(limit, region);
            String refusal = Meters.refusal(part);
            String what = "slice of region " + quote(region);
            if (refusal != null) {
                fields.problems().error(at, what, refusal);
            } else if (share > 0 && limit.capacity() >= cost && part.capacity() < cost) {
                String hint = "it is " + part.capacity() + ", and one request takes " + cost;
                fields.problems().warning(at, what + " lets no request pass", hint);
            }
        });
    }
}
