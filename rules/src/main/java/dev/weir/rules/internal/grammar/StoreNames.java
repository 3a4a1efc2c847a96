package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.internal.model.Rule;
import dev.weir.rules.internal.regions.RegionNames;
import dev.weir.text.fields.Fields;
import dev.weir.text.message.Suggestion;
import dev.weir.text.yaml.YamlNode.Scalar;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The names of stores and regions that rules may use.
 *
 * @param known the stores beside the default; null if they are unknown and any name is accepted
 */
public record StoreNames(@Nullable Set<String> known, RegionNames regions) {
    /** Accepts any name. */
    public static final StoreNames ANY = new StoreNames(null, RegionNames.ANY);

    /** Returns the store of a limit of Envoy's format that names none; {@code perSecond} if its unit is a second. */
    String defaultOf(boolean perSecond) {
        return perSecond && known != null && known.contains(Rule.PER_SECOND_STORE)
                ? Rule.PER_SECOND_STORE
                : Rule.DEFAULT_STORE;
    }

    /** Reads {@code store}; {@code otherwise} if it is missing or unknown. */
    String read(Fields fields, String otherwise) {
        Scalar scalar = fields.scalar("store");
        if (scalar == null) {
            return otherwise;
        }
        String name = scalar.text();
        boolean isKnown = known == null ? !name.isEmpty() : known.contains(name);
        if (!isKnown && !name.equals(Rule.DEFAULT_STORE)) {
            Set<String> names = new TreeSet<>(known == null ? Set.of() : known);
            names.add(Rule.DEFAULT_STORE);
            String hint = Suggestion.among(name, names) + "; stores are defined in weir.yaml";
            fields.problems().error(scalar.at(), "unknown store " + quote(name), hint);
            return otherwise;
        }
        return name;
    }
}
