package dev.weir.match;

import org.jspecify.annotations.Nullable;

/** What was agreed with callers beside the rules. Asked for every request that has an api_key: from memory, never blocking. */
@FunctionalInterface
public interface Quotas {
    /** Nothing was agreed with anybody. */
    Quotas NONE = apiKey -> null;

    /** What holds for {@code apiKey} at this moment, or null. */
    @Nullable
    Quota of(String apiKey);
}
