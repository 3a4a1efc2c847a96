package dev.weir.server.settings;

import java.util.Collection;

/** Guesses which of the known names was meant. */
final class Nearest {
    private static final int FARTHEST = 3;

    private Nearest() {}

    /** {@code " (did you mean http_port?)"}, or nothing where no name is near. */
    static String hint(String name, Collection<String> known) {
        String best = "";
        int least = FARTHEST + 1;
        for (String each : known) {
            int distance = distance(name, each);
            if (distance < least) {
                least = distance;
                best = each;
            }
        }
        return best.isEmpty() ? "" : " (did you mean " + best + "?)";
    }

    /** Levenshtein's distance. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
