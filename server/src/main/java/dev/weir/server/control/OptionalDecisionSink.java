package dev.weir.server.control;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.control.decisions.DecisionSink;
import dev.weir.control.decisions.DecisionSinkSettings;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.WaitResult;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
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

    /** Returns an observer that calls {@code first}, then the sink. */
    public LimiterObserver after(LimiterObserver first) {
        return sink == null ? first : new Both(first, sink);
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

    private record Both(LimiterObserver first, LimiterObserver second) implements LimiterObserver {
        @Override
        public void decided(Request request, MutableDecision decision) {
            first.decided(request, decision);
            second.decided(request, decision);
        }

        @Override
        public void banned(Ban ban, boolean enforced) {
            first.banned(ban, enforced);
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
        public void waited(Rule rule, WaitResult result) {
            first.waited(rule, result);
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
