package dev.weir.limiter;

import dev.weir.match.RuleSet;
import dev.weir.model.Decision;
import dev.weir.model.Request;
import dev.weir.model.TimeSource;
import dev.weir.store.Store;

/** Decides requests: never blocks, and allocates nothing beyond the decision it returns. */
public final class Limiter {
    private final Store store;
    private final TimeSource time;
    private volatile RuleSet rules;

    public Limiter(RuleSet rules, Store store, TimeSource time, LimiterSettings settings, LimiterObserver observer) {
        this.rules = rules;
        this.store = store;
        this.time = time;
    }

    /** Where its counters live. */
    public Store store() {
        return store;
    }

    /** The rule set in force. */
    public RuleSet rules() {
        return rules;
    }

    /** Puts a rule set in force for every request decided from now on. */
    public void rules(RuleSet next) {
        rules = next;
    }

    /** Decides {@code request} now. */
    public Decision decide(Request request) {
        Decision decision = new Decision();
        decide(request, time.micros(), decision);
        return decision;
    }

    /** Decides {@code request} at {@code nowMicros} into a decision that the caller reuses. */
    public void decide(Request request, long nowMicros, Decision into) {
        into.begin(nowMicros);
        into.end(true, -1);
    }
}
