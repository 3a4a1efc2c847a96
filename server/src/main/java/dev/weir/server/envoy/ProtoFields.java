package dev.weir.server.envoy;

import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlNode.Sequence;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the fields of a protobuf message that is written as YAML or JSON: in snake_case or in camelCase. */
final class ProtoFields {
    /** A duration as protobuf's JSON has it: seconds, and nothing else. */
    private static final Pattern SECONDS = Pattern.compile("(-?\\d+(?:\\.\\d{1,9})?)s");

    private ProtoFields() {}

    /** The field {@code name}, written in snake_case, of {@code of}; null without it. */
    static @Nullable Entry entry(@Nullable YamlNode of, String name) {
        if (!(of instanceof Mapping mapping)) {
            return null;
        }
        Entry found = mapping.entry(name);
        return found != null ? found : mapping.entry(camelCase(name));
    }

    /** The value at the end of a path of fields; null if a field is missing. */
    static @Nullable YamlNode at(@Nullable YamlNode of, String... path) {
        YamlNode node = of;
        for (String each : path) {
            Entry entry = entry(node, each);
            if (entry == null) {
                return null;
            }
            node = entry.value();
        }
        return node;
    }

    /** The text at the end of a path of fields; empty if there is none. */
    static String text(@Nullable YamlNode of, String... path) {
        return at(of, path) instanceof Scalar scalar ? scalar.text() : "";
    }

    /** The items of the list at the end of a path of fields; empty if there is none. */
    static List<YamlNode> items(@Nullable YamlNode of, String... path) {
        return at(of, path) instanceof Sequence sequence ? sequence.items() : List.of();
    }

    /** The name of the message that a node with {@code @type} is; empty for another node. */
    static String type(YamlNode node) {
        String url = text(node, "@type");
        return url.substring(url.lastIndexOf('/') + 1);
    }

    /** The seconds of a duration; null if Envoy would not read it. */
    static @Nullable BigDecimal seconds(@Nullable YamlNode duration) {
        if (!(duration instanceof Scalar scalar)) {
            return null;
        }
        Matcher matcher = SECONDS.matcher(scalar.text());
        return matcher.matches() ? new BigDecimal(matcher.group(1)) : null;
    }

    /** The name in snake_case of a field in either spelling. */
    static String snakeCase(String name) {
        return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    private static String camelCase(String name) {
        StringBuilder camel = new StringBuilder();
        for (String part : name.split("_", -1)) {
            camel.append(
                    camel.isEmpty() || part.isEmpty()
                            ? part
                            : Character.toUpperCase(part.charAt(0)) + part.substring(1));
        }
        return camel.toString();
    }
}
