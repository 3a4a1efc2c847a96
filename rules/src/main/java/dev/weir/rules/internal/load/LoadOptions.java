package dev.weir.rules.internal.load;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How files become a rule set.
 *
 * @param mergeDomains several files may add to one domain; without it that is an error, as in the reference service
 * @param stores the stores that a rule may name beside {@code default}; null where nobody knows, and any will do
 */
public record LoadOptions(boolean mergeDomains, @Nullable Set<String> stores) {
    /** One file, one domain, any stores. */
    public static final LoadOptions DEFAULT = new LoadOptions(false);

    public LoadOptions(boolean mergeDomains) {
        this(mergeDomains, null);
    }
}
