package dev.weir.server.request;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A request as people write it: {@code key=value} for each entry, in the order of the descriptor, and a lone {@code +}
 * between two descriptors.
 *
 * @param descriptors the entries of each descriptor
 */
public record RequestWords(List<List<Map.Entry<String, String>>> descriptors) {
    private static final String NEXT_DESCRIPTOR = "+";

    /**
     * Reads the words after the domain.
     *
     * @throws IllegalArgumentException if a word is no entry, or a descriptor has none
     */
    public static RequestWords of(List<String> words) {
        List<List<Map.Entry<String, String>>> descriptors = new ArrayList<>();
        List<Map.Entry<String, String>> entries = new ArrayList<>();
        for (String each : words) {
            if (each.equals(NEXT_DESCRIPTOR)) {
                descriptors.add(requireSome(entries));
                entries = new ArrayList<>();
            } else {
                entries.add(entry(each));
            }
        }
        descriptors.add(requireSome(entries));
        return new RequestWords(descriptors);
    }

    private static Map.Entry<String, String> entry(String word) {
        int equals = word.indexOf('=');
        if (equals < 1) {
            throw new IllegalArgumentException("\"" + word + "\" (expected: key=value)");
        }
        return Map.entry(word.substring(0, equals), word.substring(equals + 1));
    }

    private static List<Map.Entry<String, String>> requireSome(List<Map.Entry<String, String>> entries) {
        if (entries.isEmpty()) {
            throw new IllegalArgumentException("a descriptor without entries (expected: key=value before and after +)");
        }
        return List.copyOf(entries);
    }
}
