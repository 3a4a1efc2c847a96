package dev.weir.control.xds;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.weir.control.xds.proto.RateLimitConfig;
import dev.weir.control.xds.proto.RateLimitDescriptor;
import dev.weir.control.xds.proto.RateLimitPolicy;
import dev.weir.control.xds.proto.RateLimitUnit;
import dev.weir.rules.internal.load.RuleDocument;
import dev.weir.text.diagnostics.Position;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes a {@code RateLimitConfig} as YAML in Envoy's file format, so that there is one reader of rules. A comment on
 * each line names the field of the message that it came from; diagnostics point at that field.
 */
final class EnvoyYamlWriter {
    private static final String COMMENT = " # ";

    private final StringBuilder text = new StringBuilder();

    private EnvoyYamlWriter() {}

    static RuleDocument of(RateLimitConfig config) {
        EnvoyYamlWriter writer = new EnvoyYamlWriter();
        writer.line(0, "domain: " + quoted(config.getDomain()), "domain");
        writer.descriptors(0, config.getDescriptorsList(), "");
        return document("xds:" + config.getName(), writer.text.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Wraps a document that {@link #of} wrote. */
    static RuleDocument document(String name, byte[] bytes) {
        List<String> fieldPaths = new String(bytes, StandardCharsets.UTF_8)
                .lines()
                .map(each -> each.substring(each.lastIndexOf(COMMENT) + COMMENT.length()))
                .toList();
        return new RuleDocument(name, bytes, at -> fieldPath(at, fieldPaths));
    }

    private static String fieldPath(Position at, List<String> fieldPaths) {
        return at.line() < 1 || at.line() > fieldPaths.size() ? "" : fieldPaths.get(at.line() - 1);
    }

    private void descriptors(int depth, List<RateLimitDescriptor> descriptors, String path) {
        if (descriptors.isEmpty()) {
            return;
        }
        String field = path.isEmpty() ? "descriptors" : path + ".descriptors";
        line(depth, "descriptors:", field);
        for (int i = 0; i < descriptors.size(); i++) {
            descriptor(depth + 1, descriptors.get(i), field + "[" + i + "]");
        }
    }

    private void descriptor(int depth, RateLimitDescriptor descriptor, String path) {
        line(depth, "- key: " + quoted(descriptor.getKey()), path);
        int inside = depth + 1;
        if (!descriptor.getValue().isEmpty()) {
            line(inside, "value: " + quoted(descriptor.getValue()), path + ".value");
        }
        flag(inside, "shadow_mode", descriptor.getShadowMode(), path);
        flag(inside, "quota_mode", descriptor.getQuotaMode(), path);
        flag(inside, "detailed_metric", descriptor.getDetailedMetric(), path);
        if (descriptor.getMetadata().getFieldsCount() > 0) {
            line(inside, "metadata: " + json(descriptor.getMetadata()), path + ".metadata");
        }
        if (descriptor.hasRateLimit()) {
            rateLimit(inside, descriptor.getRateLimit(), path + ".rate_limit");
        }
        descriptors(inside, descriptor.getDescriptorsList(), path);
    }

    private void rateLimit(int depth, RateLimitPolicy policy, String path) {
        line(depth, "rate_limit:", path);
        int inside = depth + 1;
        RateLimitUnit unit = policy.getUnit();
        // Without a limit the unit does not matter; with a limit, an unknown unit is an error.
        if (!policy.getUnlimited() || (unit != RateLimitUnit.UNKNOWN && unit != RateLimitUnit.UNRECOGNIZED)) {
            String name = unit == RateLimitUnit.UNRECOGNIZED ? String.valueOf(policy.getUnitValue()) : unit.name();
            line(inside, "unit: " + name, path + ".unit");
        }
        line(
                inside,
                "requests_per_unit: " + Integer.toUnsignedString(policy.getRequestsPerUnit()),
                path + ".requests_per_unit");
        flag(inside, "unlimited", policy.getUnlimited(), path);
        if (!policy.getName().isEmpty()) {
            line(inside, "name: " + quoted(policy.getName()), path + ".name");
        }
        if (policy.getReplacesCount() > 0) {
            line(inside, "replaces:", path + ".replaces");
            for (int i = 0; i < policy.getReplacesCount(); i++) {
                String fieldPath = path + ".replaces[" + i + "]";
                line(inside + 1, "- name: " + quoted(policy.getReplaces(i).getName()), fieldPath);
            }
        }
    }

    private void flag(int depth, String name, boolean value, String path) {
        if (value) {
            line(depth, name + ": true", path + "." + name);
        }
    }

    private void line(int depth, String content, String fieldPath) {
        text.append("  ".repeat(depth))
                .append(content)
                .append(COMMENT)
                .append(fieldPath)
                .append('\n');
    }

    private static String json(Struct struct) {
        StringBuilder out = new StringBuilder("{");
        struct.getFieldsMap()
                .forEach((name, value) -> out.append(out.length() > 1 ? ", " : "")
                        .append(quoted(name))
                        .append(": ")
                        .append(json(value)));
        return out.append('}').toString();
    }

    private static String json(Value value) {
        return switch (value.getKindCase()) {
            case STRUCT_VALUE -> json(value.getStructValue());
            case LIST_VALUE -> {
                StringBuilder out = new StringBuilder("[");
                value.getListValue()
                        .getValuesList()
                        .forEach(
                                each -> out.append(out.length() > 1 ? ", " : "").append(json(each)));
                yield out.append(']').toString();
            }
            case BOOL_VALUE -> String.valueOf(value.getBoolValue());
            case NUMBER_VALUE -> number(value.getNumberValue());
            case STRING_VALUE -> quoted(value.getStringValue());
            case NULL_VALUE, KIND_NOT_SET -> "null";
        };
    }

    /** Formats a number. JSON cannot express NaN and infinity; envoyproxy/ratelimit would not pass them on either. */
    private static String number(double value) {
        return Double.isFinite(value) ? String.valueOf(value) : "null";
    }

    /** Quotes a text; every character that is not plainly visible is escaped. */
    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        text.codePoints().forEach(each -> {
            if (each == '"' || each == '\\') {
                out.append('\\').append((char) each);
            } else if (each < ' ' || (each > '~' && !Character.isLetterOrDigit(each))) {
                out.append(String.format("\\U%08x", each));
            } else {
                out.appendCodePoint(each);
            }
        });
        return out.append('"').toString();
    }
}
