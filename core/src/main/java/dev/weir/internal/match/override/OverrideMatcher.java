package dev.weir.internal.match.override;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.match.EffectiveLimit;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.keyby.CounterKeyValues;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.keyby.OverrideCounterKey;
import dev.weir.internal.match.keyby.WeirCounterKey;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.model.Rule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Applies a caller's overrides to the rules that its request matches. A caller is identified by the first {@code
 * api_key} of the request.
 */
public final class OverrideMatcher {
    private final OverrideLookup lookup;
    /** The selector of each rule, by its ordinal. */
    private final String[] selectors;

    public OverrideMatcher(OverrideLookup lookup, List<String> selectors) {
        this.lookup = lookup;
        this.selectors = selectors.stream().map(String::intern).toArray(String[]::new);
    }

    public String scope(Rule rule) {
        return selectors[rule.ordinal()];
    }

    /** Finds the caller's overrides, for matching and for {@link #apply}; null if there are none. */
    @Nullable
    public CallerOverrides find(Request request, Matches into) {
        for (int i = 0, descriptors = request.descriptors(); i < descriptors; i++) {
            String apiKey = request.value(i, Attributes.API_KEY);
            if (apiKey == null && request.isAttributes()) {
                apiKey = request.value(i, Attributes.CLIENT_ID);
            }
            if (apiKey != null) {
                into.caller = i;
                return lookup.of(apiKey);
            }
        }
        return null;
    }

    /** Gives the rules that {@code found} names its limits, and adds the limits that stand alone. */
    public void apply(Request request, CallerOverrides found, Rule standalone, Matches into) {
        int first = into.size();
        List<LimitOverride> overrides = found.overrides();
        for (int o = 0, count = overrides.size(); o < count; o++) {
            LimitOverride each = overrides.get(o);
            boolean named = false;
            for (int i = 0; i < first; i++) {
                named |= replace(into.get(i), each, found.tier());
            }
            if (!named && each.meets(request, into.caller, into.endpointForm)) {
                add(request, each, standalone, into);
            }
        }
        for (int i = 0; i < first; i++) {
            countApart(into.get(i), into);
        }
        into.mergeByDescriptor(first);
    }

    private boolean replace(Match match, LimitOverride with, @Nullable String tier) {
        Rule rule = match.rule;
        Limit limit = rule == null ? null : rule.limit();
        boolean off = rule != null && rule.isOff();
        if (rule == null || (limit == null && !off) || !with.names(rule.name(), selectors[rule.ordinal()], tier)) {
            return false;
        }
        if (limit != null) {
            match.agreed(with.over(limit, rule.scope()));
        }
        return true;
    }

    /** Counts the hits of an override apart if the rule's own counter cannot hold them. */
    static void countApart(Match match, Matches into) {
        Rule rule = match.rule;
        Limit limit = rule == null ? null : rule.limit();
        EffectiveLimit with = match.agreed;
        if (rule == null || limit == null || with == null || !match.isCounted()) {
            return;
        }
        Limit override = with.limit();
        if (!OverrideCounterKey.isApart(match.ofCaller, limit, override)) {
            return;
        }
        CounterKeyHash hash = OverrideCounterKey.hash(into.hash, match.key0, match.key1, override);
        match.key0 = hash.key0();
        match.key1 = hash.key1();
        if (into.names != null && rule.consistency() != Consistency.LOCAL) {
            match.renamed();
            into.names.appendOverride(match.name, override);
        }
        if (into.noting) {
            match.note().agreed(override);
        }
    }

    private static void add(Request request, LimitOverride override, Rule standalone, Matches into) {
        String apiKey = request.value(into.caller, Attributes.API_KEY);
        if (apiKey == null) {
            apiKey = request.value(into.caller, Attributes.CLIENT_ID);
        }
        Match match = into.add().set(standalone, null, into.caller, false);
        match.agreed(override.standing());
        CounterKeyValues parts = into.parts;
        parts.clear();
        parts.add(Attributes.API_KEY, apiKey == null ? "" : apiKey, 0);
        parts.add("descriptor", override.descriptor(), 0);
        CounterKeyHash hash = WeirCounterKey.prefix(into.hash.reset(), standalone, override.own());
        WeirCounterKey.hash(hash, hash.key0(), hash.key1(), parts, KeyBy.DEFAULT_IPV6_PREFIX);
        match.key0 = into.hash.key0();
        match.key1 = into.hash.key1();
        if (into.names != null) {
            match.renamed();
            into.names.rule(match.name, override.namePrefix(standalone), standalone, parts, KeyBy.DEFAULT_IPV6_PREFIX);
        }
        if (into.noting) {
            match.note().rule(standalone, override.own(), parts, KeyBy.DEFAULT_IPV6_PREFIX);
        }
    }
}
