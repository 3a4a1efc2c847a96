package dev.weir.server.tracing;

import dev.weir.internal.model.MutableDecision;

/** Observes the decisions on requests that belong to a trace, on the event loop of each. */
@FunctionalInterface
public interface TracedDecisions {

    /**
     * Called when a request with the header {@code traceparent}, which may be malformed, was denied, or with
     * {@link #includePasses} decided. The decision is a buffer that is reused as soon as this returns.
     */
    void decided(CharSequence traceparent, MutableDecision decision);

    /** Whether requests that pass count as well. */
    default boolean includePasses() {
        return false;
    }
}
