package dev.weir.server.control;

import dev.weir.control.decisions.DecisionSink;
import dev.weir.control.decisions.DecisionSinkSettings;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.metrics.ServerMetrics;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Wraps the decision sink, if the settings name one. Without one, decisions are not passed through here at all. */
public final class OptionalDecisionSink implements AutoCloseable {
    private final @Nullable DecisionSink sink;

    public OptionalDecisionSink(DecisionSinkSettings settings) throws StartException {
        try {
            sink = settings.isOn() ? new DecisionSink(settings) : null;
        } catch (IllegalArgumentException e) {
            throw new StartException("decisions_kafka_properties: " + e.getMessage(), e);
        }
    }

    /** The sink, which observes decisions; null if the settings name none. */
    public @Nullable LimiterObserver observer() {
        return sink;
    }

    /** Sets the rules that decide from now on. */
    public void rules(RuleIndex next) {
        if (sink != null) {
            sink.rules(next);
        }
    }

    /** Adds the sink's series. Without a sink they stay at zero. */
    public OptionalDecisionSink addTo(ServerMetrics metrics) {
        for (String each : new String[] {"file", "kafka"}) {
            metrics.counter(
                            "ratelimit.decision.lines",
                            "Decision lines that were delivered.",
                            () -> count(DecisionSink::written, each),
                            "sink",
                            each)
                    .counter(
                            "ratelimit.decision.lines.dropped",
                            "Decision lines that could not be delivered.",
                            () -> count(DecisionSink::dropped, each),
                            "sink",
                            each);
        }
        metrics.counter(
                        "ratelimit.decision.requests.dropped",
                        "Requests that were not recorded because the sink's queue was full.",
                        () -> sink == null ? 0 : sink.full())
                .counter(
                        "ratelimit.decision.checks.cut",
                        "Checks that were not recorded because their request had more than 32.",
                        () -> sink == null ? 0 : sink.cut());
        return this;
    }

    private long count(Function<DecisionSink, Map<String, Long>> counts, String name) {
        return sink == null ? 0 : counts.apply(sink).getOrDefault(name, 0L);
    }

    @Override
    public void close() {
        if (sink != null) {
            sink.close();
        }
    }
}
