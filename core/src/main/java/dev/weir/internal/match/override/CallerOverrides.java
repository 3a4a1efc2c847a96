package dev.weir.internal.match.override;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The overrides of one caller.
 *
 * @param tier replaces the tier that requests name; null leaves it to them
 * @param overrides limits that replace those of rules, or stand alone
 */
public record CallerOverrides(@Nullable String tier, List<LimitOverride> overrides) {

    public CallerOverrides {
        overrides = List.copyOf(overrides);
    }
}
