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
 * The selector of a rule: what it is about, without the caller. {@code endpoint:POST /api/v1/orders}, several joined by
 * {@code ", "} in the order of their names. An override finds its rule by it.
 */
public final class OverrideSelector {
    /** Matches where the next attribute begins; values may contain commas and colons. */
    private static final Pattern ATTRIBUTE = Pattern.compile("(?:^|,\\s*)([A-Za-z0-9_.-]+):");

    private OverrideSelector() {}

    /**
     * The selector of a rule in Weir's format: its conditions without tier and api_key; empty if there are no others.
     */
    public static String of(List<Condition> match) {
        return match.stream()
                .filter(each -> !isCallerOrTier(each.attribute()))
                .sorted((a, b) -> a.attribute().compareTo(b.attribute()))
                .map(each -> each.attribute() + ":"
                        + each.anyOf().stream().map(ValuePattern::text).collect(Collectors.joining("|")))
                .collect(Collectors.joining(", "));
    }

    /** The selector of a descriptor in Envoy's format under {@code parent}. */
    public static String append(String parent, String key, String value) {
        if (isCallerOrTier(key)) {
            return parent;
        }
        String own = key + ":" + value;
        return parent.isEmpty() ? own : parent + ", " + own;
    }

    private static boolean isCallerOrTier(String attribute) {
        return attribute.equals(Attributes.API_KEY) || attribute.equals(Attributes.TIER);
    }

    /** The conditions that {@code text} contains; empty if it contains none. */
    static List<Condition> conditions(String text) {
        Matcher next = ATTRIBUTE.matcher(text);
        List<Condition> found = new ArrayList<>();
        boolean more = next.lookingAt();
        while (more) {
            String attribute = next.group(1);
            int from = next.end();
            more = next.find();
            String value = text.substring(from, more ? next.start() : text.length());
            found.add(Condition.of(attribute, value));
        }
        return found;
    }
}
