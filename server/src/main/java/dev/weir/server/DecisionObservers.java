package dev.weir.server;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.escalation.Escalator;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.server.control.OptionalDecisionSink;
import dev.weir.server.lifecycle.StartException;
import dev.weir.server.metrics.RuleMetrics;
import dev.weir.server.metrics.ServerMetrics;
import dev.weir.server.settings.Settings;
import dev.weir.server.topkeys.TopKeys;
import org.jspecify.annotations.Nullable;

/**
 * Observes every decision of the limiter: the metrics of the rules first, then the escalator while a rule escalates, then
 * the decision sink if there is one, and at last the tap that finds the heaviest callers. The metrics observe the limiter
 * directly; an observer that has nothing to do is not on the path.
 */
final class DecisionObservers implements AutoCloseable {
    private final RuleMetrics ruleMetrics;
    private final OptionalDecisionSink sink;
    private final TopKeys topKeys;
    private @Nullable Escalator escalator;

    DecisionObservers(Settings settings, TimeSource time) throws StartException {
        Settings.ReferenceMetrics reference = settings.referenceMetrics();
        Double nearLimit = reference == null ? null : reference.nearLimit();
        ruleMetrics = new RuleMetrics(
                time, settings.limiter().shadow(), nearLimit, settings.stores().keySet());
        sink = new OptionalDecisionSink(settings.decisions());
        topKeys = new TopKeys(settings.insight().topKeysMemory()).start();
        ruleMetrics.use(topKeys::highestUse);
    }

    /** The observer for the limiter, and for everything that completes its decisions. */
    LimiterObserver observer() {
        return ruleMetrics;
    }

    RuleMetrics ruleMetrics() {
        return ruleMetrics;
    }

    TopKeys topKeys() {
        return topKeys;
    }

    /** Tells {@code next} of decisions while a rule escalates, beginning with {@code rules}. */
    synchronized void escalateWith(Escalator next, RuleIndex rules) {
        escalator = next;
        rules(rules);
    }

    /** Prepares for decisions by {@code next}; to be called before the limiter takes these rules. */
    synchronized void rules(RuleIndex next) {
        ruleMetrics.rules(next);
        sink.rules(next);
        topKeys.rules(next);
        if (escalator != null) {
            escalator.rules(next);
        }
        ruleMetrics.then(others());
    }

    private LimiterObserver others() {
        LimiterObserver others = topKeys.tap();
        LimiterObserver written = sink.observer();
        others = written == null ? others : new InTurn(written, others);
        return escalator != null && escalator.isActive() ? new InTurn(escalator, others) : others;
    }

    void addTo(ServerMetrics metrics) {
        sink.addTo(metrics);
    }

    /** Writes the decisions that are still queued. A second call does nothing. */
    @Override
    public void close() {
        sink.close();
        topKeys.close();
    }

    private record InTurn(LimiterObserver first, LimiterObserver second) implements LimiterObserver {
        @Override
        public void decided(Request request, MutableDecision decision) {
            first.decided(request, decision);
            second.decided(request, decision);
        }
    }
}
