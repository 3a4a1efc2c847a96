package dev.weir.server.metrics;

import dev.weir.server.tracing.TraceParent;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The trace of a recent denial of each series, which OpenMetrics shows beside its count as an exemplar. Only traces that
 * are recorded somewhere count: {@code traceparent} of W3C Trace Context with the sampled flag.
 */
final class DenialExemplars {
    /** The trace that a denial belonged to, and when it was denied. */
    record Exemplar(String traceId, long atMillis) {}

    /** A newer exemplar replaces one that is at least this old. */
    private static final long KEPT_MILLIS = 1_000;

    private final ConcurrentHashMap<Integer, Exemplar> exemplars = new ConcurrentHashMap<>();

    /** Notes that a denial of the series at {@code position} had this {@code traceparent}. */
    void denied(int position, CharSequence traceparent, long millis) {
        Exemplar last = exemplars.get(position);
        if (last != null && millis - last.atMillis() < KEPT_MILLIS) {
            return;
        }
        TraceParent trace = TraceParent.sampled(traceparent);
        if (trace != null) {
            exemplars.put(position, new Exemplar(trace.traceId(), millis));
        }
    }

    /** The exemplar of the series at {@code position}, or null. */
    @Nullable
    Exemplar of(int position) {
        return exemplars.get(position);
    }

    /** Forgets all of them: positions may be assigned anew. */
    void clear() {
        exemplars.clear();
    }
}
