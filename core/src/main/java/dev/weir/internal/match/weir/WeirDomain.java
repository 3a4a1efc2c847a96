package dev.weir.internal.match.weir;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.match.AttributePositions;
import dev.weir.internal.match.AttributeValues;
import dev.weir.internal.match.Domain;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.RuleRegistrar;
import dev.weir.internal.match.override.OverrideSelector;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.model.Rule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A domain in Weir's format: every rule whose conditions hold applies.
 *
 * <p>Rules are indexed by their exact values. Rules that require exact values of the same attributes form a signature,
 * one {@link ExactMatchTable} that is looked up once. Each signature is listed under one of its attributes, so a
 * request looks up only signatures listed under an attribute it has. An address is an exact value, by its bits. Globs,
 * regular expressions and address blocks are tried only on rules whose exact values match.
 */
public final class WeirDomain implements Domain {
    private final AttributePositions positions;
    /** Compiles what many rules have in common once, so that it stays in the cache. */
    private final Map<List<Object>, CompiledKeyBy> keys = new HashMap<>();

    private final Map<List<Object>, CompiledCondition> shared = new HashMap<>();
    private final @Nullable PriorityTable ranking;
    private final ExactMatchTable everyone;
    /** Indexed by position. */
    private final ExactMatchTable[][] byPosition;

    /**
     * Compiles {@code rules}, which compare endpoints in {@code form}; {@code priorities} say how important requests
     * are to rules that are the capacity of a service.
     */
    public WeirDomain(List<WeirRule> rules, List<PriorityRule> priorities, EndpointForm form, RuleRegistrar adopt) {
        positions = new AttributePositions(form);
        // Attributes that only priorities read cost nothing where no rule asks for a priority.
        boolean ranks = rules.stream().anyMatch(each -> each.rule().isCapacity());
        ranking = ranks ? new PriorityTable(priorities, positions) : null;
        Map<List<Integer>, ExactMatchTable> signatures = new LinkedHashMap<>();
        everyone = new ExactMatchTable(new int[0]);
        signatures.put(List.of(), everyone);
        Map<String, String> texts = new HashMap<>();
        for (WeirRule each : rules) {
            add(
                    each,
                    adopt.adopt(each.rule(), each.tellsApart(), OverrideSelector.of(each.match())),
                    signatures,
                    texts);
        }
        signatures.values().forEach(ExactMatchTable::compile);
        byPosition = listByAttribute(signatures.values(), positions.size());
    }

    private void add(
            WeirRule from, Rule rule, Map<List<Integer>, ExactMatchTable> signatures, Map<String, String> texts) {
        boolean ignoresCase = from.ignoresCase();
        ToIntFunction<String> positionOf = attribute -> positions.of(attribute, ignoresCase);
        IndexedConditions conditions = new IndexedConditions(from.matchIn(positions.form()), positionOf, texts, shared);
        CompiledKeyBy key = keys.computeIfAbsent(
                List.of(from.keyBy(), ignoresCase), each -> new CompiledKeyBy(from.keyBy(), positionOf));
        CompiledRule compiled = new CompiledRule(rule, conditions.rest(), key, ranking);
        ExactMatchTable signature = signatures.computeIfAbsent(
                conditions.positions(),
                indexed -> new ExactMatchTable(
                        indexed.stream().mapToInt(Integer::intValue).toArray()));
        conditions.combinations().forEach(values -> signature.add(values, compiled));
    }

    /** Lists each signature under that of its attributes that the fewest signatures require. */
    private static ExactMatchTable[][] listByAttribute(Collection<ExactMatchTable> signatures, int positions) {
        int[] asked = new int[positions];
        signatures.forEach(each -> Arrays.stream(each.positions()).forEach(position -> asked[position]++));
        List<List<ExactMatchTable>> listed = new ArrayList<>();
        for (int i = 0; i < positions; i++) {
            listed.add(new ArrayList<>());
        }
        for (ExactMatchTable each : signatures) {
            int[] of = each.positions();
            if (of.length > 0) {
                int rarest = of[0];
                for (int position : of) {
                    rarest = asked[position] < asked[rarest] ? position : rarest;
                }
                listed.get(rarest).add(each);
            }
        }
        return listed.stream().map(list -> list.toArray(ExactMatchTable[]::new)).toArray(ExactMatchTable[][]::new);
    }

    @Override
    public void match(Request request, Matches into) {
        for (int i = 0, descriptors = request.descriptors(); i < descriptors; i++) {
            Limit override = request.override(i);
            if (override != null) {
                into.addOverride(request, i, override, false);
            } else {
                matchAttributes(request, i, into);
            }
        }
    }

    /**
     * Adds the rules that {@code request} matches, but not the limits that it brings; another part of the domain adds
     * those.
     */
    public void matchRules(Request request, Matches into) {
        for (int i = 0, descriptors = request.descriptors(); i < descriptors; i++) {
            if (request.override(i) == null) {
                matchAttributes(request, i, into);
            }
        }
    }

    private void matchAttributes(Request request, int descriptor, Matches into) {
        int first = into.size();
        AttributeValues attributes = into.frame;
        attributes.load(request, descriptor, positions);
        into.tier.apply(attributes);
        everyone.match(descriptor, into);
        for (int i = 0; i < attributes.size(); i++) {
            for (ExactMatchTable each : byPosition[attributes.position(i)]) {
                each.match(descriptor, into);
            }
        }
        attributes.clear();
        into.sortByRule(first);
    }
}
