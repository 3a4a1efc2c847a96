package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode.Entry;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The fields of each mapping in Envoy's format. */
final class EnvoyFields {
    static final List<String> ROOT = List.of("domain", "descriptors");

    static final List<String> DESCRIPTOR = List.of(
            "key",
            "value",
            "rate_limit",
            "descriptors",
            "shadow_mode",
            "quota_mode",
            "detailed_metric",
            "value_to_metric",
            "share_threshold",
            "metadata");

    /** The fields that Weir adds to those of envoyproxy/ratelimit. */
    private static final List<String> OWN = Stream.of(LimitReader.SHARED, Behaviour.SHARED, List.of("rollout"))
            .flatMap(List::stream)
            .toList();

    static final List<String> RATE_LIMIT = Stream.concat(
                    Stream.of("unit", "requests_per_unit", "unlimited", "name", "replaces"), OWN.stream())
            .toList();

    static final List<String> REPLACES = List.of("name");

    /** The names of these fields in other limiters, with hints. */
    static final Map<String, String> DESCRIPTOR_OTHERS = Map.of(
            "limit", Suggestion.meant("rate_limit"),
            "limits", Suggestion.meant("rate_limit"),
            "rate_limits", Suggestion.meant("rate_limit"),
            "shadow", Suggestion.meant("shadow_mode"));

    static final Map<String, String> LIMIT_OTHERS = Map.of(
            "requests", Suggestion.meant("requests_per_unit"),
            "limit", Suggestion.meant("requests_per_unit"),
            "rate", Suggestion.meant("requests_per_unit"),
            "window", Suggestion.meant("unit") + " window: 1m is unit: minute",
            "period", Suggestion.meant("unit"),
            "interval", Suggestion.meant("unit"));

    private EnvoyFields() {}

    /**
     * Reports unknown fields. A known field in the wrong place is only a warning, because envoyproxy/ratelimit ignores
     * it.
     */
    static void allow(Fields fields, List<String> known, Map<String, String> others) {
        DiagnosticCollector problems = fields.problems();
        for (Entry each : fields.entries()) {
            String name = each.key().text();
            if (known.contains(name)) {
                continue;
            }
            String home = home(name);
            if (home != null && !OWN.contains(name)) {
                problems.warning(each.key().at(), quote(name) + " has no effect here", home);
            } else {
                fields.refuse(each, home != null ? home : others.get(name), known);
            }
        }
    }

    private static @Nullable String home(String name) {
        if (RATE_LIMIT.contains(name)) {
            return Fields.belongsIn("rate_limit");
        }
        if (name.equals("domain")) {
            return "it belongs at the top";
        }
        return DESCRIPTOR.contains(name) ? "it belongs in a descriptor, beside rate_limit" : null;
    }
}
