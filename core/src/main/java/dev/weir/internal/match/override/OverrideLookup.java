package dev.weir.internal.match.override;

import org.jspecify.annotations.Nullable;

/** What was agreed with callers beside the rules. Asked for every request that has an api_key: from memory, never blocking. */
@FunctionalInterface
public interface OverrideLookup {
    /** Nothing was agreed with anybody. */
    OverrideLookup NONE = apiKey -> null;

    /** What holds for {@code apiKey} at this moment, or null. */
    @Nullable
    CallerOverrides of(String apiKey);
}
