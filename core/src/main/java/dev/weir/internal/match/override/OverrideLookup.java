package dev.weir.internal.match.override;

import org.jspecify.annotations.Nullable;

/** Looks up the overrides of a caller. Called for every request with an api_key: from memory, never blocking. */
@FunctionalInterface
public interface OverrideLookup {
    /** Finds no overrides. */
    OverrideLookup NONE = apiKey -> null;

    /** The overrides of {@code apiKey} at this moment, or null. */
    @Nullable
    CallerOverrides of(String apiKey);
}
