package dev.weir.rules.grammar;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What rules are shown by: their name, else what they match, and as much more as tells them apart. */
final class Labels {
    private final Map<String, Integer> matches = new HashMap<>();
    private final Map<String, Integer> keyed = new HashMap<>();

    Labels(List<Draft> drafts) {
        for (Draft each : drafts) {
            if (each.name().isEmpty()) {
                matches.merge(each.matchText(), 1, Integer::sum);
                keyed.merge(keyed(each), 1, Integer::sum);
            }
        }
    }

    String of(Draft draft) {
        if (!draft.name().isEmpty()) {
            return draft.name();
        }
        if (matches.getOrDefault(draft.matchText(), 0) <= 1) {
            return draft.matchText();
        }
        boolean apart = keyed.getOrDefault(keyed(draft), 0) <= 1;
        return apart ? keyed(draft) : keyed(draft) + " " + draft.limit().algorithm();
    }

    private static String keyed(Draft draft) {
        return draft.matchText() + " " + draft.keyText();
    }
}
