package dev.weir.internal.match.weir;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.match.AttributeValues;
import dev.weir.internal.match.Domain;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.RuleRegistrar;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.override.OverrideSelector;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.model.Rule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A domain in Weir's spelling: every rule whose conditions hold applies.
 *
 * <p>Rules are indexed by their exact values. Those that ask for exact values of the same attributes are one
 * {@link ExactMatchTable}, asked once; a signature hangs on one of its attributes, so a request asks only signatures that hang on
 * an attribute it has. An address is such a value, by its bits. Globs, regular expressions and address blocks are tried only on rules whose exact values are met.
 */
public final class WeirDomain implements Domain {
    /** The attributes that every frame has, in the order of its slots. */
    public static final List<String> KNOWN = List.of(
            Attributes.ENDPOINT,
            Attributes.METHOD,
            Attributes.CLIENT_ID,
            Attributes.IP,
            Attributes.REMOTE_ADDRESS,
            Attributes.API_KEY,
            Attributes.TIER);

    private final Map<String, Integer> slots = new HashMap<>();
    private final BitSet addresses = new BitSet();
    /** What many rules say alike is compiled once, so that it stays in the cache. */
    private final Map<KeyBy, CompiledKeyBy> keys = new HashMap<>();

    private final Map<Condition, CompiledCondition> shared = new HashMap<>();
    private final ExactMatchTable everyone;
    /** By slot. */
    private final ExactMatchTable[][] bySlot;

    public WeirDomain(List<WeirRule> rules, RuleRegistrar adopt) {
        KNOWN.forEach(this::slotOf);
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
        slots.forEach((attribute, slot) -> addresses.set(slot, Attributes.isAddress(attribute)));
        bySlot = hang(signatures.values(), slots.size());
    }

    private int slotOf(String attribute) {
        return slots.computeIfAbsent(attribute, ignored -> slots.size());
    }

    private void add(
            WeirRule from, Rule rule, Map<List<Integer>, ExactMatchTable> signatures, Map<String, String> texts) {
        IndexedConditions conditions = new IndexedConditions(from.match(), this::slotOf, texts, shared);
        CompiledKeyBy key = keys.computeIfAbsent(from.keyBy(), each -> new CompiledKeyBy(each, this::slotOf));
        CompiledRule compiled = new CompiledRule(rule, conditions.rest(), key);
        ExactMatchTable signature = signatures.computeIfAbsent(
                conditions.slots(),
                slots -> new ExactMatchTable(
                        slots.stream().mapToInt(Integer::intValue).toArray()));
        conditions.combinations().forEach(values -> signature.add(values, compiled));
    }

    /** Hangs each signature on that of its attributes that the fewest signatures ask for. */
    private static ExactMatchTable[][] hang(Collection<ExactMatchTable> signatures, int slots) {
        int[] asked = new int[slots];
        signatures.forEach(each -> Arrays.stream(each.slots()).forEach(slot -> asked[slot]++));
        List<List<ExactMatchTable>> hung = new ArrayList<>();
        for (int i = 0; i < slots; i++) {
            hung.add(new ArrayList<>());
        }
        for (ExactMatchTable each : signatures) {
            int[] of = each.slots();
            if (of.length > 0) {
                int rarest = of[0];
                for (int slot : of) {
                    rarest = asked[slot] < asked[rarest] ? slot : rarest;
                }
                hung.get(rarest).add(each);
            }
        }
        return hung.stream().map(list -> list.toArray(ExactMatchTable[]::new)).toArray(ExactMatchTable[][]::new);
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

    /** Adds the rules that {@code request} meets, and leaves the limits of its own to whoever shares the domain. */
    public void matchRules(Request request, Matches into) {
        for (int i = 0, descriptors = request.descriptors(); i < descriptors; i++) {
            if (request.override(i) == null) {
                matchAttributes(request, i, into);
            }
        }
    }

    private void matchAttributes(Request request, int descriptor, Matches into) {
        int first = into.size();
        AttributeValues frame = into.frame;
        frame.load(request, descriptor, slots, addresses);
        if (into.tier != null) {
            frame.tier(into.tier);
        }
        everyone.match(descriptor, into);
        for (int i = 0; i < frame.size(); i++) {
            for (ExactMatchTable each : bySlot[frame.slot(i)]) {
                each.match(descriptor, into);
            }
        }
        frame.clear();
        into.sortByRule(first);
    }
}
