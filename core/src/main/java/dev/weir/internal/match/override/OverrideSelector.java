package dev.weir.internal.match.override;

import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.ValuePattern;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a rule is about, beside whom: {@code endpoint:POST /api/v1/orders}, several joined by {@code ", "} in the order of their
 * names. The words by which an override finds its rule.
 */
public final class OverrideSelector {
    /** Where the next attribute begins: values may hold commas and colons. */
    private static final Pattern PART = Pattern.compile("(?:^|,\\s*)([A-Za-z0-9_.-]+):");

    private OverrideSelector() {}

    /** Of a rule in Weir's spelling: what it matches, tier and api_key apart; empty where that is all. */
    public static String of(List<Condition> match) {
        return match.stream()
                .filter(each -> !isWho(each.attribute()))
                .sorted((a, b) -> a.attribute().compareTo(b.attribute()))
                .map(each -> each.attribute() + ":"
                        + each.anyOf().stream().map(ValuePattern::text).collect(Collectors.joining("|")))
                .collect(Collectors.joining(", "));
    }

    /** Of a descriptor in Envoy's spelling under one of {@code parent}. */
    public static String append(String parent, String key, String value) {
        if (isWho(key)) {
            return parent;
        }
        String own = key + ":" + value;
        return parent.isEmpty() ? own : parent + ", " + own;
    }

    private static boolean isWho(String attribute) {
        return attribute.equals(Attributes.API_KEY) || attribute.equals(Attributes.TIER);
    }

    /** The conditions that {@code text} spells; none where it spells none. */
    static List<Condition> conditions(String text) {
        Matcher part = PART.matcher(text);
        List<Condition> found = new ArrayList<>();
        boolean more = part.lookingAt();
        while (more) {
            String attribute = part.group(1);
            int from = part.end();
            more = part.find();
            String value = text.substring(from, more ? part.start() : text.length());
            found.add(Condition.of(attribute, value));
        }
        return found;
    }
}
