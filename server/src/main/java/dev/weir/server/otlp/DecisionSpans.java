package dev.weir.server.otlp;

import dev.weir.Cause;
import dev.weir.TimeSource;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.server.tracing.TraceParent;
import dev.weir.server.tracing.TracedDecisions;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Makes a span of each decision on a request of a sampled trace: which rule bound it, how, and where it was decided. A
 * span never has the key of a caller. Callers choose which requests are sampled, so at most {@value #MOST_PER_SECOND}
 * spans a second are made.
 */
final class DecisionSpans implements TracedDecisions {
    static final int MOST_PER_SECOND = 1_000;
    private static final String NAME = "weir.check";
    /** Where a decision is made that waits for a store. */
    private static final String STORE = "store";

    private static final int COUNT_BITS = 20;
    private static final int COUNT_MASK = (1 << COUNT_BITS) - 1;
    private static final long SECOND = 1_000_000;

    private final Tracer tracer;
    private final TimeSource time;
    private final Function<MutableDecision, String> place;
    private final TracedDecisions next;
    /** The current second, and how many spans were made in it. */
    private final AtomicLong made = new AtomicLong();

    DecisionSpans(Tracer tracer, TimeSource time, Function<MutableDecision, String> place, TracedDecisions next) {
        this.tracer = tracer;
        this.time = time;
        this.place = place;
        this.next = next;
    }

    @Override
    public boolean includePasses() {
        return true;
    }

    @Override
    public void decided(CharSequence traceparent, MutableDecision decision) {
        long now = time.micros();
        TraceParent parent = mayMake(now / SECOND) ? TraceParent.sampled(traceparent) : null;
        if (parent != null) {
            span(parent, decision, now);
        }
        if (!decision.allowed() || next.includePasses()) {
            next.decided(traceparent, decision);
        }
    }

    private boolean mayMake(long second) {
        long before = made.get();
        long after = before >>> COUNT_BITS == second ? before + 1 : second << COUNT_BITS | 1;
        return (before >>> COUNT_BITS != second || (before & COUNT_MASK) < MOST_PER_SECOND)
                && made.compareAndSet(before, after);
    }

    /** Makes a span of the time in which the request waited for a store, where a batch carried it with others. */
    private void addWait(Span request, MutableDecision decision) {
        tracer.spanBuilder("weir.store")
                .setParent(Context.root().with(request))
                .setSpanKind(SpanKind.CLIENT)
                .setAttribute("db.system.name", "redis")
                .setStartTimestamp(decision.askedMicros(), TimeUnit.MICROSECONDS)
                .startSpan()
                .end(decision.nowMicros(), TimeUnit.MICROSECONDS);
    }

    private void span(TraceParent parent, MutableDecision decision, long now) {
        SpanContext caller = SpanContext.createFromRemoteParent(
                parent.traceId(), parent.spanId(), TraceFlags.getSampled(), TraceState.getDefault());
        Span span = tracer.spanBuilder(NAME)
                .setParent(Context.root().with(Span.wrap(caller)))
                .setSpanKind(SpanKind.SERVER)
                .setStartTimestamp(decision.askedMicros(), TimeUnit.MICROSECONDS)
                .startSpan();
        span.setAttribute("weir.outcome", decision.allowed() ? "allowed" : "denied");
        String decidedBy = place.apply(decision);
        span.setAttribute("weir.decided_by", decidedBy);
        span.setAttribute("weir.checks", decision.size());
        MutableVerdict binding = decision.binding();
        Rule rule = binding == null ? null : binding.rule();
        if (rule != null) {
            span.setAttribute("weir.domain", rule.domain());
            span.setAttribute("weir.rule", rule.label());
        }
        Cause cause = decision.cause();
        if (cause != null) {
            span.setAttribute("weir.cause", cause.name().toLowerCase(Locale.ROOT));
        }
        if (decision.degraded()) {
            span.setAttribute("weir.degraded", true);
        }
        if (decidedBy.equals(STORE)) {
            addWait(span, decision);
        }
        span.end(Math.max(now, decision.askedMicros()), TimeUnit.MICROSECONDS);
    }
}
