package dev.weir.spring.internal.observe;

import dev.weir.Decision;
import dev.weir.Request;
import dev.weir.RuleSet;
import dev.weir.StoreFailure;
import dev.weir.Verdict;
import dev.weir.WeirObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts decisions by rule and outcome, and failures of stores. Each series exists from the start at zero, and no caller can
 * create one: the tags come from the rules. Rules of a server are counted as soon as it has sent them.
 */
final class WeirMeters implements WeirObserver {
    /** The outcomes of a check. */
    private enum Outcome {
        ALLOWED,
        DENIED,
        SHADOW,
        DEGRADED
    }

    /** Found when the first rules come, because the registry may be made after them. */
    private final Supplier<MeterRegistry> registry;

    private volatile Map<String, Map<String, Map<Outcome, Counter>>> byDomain = Map.of();
    private volatile @Nullable EnumMap<StoreFailure, Counter> failures;

    WeirMeters(Supplier<MeterRegistry> registry) {
        this.registry = registry;
    }

    @Override
    public void rulesChanged(RuleSet rules) {
        Map<String, Map<String, Map<Outcome, Counter>>> next = new HashMap<>();
        for (String domain : rules.domains()) {
            Map<String, Map<Outcome, Counter>> counters = new HashMap<>();
            for (String rule : rules.ruleNames(domain)) {
                counters.put(rule, counters(domain, rule));
            }
            next.put(domain, counters);
        }
        byDomain = next;
        if (failures == null) {
            EnumMap<StoreFailure, Counter> all = new EnumMap<>(StoreFailure.class);
            for (StoreFailure each : StoreFailure.values()) {
                all.put(
                        each,
                        Counter.builder("weir.store.failures")
                                .description("Checks that a shared store did not answer; on_fail decided them")
                                .tag("reason", each.label())
                                .register(registry.get()));
            }
            failures = all;
        }
    }

    private Map<Outcome, Counter> counters(String domain, String rule) {
        Map<Outcome, Counter> counters = new EnumMap<>(Outcome.class);
        for (Outcome each : Outcome.values()) {
            Counter counter = Counter.builder("weir.checks")
                    .description("Checks of a rule by outcome")
                    .tag("domain", domain)
                    .tag("rule", rule)
                    .tag("outcome", each.name().toLowerCase(Locale.ROOT))
                    .register(registry.get());
            counters.put(each, counter);
        }
        return counters;
    }

    @Override
    public void decided(Request request, Decision decision) {
        if (request.takesNothing()) {
            return;
        }
        Map<String, Map<Outcome, Counter>> counters = byDomain.get(request.domain());
        if (counters == null) {
            return;
        }
        List<Verdict> verdicts = decision.verdicts();
        for (int i = 0; i < verdicts.size(); i++) {
            Verdict each = verdicts.get(i);
            Map<Outcome, Counter> of = each.ruleName() == null ? null : counters.get(each.ruleName());
            Counter counter = of == null ? null : of.get(outcome(each));
            if (counter != null) {
                counter.increment();
            }
        }
    }

    private static Outcome outcome(Verdict verdict) {
        if (verdict.degraded()) {
            return Outcome.DEGRADED;
        }
        if (verdict.shadow() && !verdict.allowed()) {
            return Outcome.SHADOW;
        }
        return verdict.allowed() ? Outcome.ALLOWED : Outcome.DENIED;
    }

    @Override
    public void storeFailed(StoreFailure failure) {
        EnumMap<StoreFailure, Counter> all = failures;
        Counter counter = all == null ? null : all.get(failure);
        if (counter != null) {
            counter.increment();
        }
    }
}
