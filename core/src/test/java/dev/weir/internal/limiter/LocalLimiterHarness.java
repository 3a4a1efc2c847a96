package dev.weir.internal.limiter;

import dev.weir.Request;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;

/** A limiter on virtual time and a small store, that remembers what its observer was told. */
final class LocalLimiterHarness implements LimiterObserver {
    static final long SECOND = 1_000_000;
    static final long MINUTE = 60 * SECOND;

    /** Ten seconds into a minute. */
    long now = 1_800_000_000 * SECOND + 10 * SECOND;

    final MemoryStore store = new MemoryStore(10_000);
    final List<String> missing = new ArrayList<>();
    final Limiter limiter;
    int decided;

    LocalLimiterHarness(RuleIndex rules) {
        limiter = new Limiter(rules, store, SharedStores.none(), () -> now, LimiterSettings.defaults(), this);
    }

    LocalLimiterHarness(WrittenRules rules) {
        this(rules, LimiterSettings.defaults());
    }

    LocalLimiterHarness(WrittenRules rules, LimiterSettings settings) {
        limiter = new Limiter(rules, store, () -> now, settings, this);
    }

    MutableDecision decide(Request request) {
        return limiter.decide(request);
    }

    /** Whether it passes, and each verdict: {@code yes [free WITHIN_LIMIT 9]}. */
    String ask(Request request) {
        return text(decide(request));
    }

    static String text(MutableDecision decision) {
        List<String> verdicts = new ArrayList<>();
        for (int i = 0; i < decision.size(); i++) {
            MutableVerdict each = decision.verdict(i);
            Rule rule = each.rule();
            verdicts.add((rule == null ? "caller" : rule.label()) + " " + each.reason() + " " + each.remaining());
        }
        return (decision.allowed() ? "yes " : "no ") + verdicts;
    }

    @Override
    public void decided(Request request, MutableDecision decision) {
        decided++;
    }

    @Override
    public void keyMissing(Rule rule) {
        missing.add(rule.label());
    }
}
