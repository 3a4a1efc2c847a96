package dev.weir.internal.counter;

import org.jspecify.annotations.Nullable;

/** The seeded 128-bit hash of a counter, as a key of a map. A key used only for lookups is refilled for each lookup. */
public class CounterKey {
    private long key0;
    private long key1;

    /** Sets the hash of the counter. */
    public final CounterKey set(long key0, long key1) {
        this.key0 = key0;
        this.key1 = key1;
        return this;
    }

    @Override
    public final boolean equals(@Nullable Object other) {
        return other instanceof CounterKey key && key.key0 == key0 && key.key1 == key1;
    }

    @Override
    public final int hashCode() {
        return (int) key0;
    }
}
