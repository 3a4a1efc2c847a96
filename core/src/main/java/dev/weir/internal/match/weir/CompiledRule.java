package dev.weir.internal.match.weir;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnMissing;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.Rollout;
import dev.weir.internal.match.keyby.CounterNameWriter;
import dev.weir.internal.match.keyby.WeirCounterKey;
import dev.weir.internal.model.Rule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A rule in Weir's format with the conditions that remain once the index has found it. */
final class CompiledRule {
    private static final byte[] NONE = {};
    /** Shared by all rules: one array per rule would be one more cache miss. */
    private static final CompiledCondition[] NO_REST = {};

    private final Rule rule;
    private final CompiledCondition[] rest;
    private final CompiledKeyBy key;
    private final boolean limited;
    private final boolean countsDenied;
    private final boolean skipsMissing;
    private long prefix0, prefix1;
    private final @Nullable Rollout rollout;
    /** Read only for shared stores. */
    private final byte[] namePrefix;
    /** Finds the priority of requests; null unless the rule is the capacity of a service. */
    private final @Nullable PriorityTable ranking;

    CompiledRule(Rule rule, List<CompiledCondition> rest, CompiledKeyBy key, @Nullable PriorityTable ranking) {
        this.rule = rule;
        this.rest = rest.isEmpty() ? NO_REST : rest.toArray(CompiledCondition[]::new);
        this.key = key;
        this.countsDenied = rule.countsDenied();
        this.skipsMissing = rule.onMissing() == OnMissing.SKIP;
        Limit limit = rule.limit();
        this.limited = limit != null;
        this.rollout = Rollout.of(rule);
        this.ranking = rule.isCapacity() ? ranking : null;
        this.namePrefix = limit == null ? NONE : CounterNameWriter.prefix(rule, limit);
        if (limit != null) {
            CounterKeyHash hash = WeirCounterKey.prefix(new CounterKeyHash(), rule, limit);
            prefix0 = hash.key0();
            prefix1 = hash.key1();
        }
    }

    /** Adds the rule to the matches if its remaining conditions hold. */
    void match(int descriptor, Matches into) {
        for (CompiledCondition each : rest) {
            if (!each.holds(into.frame)) {
                return;
            }
        }
        Match match = into.add().set(rule, null, descriptor, countsDenied);
        if (!limited) {
            return;
        }
        if (ranking != null) {
            match.priority = ranking.of(into.frame);
        }
        match.keyMissing = !key.resolve(into.frame, into.parts);
        if (match.keyMissing && skipsMissing) {
            return;
        }
        WeirCounterKey.hash(into.hash, prefix0, prefix1, into.parts, key.ipv6Prefix);
        match.key0 = into.hash.key0();
        match.key1 = into.hash.key1();
        match.ofCaller = key.ofCaller && !match.keyMissing;
        if (rollout != null) {
            match.part = rollout.position(into, key.ipv6Prefix);
        }
        if (into.names != null && rule.consistency() != Consistency.LOCAL && !match.isNamedBy(this)) {
            into.names.rule(match.name, namePrefix, rule, into.parts, key.ipv6Prefix);
            match.namedBy(this);
        }
        if (into.noting) {
            note(match, into);
        }
    }

    /** A method of its own, so that the JIT inlines the other. */
    private void note(Match match, Matches into) {
        Limit limit = rule.limit();
        if (limit != null) {
            match.note().rule(rule, limit, into.parts, key.ipv6Prefix);
        }
    }
}
