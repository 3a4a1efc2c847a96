package dev.weir.internal.limiter.check;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.match.EffectiveLimit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Caches the meters of limits that requests bring. It has a fixed number of entries, each with the limit that was asked
 * for last, so no caller can make it grow. The limits of overrides keep their own meters.
 */
public final class MeterCache {
    private static final int ENTRIES = 1024;

    private final AtomicReferenceArray<Meter> meters = new AtomicReferenceArray<>(ENTRIES);

    /** Stands for a limit that cannot be counted. */
    private static final Object NONE = new Object();

    /** The meter of {@code limit}, which is kept with it; null if it cannot be counted. */
    @Nullable
    public Meter of(EffectiveLimit limit) {
        return limit.compiled(MeterCache::compiled) instanceof Meter meter ? meter : null;
    }

    private static Object compiled(Limit limit) {
        return Meters.refusal(limit) == null ? Meters.of(limit) : NONE;
    }

    /** The meter of {@code limit}; null if it cannot be counted. */
    @Nullable
    public Meter of(Limit limit) {
        int hash = limit.hashCode() * 0x9e3779b9;
        int index = hash >>> 22;
        Meter held = meters.get(index);
        if (held != null && held.limit().equals(limit)) {
            return held;
        }
        if (Meters.refusal(limit) != null) {
            return null;
        }
        Meter compiled = Meters.of(limit);
        meters.set(index, compiled);
        return compiled;
    }
}
