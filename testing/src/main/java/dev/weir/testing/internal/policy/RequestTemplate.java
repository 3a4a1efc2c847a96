package dev.weir.testing.internal.policy;

import dev.weir.Request;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a step. {@code {n}} in a value is the number of the request in its step, from 1.
 *
 * @param attributes whether its only descriptor is a set of attributes, as over REST; else its descriptors are Envoy's
 * @param descriptors the entries of each descriptor, in their order
 * @param cost the hits; null: as the rules say
 * @param costs the hits of other units
 * @param lastMicros how long a call lasts, after which it releases its permits; 0: it takes none
 */
public record RequestTemplate(
        String domain,
        boolean attributes,
        List<List<Map.Entry<String, String>>> descriptors,
        @Nullable Long cost,
        Map<String, Long> costs,
        long lastMicros) {
    private static final String NUMBER = "{n}";

    /** Fills {@code into} with request {@code number}. */
    public void fill(Request into, int number) {
        into.clear(domain);
        for (List<Map.Entry<String, String>> entries : descriptors) {
            into.descriptor();
            for (Map.Entry<String, String> each : entries) {
                into.with(each.getKey(), value(each.getValue(), number));
            }
        }
        if (attributes) {
            into.asAttributes();
        }
        if (cost != null) {
            into.hits(cost);
        }
        costs.forEach(into::hits);
        if (lastMicros == 0) {
            into.withoutPermits();
        }
    }

    private static String value(String text, int number) {
        return text.contains(NUMBER) ? text.replace(NUMBER, Integer.toString(number)) : text;
    }

    /** The request as people write it: {@code user_id=u1 endpoint="POST /x"}. */
    public String text(int number) {
        return descriptors.stream()
                .map(entries -> entries.stream()
                        .map(each -> each.getKey() + "=" + quoted(value(each.getValue(), number)))
                        .collect(Collectors.joining(" ")))
                .collect(Collectors.joining(" + "));
    }

    private static String quoted(String value) {
        return value.matches("[^\\s\"+]+") ? value : '"' + value.replace("\"", "\\\"") + '"';
    }
}
