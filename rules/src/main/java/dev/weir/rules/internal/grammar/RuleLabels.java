package dev.weir.rules.internal.grammar;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What rules are shown by: their name, else what they match, and as much more as tells them apart. */
final class RuleLabels {
    private final Map<String, Integer> matches = new HashMap<>();
    private final Map<String, Integer> keyed = new HashMap<>();

    RuleLabels(List<ParsedRule> drafts) {
        for (ParsedRule each : drafts) {
            if (each.name().isEmpty()) {
                matches.merge(each.matchText(), 1, Integer::sum);
                keyed.merge(keyed(each), 1, Integer::sum);
            }
        }
    }

    String of(ParsedRule draft) {
        if (!draft.name().isEmpty()) {
            return draft.name();
        }
        if (matches.getOrDefault(draft.matchText(), 0) <= 1) {
            return draft.matchText();
        }
        boolean apart = keyed.getOrDefault(keyed(draft), 0) <= 1;
        return apart ? keyed(draft) : keyed(draft) + " " + draft.limit().algorithm();
    }

    private static String keyed(ParsedRule draft) {
        return draft.matchText() + " " + draft.keyText();
    }
}
