package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.model.Rule;
import dev.weir.rules.internal.grammar.RuleFile.Placed;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Fields;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Scalar;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code domain} and {@code descriptors} with the meaning they have in envoyproxy/ratelimit. If
 * envoyproxy/ratelimit silently accepts a file of which a part has no effect, Weir accepts it too and warns.
 */
final class EnvoyFormat {
    private final DiagnosticCollector problems;
    private final EnvoyRateLimit rateLimit;
    private String domain = "";

    EnvoyFormat(DiagnosticCollector problems, StoreNames stores, boolean calendarMonths) {
        this.problems = problems;
        this.rateLimit = new EnvoyRateLimit(problems, stores, calendarMonths);
    }

    RuleFile.Envoy read(Fields root) {
        EnvoyFields.allow(root, EnvoyFields.ROOT, Map.of());
        String name = root.text("domain");
        if (name == null || name.isEmpty()) {
            if (name != null || root.lacks("domain")) {
                String expected = "expected: the domain that Envoy's filter sends";
                problems.error(root.at("domain"), "domain is missing", expected);
            }
        } else {
            domain = name;
        }
        List<Placed<EnvoyDescriptor>> descriptors = siblings(root, "", "");
        rateLimit.warnOfMetrics();
        if (descriptors.isEmpty() && problems.errors() == 0) {
            String message = "no descriptors: NOTHING is limited in domain " + quote(domain);
            problems.warning(root.nameAt("descriptors"), message, "");
        }
        return new RuleFile.Envoy(domain, root.at("domain"), problems, descriptors, rateLimit.replaced());
    }

    /** Reads the descriptors of one level; {@code path} and {@code label} are those of the level above. */
    private List<Placed<EnvoyDescriptor>> siblings(Fields parent, String path, String label) {
        List<Placed<EnvoyDescriptor>> level = new ArrayList<>();
        for (YamlNode each : parent.list("descriptors")) {
            Fields fields = Fields.of(each, "descriptor", problems);
            EnvoyDescriptor descriptor = fields == null ? null : descriptor(fields, path, label);
            if (descriptor != null) {
                level.add(new Placed<>(descriptor, each.at()));
            }
        }
        if (!path.isEmpty()) {
            reportDuplicates(level);
        }
        UnreachableDescriptorWarnings.warn(level, problems);
        return level;
    }

    /** Reports duplicate descriptors of one level. The first level is compared across files by {@code DomainMerger}. */
    private void reportDuplicates(List<Placed<EnvoyDescriptor>> level) {
        Map<String, Position> seen = new LinkedHashMap<>();
        for (Placed<EnvoyDescriptor> each : level) {
            String step = RuleIdentity.step(each.value().key(), each.value().value());
            Position first = seen.putIfAbsent(step, each.at());
            if (first != null) {
                problems.error(each.at(), "duplicate descriptor " + name(each.value()), "first at " + first);
            }
        }
    }

    private @Nullable EnvoyDescriptor descriptor(Fields fields, String path, String label) {
        EnvoyFields.allow(fields, EnvoyFields.DESCRIPTOR, EnvoyFields.DESCRIPTOR_OTHERS);
        String key = text(fields, "key");
        if (key.isEmpty() && (fields.node("key") instanceof Scalar || fields.lacks("key"))) {
            problems.error(fields.at("key"), "descriptor has no key");
        }
        if (key.indexOf('*') >= 0) {
            String hint = "only value has wildcards";
            problems.warning(fields.at("key"), "key " + quote(key) + " is matched literally", hint);
        }
        String value = text(fields, "value");
        String ownPath = path.isEmpty() ? RuleIdentity.step(key, value) : path + "/" + RuleIdentity.step(key, value);
        String step = value.isEmpty() ? key : key + "_" + value;
        String ownLabel = label.isEmpty() ? step : label + "." + step;
        boolean share = fields.flag("share_threshold", false);
        if (share && value.indexOf('*') < 0) {
            String expected = "expected: a value with a *, whose values share one counter";
            problems.error(fields.nameAt("share_threshold"), "share_threshold on " + quote(step), expected);
        }
        Rule rule = rateLimit.read(fields, domain, ownPath, ownLabel);
        List<EnvoyDescriptor> children = new ArrayList<>();
        siblings(fields, ownPath, ownLabel).forEach(child -> children.add(child.value()));
        return key.isEmpty() ? null : new EnvoyDescriptor(key, value, rule, share, children);
    }

    private static String text(Fields fields, String name) {
        String text = fields.text(name);
        return text == null ? "" : text;
    }

    static String name(EnvoyDescriptor descriptor) {
        String value = descriptor.value();
        return value.isEmpty() ? descriptor.key() : descriptor.key() + "=" + value;
    }
}
