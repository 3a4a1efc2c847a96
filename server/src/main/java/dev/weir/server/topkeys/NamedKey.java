package dev.weir.server.topkeys;

import dev.weir.Request;
import dev.weir.internal.match.keyby.CounterLabel;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.ruleset.RuleIndex;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A counter's name for people.
 *
 * @param text its values, {@code api_key=abc}; empty for a counter that all callers share
 * @param bucket an id of the counter that is the same in every process
 * @param attributes the values by their names, with which the counter can be asked for; null if they are too long
 */
public record NamedKey(String text, String bucket, @Nullable Map<String, String> attributes) {
    private static final int MOST_ATTRIBUTES = 8;
    private static final int MOST_LETTERS = 1_024;

    /** Names the counter of {@code verdict}; null if the rules do not count it any more. */
    static @Nullable NamedKey of(RuleIndex rules, Request request, MutableVerdict verdict) {
        CounterLabel label = rules.counter(request, verdict);
        return label == null
                ? null
                : new NamedKey(label.text(), label.bucket(), attributes(rules, request, verdict, label.text()));
    }

    private static @Nullable Map<String, String> attributes(
            RuleIndex rules, Request request, MutableVerdict verdict, String text) {
        Set<String> counted = rules.countedBy(request.domain());
        Map<String, String> found = new LinkedHashMap<>();
        int letters = 0;
        int descriptor = verdict.descriptor();
        for (int i = request.start(descriptor), end = request.end(descriptor); i < end; i++) {
            String name = request.key(i);
            // The text says which of the attributes that some rule counts by this rule counts by.
            if (text.contains(name + "=") || (counted.contains(name) && text.contains(name))) {
                found.put(name, request.value(i));
                letters += name.length() + request.value(i).length();
            }
        }
        return found.size() > MOST_ATTRIBUTES || letters > MOST_LETTERS ? null : Map.copyOf(found);
    }

    int bytes() {
        int letters = text.length() + bucket.length();
        if (attributes != null) {
            for (Map.Entry<String, String> each : attributes.entrySet()) {
                letters += 64 + each.getKey().length() + each.getValue().length();
            }
        }
        return 160 + letters;
    }
}
