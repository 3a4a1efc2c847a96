package dev.weir.limiter;

import dev.weir.match.RuleSet;
import dev.weir.model.Decision;
import dev.weir.model.Request;
import dev.weir.model.Rule;
import dev.weir.model.Verdict;
import dev.weir.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;

/** A limiter on virtual time and a small store, that remembers what its observer was told. */
final class Decisions implements LimiterObserver {
    static final long SECOND = 1_000_000;
    static final long MINUTE = 60 * SECOND;

    /** Ten seconds into a minute. */
    long now = 1_800_000_000 * SECOND + 10 * SECOND;

    final MemoryStore store = new MemoryStore(10_000);
    final List<String> missing = new ArrayList<>();
    final Limiter limiter;
    int decided;

    Decisions(RuleSet rules) {
        this(rules, LimiterSettings.defaults());
    }

    Decisions(RuleSet rules, LimiterSettings settings) {
        limiter = new Limiter(rules, store, () -> now, settings, this);
    }

    Decision decide(Request request) {
        return limiter.decide(request);
    }

    /** Whether it passes, and each verdict: {@code yes [free WITHIN_LIMIT 9]}. */
    String ask(Request request) {
        return text(decide(request));
    }

    static String text(Decision decision) {
        List<String> verdicts = new ArrayList<>();
        for (int i = 0; i < decision.size(); i++) {
            Verdict each = decision.verdict(i);
            Rule rule = each.rule();
            verdicts.add((rule == null ? "caller" : rule.label()) + " " + each.reason() + " " + each.remaining());
        }
        return (decision.allowed() ? "yes " : "no ") + verdicts;
    }

    @Override
    public void decided(Request request, Decision decision) {
        decided++;
    }

    @Override
    public void keyMissing(Rule rule) {
        missing.add(rule.label());
    }
}
