package dev.weir.internal.limiter.check;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.match.EffectiveLimit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The meters of limits that callers give, compiled once as long as few enough are in use: a fixed number of places, each held
 * by the limit that asked last, so that no caller can make it grow. What was agreed with callers beforehand keeps its own.
 */
public final class MeterCache {
    private static final int PLACES = 1024;

    private final AtomicReferenceArray<Meter> meters = new AtomicReferenceArray<>(PLACES);

    /** Stands for what cannot be counted. */
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
        int place = hash >>> 22;
        Meter held = meters.get(place);
        if (held != null && held.limit().equals(limit)) {
            return held;
        }
        if (Meters.refusal(limit) != null) {
            return null;
        }
        Meter compiled = Meters.of(limit);
        meters.set(place, compiled);
        return compiled;
    }
}
