package dev.weir.text.yaml;

import dev.weir.text.diagnostics.Position;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A piece of a YAML document and where it stands. */
public sealed interface YamlNode {

    Position at();

    /** What people would call it: "a text", "a list", "a mapping". */
    String kind();

    /**
     * Text as it stands in the file.
     *
     * @param plain written without quotes, so that it may be meant as a number, a flag or nothing
     */
    record Scalar(Position at, String text, boolean plain) implements YamlNode {

        /** Left empty, or one of YAML's words for nothing. */
        public boolean isNull() {
            return plain
                    && switch (text) {
                        case "", "~", "null", "Null", "NULL" -> true;
                        default -> false;
                    };
        }

        @Override
        public String kind() {
            return isNull() ? "nothing" : "a text";
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

    /** Names with values, in the order of the file; no name stands twice. */
    record Mapping(Position at, List<Entry> entries) implements YamlNode {
        public Mapping {
            entries = List.copyOf(entries);
        }

        /** The entry called {@code name}, or null. */
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

    /** A name and its value. */
    record Entry(Scalar key, YamlNode value) {}
}
