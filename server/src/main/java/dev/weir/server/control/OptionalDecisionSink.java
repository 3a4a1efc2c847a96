package dev.weir.server.control;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.control.decisions.DecisionSink;
import dev.weir.control.decisions.DecisionSinkSettings;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.metrics.ServerMetrics;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The sink for decisions beside the metrics; where there is none, decisions do not even pass by here. */
public final class OptionalDecisionSink implements AutoCloseable {
    private final @Nullable DecisionSink sink;

    public OptionalDecisionSink(DecisionSinkSettings settings) throws StartException {
        try {
            sink = settings.isOn() ? new DecisionSink(settings) : null;
        } catch (IllegalArgumentException e) {
            throw new StartException("decisions_kafka_properties: " + e.getMessage(), e);
        }
    }

    /** Told of decisions after {@code first}. */
    public LimiterObserver after(LimiterObserver first) {
        return sink == null ? first : new Both(first, sink);
    }

    /** Tells which rules decide from now on. */
    public void rules(RuleIndex next) {
        if (sink != null) {
            sink.rules(next);
        }
    }

    /** The series are there without a sink, too: at zero. */
    public OptionalDecisionSink addTo(ServerMetrics metrics) {
        for (String each : new String[] {"file", "kafka"}) {
            metrics.counter(
                            "ratelimit.decision.lines",
                            "Lines of decisions that got where they belong.",
                            () -> count(DecisionSink::written, each),
                            "sink",
                            each)
                    .counter(
                            "ratelimit.decision.lines.dropped",
                            "Lines of decisions that did not.",
                            () -> count(DecisionSink::dropped, each),
                            "sink",
                            each);
        }
        metrics.counter(
                        "ratelimit.decision.requests.dropped",
                        "Requests not written down, because too many were waiting for it.",
                        () -> sink == null ? 0 : sink.full())
                .counter(
                        "ratelimit.decision.checks.cut",
                        "Checks left out of requests that had more than 32 of them to write.",
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

    private record Both(LimiterObserver first, LimiterObserver second) implements LimiterObserver {
        @Override
        public void decided(Request request, MutableDecision decision) {
            first.decided(request, decision);
            second.decided(request, decision);
        }

        @Override
        public void keyMissing(Rule rule) {
            first.keyMissing(rule);
        }

        @Override
        public void agreementIgnored(Rule rule, Limit agreed) {
            first.agreementIgnored(rule, agreed);
        }

        @Override
        public void storeFailed(StoreFailure failure) {
            first.storeFailed(failure);
        }

        @Override
        public void gaveBack(int checks) {
            first.gaveBack(checks);
        }

        @Override
        public void keyNotKept() {
            first.keyNotKept();
        }
    }
}
