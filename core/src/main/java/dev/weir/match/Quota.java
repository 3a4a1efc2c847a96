package dev.weir.match;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was agreed with one caller.
 *
 * @param tier takes the place of the tier that requests name; null leaves it to them
 * @param overrides limits that take the place of those of rules, or stand on their own
 */
public record Quota(@Nullable String tier, List<QuotaOverride> overrides) {

    public Quota {
        overrides = List.copyOf(overrides);
    }
}
