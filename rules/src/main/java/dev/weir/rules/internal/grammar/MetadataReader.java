package dev.weir.rules.internal.grammar;

import dev.weir.text.fields.Fields;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlNode.Sequence;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code metadata}. Only here a number or a flag is a typed value and not text, because metadata is sent as JSON.
 */
final class MetadataReader {
    private static final Pattern NUMBER = Pattern.compile("[-+]?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?");

    private MetadataReader() {}

    /** Reads the metadata of a descriptor; empty if it has none. */
    static Map<String, Object> read(Fields descriptor) {
        YamlNode node = descriptor.node("metadata");
        Fields fields = node == null ? null : Fields.of(node, "metadata", descriptor.problems());
        return fields == null ? Map.of() : map(fields.entries());
    }

    private static Map<String, Object> map(List<Entry> entries) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (Entry each : entries) {
            Object value = value(each.value());
            if (value != null) {
                map.put(each.key().text(), value);
            }
        }
        return map;
    }

    private static @Nullable Object value(YamlNode node) {
        if (node instanceof Mapping mapping) {
            return map(mapping.entries());
        }
        if (node instanceof Sequence list) {
            List<Object> items = new ArrayList<>();
            for (YamlNode each : list.items()) {
                Object item = value(each);
                if (item != null) {
                    items.add(item);
                }
            }
            return items;
        }
        Scalar scalar = (Scalar) node;
        if (!scalar.plain()) {
            return scalar.text();
        }
        if (scalar.isNull()) {
            return null;
        }
        return switch (scalar.text()) {
            case "true", "True", "TRUE" -> true;
            case "false", "False", "FALSE" -> false;
            default -> NUMBER.matcher(scalar.text()).matches() ? number(scalar.text()) : scalar.text();
        };
    }

    /** Parses a number. A protobuf Struct holds numbers as doubles; a number beyond their range stays text. */
    private static Object number(String text) {
        double value = Double.parseDouble(text);
        return Double.isFinite(value) ? (Object) value : text;
    }
}
