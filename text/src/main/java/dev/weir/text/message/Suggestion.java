package dev.weir.text.message;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Guesses which known word an unknown word was meant to be. */
public final class Suggestion {
    private static final int SHORTEST = 3;

    private Suggestion() {}

    /** Returns the hint for {@code word}: the most similar of {@code known} if one is similar, else all of them. */
    public static String among(String word, Collection<String> known) {
        String nearest = nearest(word, known);
        return nearest != null ? meant(nearest) : "expected: " + String.join(", ", known);
    }

    /** Returns the hint that suggests {@code known}. */
    public static String meant(String known) {
        return "did you mean " + known + "?";
    }

    /**
     * Returns the word of {@code known} that {@code word} is a typo of, else an abbreviation of; null if there is none.
     */
    public static @Nullable String nearest(String word, Collection<String> known) {
        String plain = plain(word);
        String typo = typo(plain, known);
        return typo != null
                ? typo
                : known.stream()
                        .filter(each -> isAbbreviationOf(plain, plain(each)))
                        .findFirst()
                        .orElse(null);
    }

    /**
     * Returns whether {@code word} abbreviates {@code known}: its letters appear in order and the first is the same, as
     * in {@code reqs} for {@code requests} or {@code sec} for {@code second}.
     */
    private static boolean isAbbreviationOf(String word, String known) {
        if (word.length() < SHORTEST || !known.startsWith(word.substring(0, 1))) {
            return false;
        }
        int found = 0;
        for (int i = 0; i < known.length() && found < word.length(); i++) {
            found += known.charAt(i) == word.charAt(found) ? 1 : 0;
        }
        return found == word.length();
    }

    /**
     * Returns the word of {@code known} that {@code word} almost is: the case, the separators, two swapped neighbours
     * or one letter more or less may differ. Null if there is none, or if {@code word} is known itself. It is stricter
     * than {@link #nearest}, for words that may be names of their own.
     */
    public static @Nullable String misspelt(String word, Collection<String> known) {
        String letters = letters(word);
        return known.contains(word)
                ? null
                : known.stream()
                        .filter(each -> isMisspelt(letters, letters(each)))
                        .findFirst()
                        .orElse(null);
    }

    private static String letters(String word) {
        return plain(word).replace("_", "");
    }

    private static boolean isMisspelt(String word, String known) {
        boolean sameLength = word.length() == known.length();
        boolean swapped = sameLength && Arrays.equals(sorted(word), sorted(known));
        return distance(word, known, 2) < 2 && (!sameLength || swapped);
    }

    private static int[] sorted(String word) {
        return word.chars().sorted().toArray();
    }

    private static @Nullable String typo(String plain, Collection<String> known) {
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

    /**
     * Returns the optimal string alignment distance (a swap of neighbours is one edit); {@code bound} if it is at least
     * that.
     */
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
