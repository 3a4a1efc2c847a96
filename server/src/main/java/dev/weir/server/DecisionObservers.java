package dev.weir.server;

import dev.weir.TimeSource;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.control.OptionalDecisionSink;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.metrics.RuleMetrics;
import dev.weir.server.metrics.ServerMetrics;
import dev.weir.server.settings.Settings;

/** Observes every decision of the limiter: the metrics of the rules first, then the decision sink if there is one. */
final class DecisionObservers implements AutoCloseable {
    private final RuleMetrics ruleMetrics;
    private final OptionalDecisionSink sink;

    DecisionObservers(Settings settings, TimeSource time) throws StartException {
        Settings.ReferenceMetrics reference = settings.referenceMetrics();
        Double nearLimit = reference == null ? null : reference.nearLimit();
        ruleMetrics = new RuleMetrics(time, settings.limiter().shadow(), nearLimit);
        sink = new OptionalDecisionSink(settings.decisions());
    }

    LimiterObserver observer() {
        return sink.after(ruleMetrics);
    }

    RuleMetrics ruleMetrics() {
        return ruleMetrics;
    }

    /** Prepares for decisions by {@code next}; to be called before the limiter takes these rules. */
    void rules(RuleIndex next) {
        ruleMetrics.rules(next);
        sink.rules(next);
    }

    void addTo(ServerMetrics metrics) {
        sink.addTo(metrics);
    }

    /** Writes the decisions that are still queued. A second call does nothing. */
    @Override
    public void close() {
        sink.close();
    }
}
