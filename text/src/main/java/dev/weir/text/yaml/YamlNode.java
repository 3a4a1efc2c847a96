package dev.weir.text.yaml;

import dev.weir.text.diagnostics.Position;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node of a YAML document with its position. */
public sealed interface YamlNode {

    Position at();

    /** Returns its kind for messages: "a text", "a list", "a mapping". */
    String kind();

    /**
     * Text as written in the file.
     *
     * @param plain written without quotes, so that it may be meant as a number, a flag or null
     */
    record Scalar(Position at, String text, boolean plain) implements YamlNode {

        /** Returns whether the value is empty or one of YAML's words for null. */
        public boolean isNull() {
            return plain
                    && switch (text) {
                        case "", "~", "null", "Null", "NULL" -> true;
                        default -> false;
                    };
        }

        @Override
        public String kind() {
            return isNull() ? "an empty value" : "a text";
        }
    }

    /** A list. */
    record Sequence(Position at, List<YamlNode> items) implements YamlNode {
        public Sequence {
            items = List.copyOf(items);
        }

        @Override
        public String kind() {
            return "a list";
        }
    }

    /** Keys with values, in the order of the file; no key appears twice. */
    record Mapping(Position at, List<Entry> entries) implements YamlNode {
        public Mapping {
            entries = List.copyOf(entries);
        }

        /** Returns the entry with the key {@code name}, or null. */
        public @Nullable Entry entry(String name) {
            for (Entry each : entries) {
                if (each.key().text().equals(name)) {
                    return each;
                }
            }
            return null;
        }

        @Override
        public String kind() {
            return "a mapping";
        }
    }

    /** A key and its value. */
    record Entry(Scalar key, YamlNode value) {}
}
