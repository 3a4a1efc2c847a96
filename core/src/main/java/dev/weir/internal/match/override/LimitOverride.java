package dev.weir.internal.match.override;

import dev.weir.Algorithm;
import dev.weir.CalendarWindow;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.match.EffectiveLimit;
import dev.weir.internal.match.keyby.CounterNameWriter;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.pattern.EndpointPattern;
import dev.weir.internal.match.pattern.ValuePattern;
import dev.weir.internal.model.RegionScope;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A limit set for one caller and one descriptor. It replaces the numbers of the rule that the descriptor names: by the
 * rule's name, by the rule's selector ({@code endpoint:POST /api/v1/orders}), or, as {@code default}, the rule of the
 * caller's tier. If the request matches no such rule, it is a limit of its own.
 */
public final class LimitOverride {
    /** The descriptor that names the rule of the caller's tier. */
    public static final String DEFAULT = "default";

    private final String descriptor;
    private final String selector;
    private final List<Condition> match;
    /** The same for endpoints in normal form. */
    private final List<Condition> normalMatch;

    private final EffectiveLimit own;
    /** The effective limit for the rule's limit that was asked for first, usually the only one. */
    private volatile @Nullable EffectiveLimit last;
    /** The same for further limits; the oldest is dropped when there are too many. */
    private volatile EffectiveLimit[] others = {};

    private static final int MOST_OTHERS = 8;

    /** The name prefix of its own counters, for the rule that it was last asked for. */
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
     * Creates an override.
     *
     * @param burst null if it equals {@code requests}
     * @throws IllegalArgumentException if the descriptor has a malformed address, or a number is out of range
     */
    public LimitOverride(String descriptor, long requests, long windowMicros, @Nullable Long burst) {
        this(
                descriptor,
                new Limit(
                        burst == null ? Algorithm.FIXED_WINDOW : Algorithm.TOKEN_BUCKET,
                        requests,
                        windowMicros,
                        burst == null ? requests : burst,
                        1));
    }

    /** Creates an override that counts in windows of the calendar. */
    public LimitOverride(String descriptor, long requests, CalendarWindow window) {
        this(descriptor, Limit.calendarWindow(requests, window));
    }

    private LimitOverride(String descriptor, Limit own) {
        // Many callers use the same words; sharing them saves a cache miss per comparison.
        this.descriptor = descriptor.intern();
        this.match = OverrideSelector.conditions(descriptor);
        this.normalMatch =
                match.stream().map(each -> each.in(EndpointForm.NORMAL, false)).toList();
        this.selector = OverrideSelector.of(match).intern();
        this.own = new EffectiveLimit(null, own);
    }

    public String descriptor() {
        return descriptor;
    }

    /** The limit if no rule gives an algorithm: a fixed window, or with a burst a token bucket. */
    public Limit own() {
        return own.limit();
    }

    EffectiveLimit standing() {
        return own;
    }

    /** Whether it can stand alone: it is the default, or it says which requests it is for. */
    public boolean canStandAlone() {
        return descriptor.equals(DEFAULT) || !match.isEmpty();
    }

    /** The attributes of the requests that it is for; empty if it names a rule. */
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

    /**
     * Whether it names the rule called {@code name} with selector {@code ruleSelector}, for a caller of {@code tier}.
     */
    public boolean names(String name, String ruleSelector, @Nullable String tier) {
        if (descriptor.equals(DEFAULT)) {
            return tier != null
                    && name.length() == tier.length() + 5
                    && name.startsWith("tier:")
                    && name.endsWith(tier);
        }
        return (!selector.isEmpty() && selector.equals(ruleSelector)) || descriptor.equals(name);
    }

    /**
     * This override's numbers with the algorithm and the credit of a rule's limit. A window of the calendar is a {@code fixed_window}
     * whatever the rule's algorithm: no other counts by the calendar. Of a sliced rule, this region has its part of them.
     */
    public EffectiveLimit over(Limit rule, RegionScope scope) {
        EffectiveLimit found = last;
        if (found != null && found.isFor(rule, scope)) {
            return found;
        }
        for (EffectiveLimit each : others) {
            if (each.isFor(rule, scope)) {
                return each;
            }
        }
        return add(rule, scope);
    }

    private synchronized EffectiveLimit add(Limit rule, RegionScope scope) {
        Limit given = scope.partOf(own.limit());
        // An override changes how many permits there are, and never how long they last.
        long window = rule.algorithm() == Algorithm.CONCURRENCY ? rule.windowMicros() : given.windowMicros();
        Limit replaced = given.calendar() != null
                ? given
                : new Limit(
                        rule.algorithm(),
                        given.requests(),
                        window,
                        given.burst(),
                        rule.subWindows(),
                        null,
                        Math.min(rule.credit(), Long.MAX_VALUE - given.burst()));
        EffectiveLimit added = new EffectiveLimit(rule, scope, replaced);
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

    /** The prefix of the names of its own counters, under {@code rule}. */
    byte[] namePrefix(Rule rule) {
        Named held = named;
        if (held == null || held.rule != rule) {
            held = new Named(rule, CounterNameWriter.prefix(rule, own.limit()));
            named = held;
        }
        return held.prefix;
    }

    /** Whether a request without a matching rule meets this override: the descriptor has its attributes. */
    boolean meets(Request request, int at, EndpointForm form) {
        if (!canStandAlone()) {
            return false;
        }
        List<Condition> conditions = form == EndpointForm.NORMAL ? normalMatch : match;
        for (int i = 0; i < conditions.size(); i++) {
            Condition each = conditions.get(i);
            String value = request.value(at, each.attribute());
            if (value == null || !meets(each.anyOf().get(0), value, request, at, form)) {
                return false;
            }
        }
        return true;
    }

    private static boolean meets(ValuePattern pattern, String value, Request request, int at, EndpointForm form) {
        return pattern instanceof EndpointPattern endpoint
                ? endpoint.matches(form.of(value), request.value(at, Attributes.METHOD))
                : pattern.matches(value);
    }
}
