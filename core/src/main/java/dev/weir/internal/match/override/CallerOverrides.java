package dev.weir.internal.match.override;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was agreed with one caller.
 *
 * @param tier takes the place of the tier that requests name; null leaves it to them
 * @param overrides limits that take the place of those of rules, or stand on their own
 */
public record CallerOverrides(@Nullable String tier, List<LimitOverride> overrides) {

    public CallerOverrides {
        overrides = List.copyOf(overrides);
    }
}
