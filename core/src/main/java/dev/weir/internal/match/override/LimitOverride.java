package dev.weir.internal.match.override;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.match.EffectiveLimit;
import dev.weir.internal.match.keyby.CounterNameWriter;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.EndpointPattern;
import dev.weir.internal.match.pattern.ValuePattern;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A limit agreed with one caller for one descriptor. It takes the place of the numbers of the rule that the descriptor names:
 * by the rule's name, by what the rule is about ({@code endpoint:POST /api/v1/orders}), or, as {@code default}, the rule of the
 * caller's tier. Where the request meets no such rule, it is a limit of its own.
 */
public final class LimitOverride {
    /** The descriptor that stands for the caller's tier. */
    public static final String DEFAULT = "default";

    private final String descriptor;
    private final String scope;
    private final List<Condition> match;
    private final long requests;
    private final long windowMicros;
    private final long burst;
    private final EffectiveLimit own;
    /** What it was in the place of a rule's limit when it was last asked: mostly the only one. */
    private volatile @Nullable EffectiveLimit last;
    /** The same for the limits before that; the first make room for more. */
    private volatile EffectiveLimit[] others = {};

    private static final int MOST_OTHERS = 8;

    /** What its counters are called where it stands on its own, for the rule that it was asked for last. */
    private volatile @Nullable Named named;

    private static final class Named {
        final Rule rule;
        final byte[] prefix;

        Named(Rule rule, byte[] prefix) {
            this.rule = rule;
            this.prefix = prefix;
        }
    }

    /**
     * An override.
     *
     * @param burst null where it follows {@code requests}
     * @throws IllegalArgumentException if the descriptor asks for an address that is none, or a number cannot be
     */
    public LimitOverride(String descriptor, long requests, long windowMicros, @Nullable Long burst) {
        // Many callers have the same words: shared, comparing them costs no miss of the cache for each.
        this.descriptor = descriptor.intern();
        this.match = OverrideSelector.conditions(descriptor);
        this.scope = OverrideSelector.of(match).intern();
        this.requests = requests;
        this.windowMicros = windowMicros;
        this.burst = burst == null ? requests : burst;
        Algorithm algorithm = burst == null ? Algorithm.FIXED_WINDOW : Algorithm.TOKEN_BUCKET;
        this.own = new EffectiveLimit(null, new Limit(algorithm, requests, windowMicros, this.burst, 1));
    }

    public String descriptor() {
        return descriptor;
    }

    /** The limit where no rule has the algorithm: a fixed window, or with a burst a token bucket. */
    public Limit own() {
        return own.limit();
    }

    EffectiveLimit standing() {
        return own;
    }

    /** Whether it can stand on its own: it is the default, or tells what requests it is for. */
    public boolean canStandAlone() {
        return descriptor.equals(DEFAULT) || !match.isEmpty();
    }

    /** The attributes of a request that it is for; none where it goes by the name of a rule. */
    public Map<String, String> attributes() {
        return attributesOf(descriptor);
    }

    /** The attributes that a descriptor, or {@linkplain RuleIndex#scopeOf what a rule is about}, spells. */
    public static Map<String, String> attributesOf(String text) {
        Map<String, String> attributes = new LinkedHashMap<>();
        OverrideSelector.conditions(text)
                .forEach(each ->
                        attributes.put(each.attribute(), each.anyOf().get(0).text()));
        return attributes;
    }

    /** Whether it names a rule called {@code name} that is about {@code ruleScope}, for a caller of {@code tier}. */
    public boolean names(String name, String ruleScope, @Nullable String tier) {
        if (descriptor.equals(DEFAULT)) {
            return tier != null
                    && name.length() == tier.length() + 5
                    && name.startsWith("tier:")
                    && name.endsWith(tier);
        }
        return (!scope.isEmpty() && scope.equals(ruleScope)) || descriptor.equals(name);
    }

    /** The numbers of this in the algorithm of a rule. */
    public EffectiveLimit over(Limit rule) {
        EffectiveLimit found = last;
        if (found != null && rule.equals(found.inPlaceOf)) {
            return found;
        }
        for (EffectiveLimit each : others) {
            if (rule.equals(each.inPlaceOf)) {
                return each;
            }
        }
        return add(rule);
    }

    private synchronized EffectiveLimit add(Limit rule) {
        Limit replaced = new Limit(rule.algorithm(), requests, windowMicros, burst, rule.subWindows());
        EffectiveLimit added = new EffectiveLimit(rule, replaced);
        EffectiveLimit before = last;
        if (before == null) {
            last = added;
            return added;
        }
        EffectiveLimit[] known = others;
        int from = known.length == MOST_OTHERS ? 1 : 0;
        EffectiveLimit[] next = Arrays.copyOfRange(known, from, known.length + 1);
        next[next.length - 1] = added;
        others = next;
        return added;
    }

    /** What the names of its own counters begin with, under {@code rule}. */
    byte[] namePrefix(Rule rule) {
        Named held = named;
        if (held == null || held.rule != rule) {
            held = new Named(rule, CounterNameWriter.prefix(rule, own.limit()));
            named = held;
        }
        return held.prefix;
    }

    /** Whether a request that meets no rule of its meets this: the descriptor has what is asked for. */
    boolean meets(Request request, int at) {
        if (!canStandAlone()) {
            return false;
        }
        for (int i = 0; i < match.size(); i++) {
            Condition each = match.get(i);
            String value = request.value(at, each.attribute());
            if (value == null || !meets(each.anyOf().get(0), value, request, at)) {
                return false;
            }
        }
        return true;
    }

    private static boolean meets(ValuePattern pattern, String value, Request request, int at) {
        return pattern instanceof EndpointPattern endpoint
                ? endpoint.matches(value, request.value(at, Attributes.METHOD))
                : pattern.matches(value);
    }
}
