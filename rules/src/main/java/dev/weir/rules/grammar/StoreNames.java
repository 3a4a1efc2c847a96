package dev.weir.rules.grammar;

import static dev.weir.rules.diagnostics.Text.quote;

import dev.weir.rules.diagnostics.Suggestion;
import dev.weir.rules.yaml.YamlNode.Scalar;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The stores that a rule may name.
 *
 * @param known beside {@value #DEFAULT}; null where nobody knows, and any will do
 */
public record StoreNames(@Nullable Set<String> known) {
    /** The one that a rule counts in that names none. */
    public static final String DEFAULT = "default";

    /** Nobody knows which there are. */
    public static final StoreNames ANY = new StoreNames(null);

    /** The name that {@code fields} give, empty for the default; {@code otherwise} if they give none. */
    String read(Fields fields, String otherwise) {
        Scalar scalar = fields.scalar("store");
        if (scalar == null) {
            return otherwise;
        }
        String name = scalar.text();
        if (name.equals(DEFAULT)) {
            return "";
        }
        if (name.isEmpty() || (known != null && !known.contains(name))) {
            Set<String> names = new TreeSet<>(known == null ? Set.of() : known);
            names.add(DEFAULT);
            String hint = Suggestion.among(name, names) + "; stores in weir.yaml names them";
            fields.problems().error(scalar.at(), "unknown store " + quote(name), hint);
            return otherwise;
        }
        return name;
    }
}
