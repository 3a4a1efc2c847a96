package dev.weir.rules.diagnostics;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Guesses what was meant by a word that is not known. */
public final class Suggestion {

    private Suggestion() {}

    /** The hint for {@code word} among {@code known}: the nearest if it is near, else all of them. */
    public static String among(String word, Collection<String> known) {
        String nearest = nearest(word, known);
        return nearest != null ? "did you mean " + nearest + "?" : "expected: " + String.join(", ", known);
    }

    /** The one of {@code known} that {@code word} is a slip of, or null if none is near. */
    public static @Nullable String nearest(String word, Collection<String> known) {
        String plain = plain(word);
        String best = null;
        int least = Math.max(1, Math.min(3, plain.length() / 3)) + 1;
        for (String each : known) {
            int distance = distance(plain, plain(each), least);
            if (distance < least) {
                least = distance;
                best = each;
            }
        }
        return best;
    }

    private static String plain(String word) {
        String cut = word.length() > 64 ? word.substring(0, 64) : word;
        return cut.toLowerCase(Locale.ROOT).replace('-', '_').replace(' ', '_');
    }

    /** Edits between two words, a swap of neighbours being one (optimal string alignment); {@code bound} if at least that. */
    private static int distance(String a, String b, int bound) {
        if (Math.abs(a.length() - b.length()) >= bound) {
            return bound;
        }
        int[] older = new int[b.length() + 1];
        int[] last = new int[b.length() + 1];
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            last[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = last[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                int least = Math.min(change, Math.min(last[j], row[j - 1]) + 1);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    least = Math.min(least, older[j - 2] + 1);
                }
                row[j] = least;
            }
            int[] free = older;
            older = last;
            last = row;
            row = free;
        }
        return last[b.length()];
    }
}
